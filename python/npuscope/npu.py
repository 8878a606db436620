"""The counterpart of `torch_npu.npu.mstx`: `npuscope.npu.mstx`, which can also be called like a class."""

from __future__ import annotations

from typing import Any, Callable

from npuscope import mstx as _module

__all__ = ["mstx"]


class _Marks:
    """The functions of the module `npuscope.mstx`. An object, since a module that can be called is slower to use."""

    # For type checkers; `__init__` sets them.
    annotate: type[_module.annotate]
    mark: Callable[..., None]
    mstx_range: Callable[..., Any]
    mstx_timer_decorator: Callable[..., Any]
    range_end: Callable[..., None]
    range_pop: Callable[..., Any]
    range_push: Callable[..., Any]
    range_start: Callable[..., int]

    def __init__(self) -> None:
        for name in _module.__all__:
            setattr(self, name, getattr(_module, name))
        _module.mirrors.append(self)

    def __call__(self) -> _Marks:
        """Returns itself: scripts for torch_npu write `mstx.mark(...)` and `mstx().mark(...)`."""
        return self


mstx = _Marks()
