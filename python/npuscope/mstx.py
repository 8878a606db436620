"""Marks and ranges in a training script, by the names of `torch_npu.npu.mstx` and `mindspore.profiler.mstx`.

>>> from npuscope import mstx
>>> load = mstx.range_start("load batch")
>>> mstx.range_end(load)

`mark`, `range_start` and `range_end` are compiled functions, so a range costs no Python call. While the profiler of
torch_npu or MindSpore runs, they are that framework's functions instead. So write `mstx.range_start`, not `from
npuscope.mstx import range_start`; otherwise that profiler does not record the range. When nothing is recording, they
do nothing and cost as much as a call of a built-in function.
"""

from __future__ import annotations

import functools
import threading
from typing import Any, Callable, TypeVar, cast

from npuscope import _npuscope
from npuscope._npuscope import mark, range_end, range_start
from npuscope.guard import describe, warn
from npuscope.language import localized
from npuscope.wrapping import works_later, wrapped

__all__ = [
    "annotate",
    "mark",
    "mstx_range",
    "mstx_timer_decorator",
    "range_end",
    "range_pop",
    "range_push",
    "range_start",
]

_Function = TypeVar("_Function", bound=Callable[..., Any])

_stacks = threading.local()


def _stack(domain: str) -> list[int]:
    return cast("list[int]", _stacks.__dict__.setdefault(domain, []))


def range_push(message: str, stream: Any = None, domain: str = "default") -> int:
    """Begin a range that `range_pop` ends. Returns how many ranges of this thread and domain were open before."""
    stack = _stack(domain)
    stack.append(range_start(message, stream, domain))
    return len(stack) - 1


def range_pop(domain: str = "default") -> int:
    """End the range that this thread began last. Returns how many are still open, or -1 if there was none."""
    stack = _stack(domain)
    if not stack:
        return -1
    range_end(stack.pop(), domain)
    return len(stack)


class annotate:  # noqa: N801 - torch_npu's name
    """A range around a block, or around every call of a function.

    >>> with annotate("optimizer"):
    ...     optimizer.step()
    >>> @annotate(domain="loss")
    ... def loss(batch): ...

    :param message: name of the range; default: the name of the function
    :param stream: also mark this stream of the device; used only while a framework's profiler runs
    :param domain: domain of the range

    The range ends when the block or call ends, also by an exception. For a generator or a coroutine, it ends when
    that is exhausted or closed, not when it is created.
    """

    def __init__(self, message: str = "", stream: Any = None, domain: str = "default") -> None:
        self.message = message
        self.stream = stream
        self.domain = domain
        self._open: list[int] = []

    def __enter__(self) -> annotate:
        self._open.append(range_start(self.message, self.stream, self.domain))
        return self

    def __exit__(self, *_: object) -> None:
        range_end(self._open.pop(), self.domain)

    def __call__(self, function: _Function) -> _Function:
        message = self.message or getattr(function, "__qualname__", repr(function))
        return _ranged(function, message, self.stream, self.domain)


#: torch_npu's name of the decorator.
mstx_range = annotate


def mstx_timer_decorator(function: _Function) -> _Function:
    """Record a range around every call of a function, named after it, as in MindSpeed-RL. Exceptions end it, too."""
    return _ranged(function, getattr(function, "__qualname__", repr(function)), None, "default")


def _ranged(function: _Function, message: str, stream: Any, domain: str) -> _Function:
    """The function with a range around its work."""
    if works_later(function):
        return wrapped(function, lambda: annotate(message, stream, domain))

    # Without a context between, which would cost more than the range itself.
    @functools.wraps(function)
    def wrapper(*arguments: Any, **named: Any) -> Any:
        opened = range_start(message, stream, domain)
        try:
            return function(*arguments, **named)
        finally:
            range_end(opened, domain)

    return cast(_Function, wrapper)


#: The functions that a framework may replace.
_FUNCTIONS = ("mark", "range_start", "range_end")

#: Objects that show the functions, too, besides this module.
mirrors: list[Any] = []

#: The functions of the frameworks whose profilers run, the newest last.
_lent: list[dict[str, Callable[..., Any]]] = []


def forward_to(theirs: Any) -> Callable[[], None]:
    """Replace our functions by those of a framework; returns a function that undoes this."""
    functions = {name: _careful(getattr(theirs, name), name) for name in _FUNCTIONS}
    _lent.append(functions)
    _show()

    def undo() -> None:
        _lent[:] = [lent for lent in _lent if lent is not functions]
        _show()

    return undo


def _show() -> None:
    functions = _lent[-1] if _lent else {name: getattr(_npuscope, name) for name in _FUNCTIONS}
    globals().update(functions)
    for mirror in mirrors:
        for name, function in functions.items():
            setattr(mirror, name, function)


def _careful(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A framework's function that never raises. Older versions have no domains and are called without."""
    before_domain = 1 if name == "range_end" else 2

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            try:
                return function(*arguments, **named)
            except TypeError:
                named.pop("domain", None)
                return function(*arguments[:before_domain], **named)
        except Exception as error:  # noqa: BLE001 - a mark is no reason to stop training
            why = describe(error)
            warn(
                localized(
                    f"mstx.{name}() of the framework failed: {why}; training continues",
                    f"框架的 mstx.{name}() 失败：{why}；训练继续",
                )
            )
            return 0

    return call
