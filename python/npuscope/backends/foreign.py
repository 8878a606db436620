"""Giving `npuscope.mstx` to a framework's own marks while its profiler runs, and taking it back."""

from __future__ import annotations

from typing import Any, Callable, Optional

from npuscope import mstx


class Borrowed:
    """While held, the functions of `npuscope.mstx` are the framework's."""

    def __init__(self) -> None:
        self._give_back: Optional[Callable[[], None]] = None

    def take(self, theirs: Any) -> None:
        """Forward to `theirs`, a module or object with `mark`, `range_start` and `range_end`."""
        self.give_back()
        self._give_back = mstx.forward_to(theirs)

    def give_back(self) -> None:
        if self._give_back is not None:
            self._give_back()
            self._give_back = None
