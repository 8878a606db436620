"""Runs an action after a module has been imported, whenever the script imports it."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from types import ModuleType
from typing import Any, Callable, Optional

from npuscope.guard import describe, warn
from npuscope.language import localized

Action = Callable[[Any], None]


def after_import(actions: dict[str, Action]) -> None:
    """Run each action with the module of its name: now if it is imported already, else right after its import."""
    for name in list(actions):
        module = sys.modules.get(name)
        if module is not None:
            _perform(name, actions.pop(name), module)
    if actions:
        sys.meta_path.insert(0, _Watcher(actions))


class _Watcher(importlib.abc.MetaPathFinder):
    """Finds no module itself. All other imports cost one look into a dictionary."""

    def __init__(self, actions: dict[str, Action]) -> None:
        self._actions = actions

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        # Popped first: the search below comes here again.
        action = self._actions.pop(name, None)
        if action is None:
            return None
        spec = importlib.util.find_spec(name)
        loader: Any = None if spec is None else spec.loader
        if loader is None or not hasattr(loader, "exec_module"):
            return spec
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            _perform(name, action, module)

        # Set on the loader itself, whose type other libraries look at. A frozen one has no place for it.
        try:
            loader.exec_module = exec_module
        except AttributeError as error:
            _report(name, error)
        return spec


def _perform(name: str, action: Action, module: ModuleType) -> None:
    try:
        action(module)
    except Exception as error:  # noqa: BLE001 - another version of the framework; the import must succeed
        _report(name, error)


def _report(name: str, error: Exception) -> None:
    why = describe(error)
    warn(
        localized(
            f"steps of {name} are not recorded, this version is not supported: {why}",
            f"不采集 {name} 的 step，不支持该版本：{why}",
        )
    )
