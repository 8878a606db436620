"""Stops profilers that still run when the process ends, so that their last records are written."""

from __future__ import annotations

import atexit
import os
from typing import Protocol

from npuscope.guard import warn
from npuscope.language import localized


class Stoppable(Protocol):
    """Something that runs until it is stopped."""

    @property
    def is_recording(self) -> bool:
        """Whether records would be lost without `stop`."""

    def stop(self) -> None: ...


#: Running profilers, each with the process that started it: a forked child does not run them. A profiler that a script
#: no longer refers to continues until the process ends.
_running: list[tuple[int, Stoppable]] = []


def begins(thing: Stoppable) -> None:
    """Stop this when the process ends."""
    ends(thing)
    _running.append((os.getpid(), thing))


def ends(thing: Stoppable) -> None:
    """Do not stop this any more: it has stopped."""
    _running[:] = [entry for entry in _running if entry[1] is not thing]


@atexit.register
def _stop_all() -> None:
    for process, thing in _running.copy():
        if process == os.getpid():
            # A profiler whose steps have all been recorded needs no `stop`, so its absence is no mistake.
            if thing.is_recording:
                warn(
                    localized(
                        "a profiler was still recording when the process ended; it has been stopped",
                        "进程结束时仍有 profiler 在采集；已停止该 profiler",
                    )
                )
            thing.stop()
