"""Profilers that nobody has stopped when the process ends are stopped then, so that their last records are written."""

from __future__ import annotations

import atexit
import os
from typing import Protocol

from npuscope.guard import warn


class Stoppable(Protocol):
    """What runs until it is stopped."""

    def stop(self) -> None: ...


#: With the process each was begun in: a forked child does not run what its parent does. Held by reference: a profiler
#: that a script has lost sight of goes on until the process ends.
_running: list[tuple[int, Stoppable]] = []


def begins(thing: Stoppable) -> None:
    """It runs from now on."""
    ends(thing)
    _running.append((os.getpid(), thing))


def ends(thing: Stoppable) -> None:
    """It does not run any more."""
    _running[:] = [entry for entry in _running if entry[1] is not thing]


@atexit.register
def _stop_all() -> None:
    for process, thing in list(_running):
        if process == os.getpid():
            warn("a profiler was still running when the process ended; it is stopped now")
            thing.stop()
