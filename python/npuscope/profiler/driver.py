"""Runs a backend through its schedule: the compiled part decides on the calls, and this module makes them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Callable, Optional

from npuscope import _npuscope
from npuscope.backends.base import Backend
from npuscope.guard import warn
from npuscope.profiler.enums import ProfilerAction
from npuscope.profiler.metadata import info_of, metadata_of
from npuscope.profiler.scheduling import UNTIL_THE_END, Schedule, action_of

#: A step that `stop` ends is no step if it takes less than this fraction of the shortest step before it.
LEFTOVER = 0.05


class RecordingFailed(RuntimeError):
    """A failure of the recorder in the background."""


class Driver:
    """Drives a backend from `start` to `stop`. Raises what the backend raises; `profile` catches it."""

    def __init__(
        self,
        backend: Backend,
        plan: Optional[Callable[[int], Any]],
        output: Path,
        first_step: int,
        total_steps: Optional[int],
        metadata: dict[str, Any],
        on_ready: Callable[[Path], None],
    ) -> None:
        self.backend = backend
        self.plan = plan
        self.output = output
        self.first_step = first_step
        self.total_steps = total_steps
        self.metadata = metadata
        self.on_ready = on_ready
        self.count = 0
        self.action = int(ProfilerAction.NONE)
        self.directory: Optional[Path] = None
        #: The start of the open step, and the duration of the shortest step before it, by our own clock.
        self.opened: Optional[int] = None
        self.shortest: Optional[int] = None
        #: Whether steps that are missing at the end are no mistake.
        self.is_quiet = False
        #: Steps of this cycle that have been recorded to their end.
        self.recorded = 0
        #: Data that cannot be recorded, such as calls if another tool uses the hook. The rest is recorded.
        self.missing: Optional[str] = None

    def start(self) -> None:
        self.count = 0
        self._become(action_of(self.plan, 0))
        self._open_step()

    def step(self) -> None:
        self.backend.close_step()
        if self.opened is not None:
            took = time.monotonic_ns() - self.opened
            self.shortest = took if self.shortest is None else min(self.shortest, took)
            self.opened = None
            self.recorded += 1
        self.count += 1
        self._check()
        self._become(action_of(self.plan, self.count))
        self._open_step()

    def stop(self) -> None:
        if self._is_leftover():
            self.drop_step()
        elif self.opened is not None:
            self.backend.close_step()
            self.opened = None
            self.recorded += 1
            # Training has ended within it, or the loop calls `step` at the beginning of each.
            self.count += 1
        if isinstance(self.plan, Schedule) and self.count < self.plan.needed_steps:
            # `profile` says so, with the numbers.
            self.is_quiet = True
        if self.plan is not None and self.action >= ProfilerAction.RECORD and not self.recorded:
            self._discard()
        else:
            self._become(None)
        self._check()

    def drop_step(self) -> None:
        self.backend.drop_step()
        self.opened = None

    def _discard(self) -> None:
        """End a cycle in which no step was recorded: with `repeat=0`, one begins whenever another ends."""
        self.action = int(ProfilerAction.NONE)
        self.backend.stop()
        self.backend.delete()

    def _check(self) -> None:
        error = self.backend.error
        if error and error != self.missing:
            raise RecordingFailed(error)

    def _become(self, action: Optional[int]) -> None:
        calls, warning = _npuscope.transition(self.action, action)
        # The end of training in the middle of a recording may be intended.
        if warning and not self.is_quiet and self.plan is not None and getattr(self.plan, "active", 0) < UNTIL_THE_END:
            warn(warning)
        # Set before the calls are made: after a failure in the middle, nothing is done twice.
        self.action = int(ProfilerAction.NONE) if action is None else action
        for call in calls:
            getattr(self, f"_{call}")()

    def _open_step(self) -> None:
        """Mark the beginning of a step. Without a schedule there are no steps, and only recorded steps are marked."""
        if self.plan is None or self.action < ProfilerAction.RECORD:
            return
        if self.total_steps is None or self.count < self.total_steps:
            self.opened = time.monotonic_ns()
            self.backend.open_step(f"ProfilerStep#{self.first_step + self.count}")

    def _is_leftover(self) -> bool:
        """Whether the open step is no step, only the time after the last `step` of the loop.

        A loop that calls `step` at the end of each step opens one step too many; a loop that calls it at the beginning
        does not. The extra step takes almost no time.
        """
        if self.opened is None or self.shortest is None:
            return False
        return time.monotonic_ns() - self.opened < self.shortest * LEFTOVER

    # The calls that a transition may ask for.

    def _init(self) -> None:
        worker, suffix = self.backend.context.worker, self.backend.context.suffix
        directory = self.output / _npuscope.directory_name(worker, suffix)
        while directory.exists():
            # The name ends in milliseconds, and cycles of an empty loop are shorter.
            time.sleep(0.001)
            directory = self.output / _npuscope.directory_name(worker, suffix)
        self.directory = directory
        self.backend.init(directory, info_of(self.backend.settings, self.plan))

    def _warmup(self) -> None:
        self.backend.warmup()

    def _start(self) -> None:
        self.backend.start()
        self.recorded = 0
        self.missing = self.backend.error
        if self.missing:
            warn(self.missing)

    def _stop(self) -> None:
        self.backend.stop()

    def _finalize(self) -> None:
        # In every cycle: torch_npu clears its metadata after the first, and the other directories go without.
        self.backend.finalize(metadata_of(self.metadata, self.backend.context.rank))

    def _trace_ready(self) -> None:
        self._check()
        assert self.directory is not None
        self.on_ready(self.directory)

    def _delete_directory(self) -> None:
        self.backend.delete()
