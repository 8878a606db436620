"""Profilers that were not stopped when the process ends are stopped then, so that their last records are written."""

from __future__ import annotations

import atexit
import os
from typing import Protocol

from npuscope.guard import warn


class Stoppable(Protocol):
    """What runs until it is stopped."""

    @property
    def is_recording(self) -> bool:
        """Whether there is something to lose."""

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
    for process, thing in _running.copy():
        if process == os.getpid():
            # A profiler whose steps have all been recorded needs no `stop`, and a script that left it out was right.
            if thing.is_recording:
                warn("a profiler was still recording when the process ended; it is stopped now")
            thing.stop()
