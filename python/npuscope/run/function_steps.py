"""Reports calls of a function that the user names as steps. It may be anywhere, also in the script itself."""

from __future__ import annotations

import functools
import inspect
import sys
from types import CodeType, FrameType
from typing import Any, Callable, Optional

from npuscope.guard import warn
from npuscope.language import localized
from npuscope.run.session import Session


def watch(function: str, session: Session) -> None:
    """Wait for the first call of the function, then report all of its calls.

    A script defines its functions while it runs, so the first call is found by the interpreter's profile hook. The hook
    costs each call of a Python function before it a fraction of a microsecond; then it is removed, and the function has
    a wrapper.
    """
    module, _, path = function.rpartition(":")
    names = path.split(".")

    def seen(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or frame.f_code.co_name != names[-1]:
            return
        if module and frame.f_globals.get("__name__") != module:
            return
        # What is raised here would be raised in the training script.
        try:
            place = _place(frame, names)
            if place is None:
                return
            sys.setprofile(None)
            # Its first call is running: the first step has begun, and ends where the second call begins.
            session.begin("function", anywhere=True)
            owner, original = place
            setattr(owner, names[-1], _wrapped(original, session))
        except Exception:  # noqa: BLE001 - training goes on without steps
            sys.setprofile(None)
            warn(
                localized(
                    f"steps are not recorded: {function} cannot be wrapped",
                    f"不采集 step：无法包装 {function}",
                )
            )

    sys.setprofile(seen)


class _Globals:
    """A module's names as attributes."""

    _names: dict[str, Any]

    def __init__(self, names: dict[str, Any]) -> None:
        object.__setattr__(self, "_names", names)

    def __setattr__(self, name: str, value: Any) -> None:
        self._names[name] = value


def _place(frame: FrameType, names: list[str]) -> Optional[tuple[Any, Any]]:
    """The object that holds the function of a frame, and the function."""
    if len(names) == 1:
        found = frame.f_globals.get(names[0])
        return (_Globals(frame.f_globals), found) if _has_code(found, frame.f_code) else None
    holder = frame.f_globals.get(names[-2])
    # A method may be called in a module that does not know the class by its name.
    classes = [holder] if isinstance(holder, type) else []
    first = frame.f_code.co_varnames[0] if frame.f_code.co_argcount else None
    if first is not None and first in frame.f_locals:
        value = frame.f_locals[first]
        # The first argument of a class method is the class.
        classes += (value if isinstance(value, type) else type(value)).__mro__
    for kind in classes:
        found = vars(kind).get(names[-1])
        if kind.__name__ == names[-2] and _has_code(found, frame.f_code):
            return kind, found
    return None


def _has_code(function: Any, code: CodeType) -> bool:
    if isinstance(function, (staticmethod, classmethod)):
        function = function.__func__
    return getattr(inspect.unwrap(function), "__code__", None) is code if callable(function) else False


def _wrapped(function: Any, session: Session) -> Any:
    """A function that reports its calls, of the kind that it was."""
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(_reporting(function.__func__, session))
    return _reporting(function, session)


def _reporting(function: Callable[..., Any], session: Session) -> Callable[..., Any]:
    state = {"is_first": True, "depth": 0}

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        if state["is_first"]:
            state["is_first"] = False
            session.end_step("function")
        state["depth"] += 1
        try:
            result = function(*arguments, **named)
        finally:
            state["depth"] -= 1
        if state["depth"] == 0:
            session.end_step("function")
        return result

    return call
