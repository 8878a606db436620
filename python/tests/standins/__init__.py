"""Modules that stand in for torch_npu and MindSpore where there is no NPU: they note every call."""

from __future__ import annotations

import enum
import inspect
import sys
import types
from typing import Any


class Calls(list):
    """Every call that was made, in order, as (name, positional arguments, named arguments)."""

    def note(self, name: str, *arguments: Any, **named: Any) -> None:
        self.append((name, arguments, named))

    @property
    def names(self) -> list[str]:
        return [name for name, _, _ in self]

    def named(self, name: str) -> dict[str, Any]:
        """The named arguments of the only call of that name."""
        (found,) = [named for called, _, named in self if called == name]
        return found


class Recorded:
    """An object that remembers what it was made of."""

    def __init__(self, kind: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        self.kind, self.arguments, self.named = kind, arguments, named


def signature(names: str, **defaults: Any) -> inspect.Signature:
    """Of a function that may be called with these arguments, all of them by name or in this order."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Signature([inspect.Parameter(name, kind, default=defaults.get(name)) for name in names.split()])


def maker(calls: Calls, kind: str, names: str) -> Any:
    """A function that notes its call and answers what it was called with. It takes the arguments it has, no others."""
    taken = signature(names)

    def make(*arguments: Any, **named: Any) -> Recorded:
        taken.bind(*arguments, **named)
        calls.note(kind, *arguments, **named)
        return Recorded(kind, arguments, named)

    make.__signature__ = taken  # type: ignore[attr-defined]
    return make


def profile_class(calls: Calls, names: str, fails_at: str = "") -> type:
    """A profiler whose methods are noted; the one named `fails_at` raises. It takes the arguments it has, no others."""
    taken = signature(names)

    class Profile:
        __signature__ = taken

        def __init__(self, **named: Any) -> None:
            taken.bind(**named)
            self._note("profile", **named)

        def _note(self, name: str, *arguments: Any, **named: Any) -> None:
            calls.note(name, *arguments, **named)
            if name == fails_at:
                raise RuntimeError("the device is lost")

        def start(self) -> None:
            self._note("start")

        def step(self) -> None:
            self._note("step")

        def stop(self) -> None:
            self._note("stop")

        def add_metadata_json(self, key: str, value: str) -> None:
            self._note("add_metadata_json", key, value)

        def export_chrome_trace(self, path: str) -> None:
            self._note("export_chrome_trace", path)

        def export_stacks(self, path: str, metric: str) -> None:
            self._note("export_stacks", path, metric)

        def get_trace_id(self) -> str:
            return "theirs"

        @classmethod
        def enable_profiler_in_child_thread(cls, **named: Any) -> None:
            calls.note("enable_profiler_in_child_thread", **named)

    return Profile


def marks(calls: Calls) -> Any:
    """`mstx` of a framework."""

    class Marks:
        @staticmethod
        def mark(message: str, stream: Any = None, domain: str = "default") -> None:
            calls.note("mark", message, domain)

        @staticmethod
        def range_start(message: str, stream: Any = None, domain: str = "default") -> int:
            calls.note("range_start", message, domain)
            return 41

        @staticmethod
        def range_end(range_id: int, domain: str = "default") -> None:
            calls.note("range_end", range_id, domain)

    return Marks


def marks_without_domains(calls: Calls) -> Any:
    """`mstx` of a framework before there were domains; its `mark` fails."""

    class Marks:
        @staticmethod
        def mark(message: str, stream: Any = None) -> None:
            raise RuntimeError("the stream is lost")

        @staticmethod
        def range_start(message: str, stream: Any = None) -> int:
            calls.note("range_start", message)
            return 7

        @staticmethod
        def range_end(range_id: int) -> None:
            calls.note("range_end", range_id)

    return Marks


def members(name: str, **values: str) -> Any:
    return enum.Enum(name, values)


def installed(*modules: types.ModuleType) -> Any:
    """A context in which these modules can be imported."""

    class Installed:
        def __enter__(self) -> None:
            self.before = {module.__name__: sys.modules.get(module.__name__) for module in modules}
            sys.modules.update({module.__name__: module for module in modules})

        def __exit__(self, *_: object) -> None:
            for name, module in self.before.items():
                if module is None:
                    sys.modules.pop(name, None)
                else:
                    sys.modules[name] = module

    return Installed()
