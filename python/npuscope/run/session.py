"""Records one process of the job: the hooks report its steps."""

from __future__ import annotations

import atexit
import functools
import json
import os
import threading
from pathlib import Path
from typing import Any, Callable, Optional, TypeVar

from npuscope import ending, parent
from npuscope import rank as ranks
from npuscope.guard import describe, profiling_off, warn
from npuscope.language import localized
from npuscope.profiler.profiler import profile
from npuscope.profiler.settings import Settings
from npuscope.run.plan import COUNTS, Plan

_Method = TypeVar("_Method", bound=Callable[..., Any])


def harmless(method: _Method) -> _Method:
    """Make a method of a session swallow every `Exception` and switch the session off: training goes on."""

    @functools.wraps(method)
    def call(self: Session, *arguments: Any, **named: Any) -> Any:
        if self.is_off:
            return None
        try:
            return method(self, *arguments, **named)
        except Exception as error:  # noqa: BLE001 - whatever it is, the training loop must not see it
            self.is_off = True
            warn(profiling_off(describe(error)))
            return None

    return call  # type: ignore[return-value]


class Session:
    """Starts a profiler when training begins, and moves it on at each step.

    Steps of one kind are counted. A better kind (`COUNTS`) replaces a weaker one: a script may iterate over a data
    loader, to look at its data, before it creates the optimizer.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.is_off = False
        #: Whether a call of a profiler comes from here, and not from the script.
        self.is_calling = False
        #: The kind of steps that is counted.
        self.count: Optional[str] = None if plan.count == "auto" else plan.count
        #: The number of steps that have ended.
        self.steps = 0
        self._profile: Optional[profile] = None
        self._process = os.getpid()
        self._thread = 0
        self._is_selected = False
        self._rank: Optional[int] = None

    @property
    def has_begun(self) -> bool:
        """Whether the first step has begun."""
        return self._profile is not None

    @harmless
    def expect(self, count: str) -> None:
        """Steps of this kind will come; weaker kinds no longer count."""
        self._accepts(count)

    @harmless
    def begin(self, count: str, *, anywhere: bool = False) -> None:
        """The first step begins, unless it has begun. Other threads than the first may prepare data."""
        in_main_thread = threading.current_thread() is threading.main_thread()
        if self._accepts(count) and self._profile is None and (anywhere or in_main_thread):
            self._start()

    @harmless
    def end_step(self, count: str) -> None:
        """A step has ended, and the next begins."""
        if not self._accepts(count):
            return
        if self._profile is None:
            # Its beginning was not seen. The next step is recorded as the second.
            self._start()
        if self._process != os.getpid() or self._profile is None or self._thread != threading.get_ident():
            return
        self.steps += 1
        self._call(self._profile.step)

    @harmless
    def end(self) -> None:
        """Training is over."""
        recording = self._profile
        if recording is None or self._process != os.getpid():
            return
        # `end_step` opened a step that is none.
        recording.drop_step()
        self._call(recording.stop)
        self._report(recording)

    @harmless
    def give_way(self, whose: str) -> None:
        """The script starts a profiler of its own, and there can be only one. What was recorded so far is kept."""
        if self.is_calling or self._process != os.getpid():
            return
        warn(
            localized(
                f"the script records with {whose}; npuscope stops its own recording",
                f"脚本使用 {whose} 采集；npuscope 停止自己的采集",
            )
        )
        recording = self._profile
        if recording is not None:
            recording.drop_step()
            self._call(recording.interrupt)
            self._report(recording)
        self.is_off = True

    def _call(self, method: Callable[[], None]) -> None:
        self.is_calling = True
        try:
            method()
        finally:
            self.is_calling = False

    def _accepts(self, count: str) -> bool:
        if self.plan.count != "auto":
            return count == self.plan.count
        if self.count is None or COUNTS.index(count) < COUNTS.index(self.count):
            if self._profile is not None:
                self._restart()
            self.count = count
        return count == self.count

    def _start(self) -> None:
        if parent.records_this_rank():
            self.is_off = True
            return
        settings = Settings.from_config(self.plan.config)
        # Hooks see no stages.
        settings.stages = "all"
        recording = profile.of_settings(settings, backend=self.plan.backend, suffix=self.plan.suffix)
        # At the end, torch.distributed no longer knows it.
        self._rank = ranks.rank()
        self._process, self._thread = os.getpid(), threading.get_ident()
        self._call(recording.start)
        # Stopped below, without a warning: the script cannot have stopped it.
        ending.ends(recording)
        self._is_selected = recording.is_running
        if recording.is_running:
            parent.announce()
        self._profile = recording
        atexit.register(self.end)
        self._report(recording)

    def _restart(self) -> None:
        """Discard what was recorded of a weaker kind of steps."""
        recording, self._profile = self._profile, None
        self.steps = 0
        if recording is None or self._process != os.getpid():
            return
        atexit.unregister(self.end)
        recording.discard()
        parent.withdraw()

    def _report(self, recording: profile) -> None:
        """Write what was recorded, for the summary of `npuscope run`."""
        if not self.plan.reports:
            return
        report = {
            "rank": self._rank,
            "count": self.count,
            "steps": self.steps,
            "is_selected": self._is_selected,
            "directories": [str(Path(directory).absolute()) for directory in recording.directories],
        }
        file = Path(self.plan.reports) / f"{os.getpid()}.json"
        scratch = file.with_suffix(".new")
        scratch.write_text(json.dumps(report), encoding="utf-8")
        os.replace(scratch, file)
