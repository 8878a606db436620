"""Stages of reinforcement learning, such as generation, scoring and update. Each can be recorded separately."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any, Callable, Optional, TypeVar, Union

from npuscope import ending, mstx
from npuscope.guard import guarded
from npuscope.profiler.enums import ProfilerAction
from npuscope.profiler.metadata import KeepsMetadata
from npuscope.profiler.profiler import DEFAULT_BUDGET, profile
from npuscope.profiler.scheduling import Schedule
from npuscope.profiler.settings import Settings
from npuscope.wrapping import wrapped

_Function = TypeVar("_Function", bound=Callable[..., Any])

#: The domain of the ranges that `stage` makes.
DOMAIN = "stage"

#: The profiler of stages that runs in this process; `stage` uses it.
_current: Optional[StagedProfiler] = None


class StagedProfiler(KeepsMetadata):
    """Records selected stages of selected iterations, each into the directory of its stage. Made by `from_config`.

    >>> with npuscope.from_config("rl.yaml") as prof:
    ...     for batch in batches:
    ...         with npuscope.stage("actor_generate"):
    ...             samples = generate(batch)
    ...         with npuscope.stage("actor_update"):
    ...             update(samples)
    ...         prof.step()
    """

    def __init__(
        self,
        settings: Settings,
        *,
        backend: Optional[str] = None,
        rank: Optional[int] = None,
        budget: int = DEFAULT_BUDGET,
        spool: Union[str, Path, None] = None,
    ) -> None:
        super().__init__()
        self._settings = settings
        self._window = Schedule(quiet=True, **settings.schedule) if settings.schedule is not None else None
        self._named = {"backend": backend, "rank": rank, "budget": budget, "spool": spool}
        self._count = 0
        self._recording: Optional[profile] = None
        self._stopped: list[profile] = []
        self._metadata: dict[str, Any] = {}

    @property
    def directory(self) -> Optional[Path]:
        """The directory of the stage recorded last, or None."""
        directories = self.directories
        return directories[-1] if directories else None

    @property
    def directories(self) -> list[Path]:
        """The directories of all stages recorded so far."""
        return [directory for recording in self._stopped for directory in recording.directories]

    @property
    def is_running(self) -> bool:
        """Whether this is between `start` and `stop`."""
        return not self._silent and _current is self

    @property
    def is_recording(self) -> bool:
        """Whether a stage is being recorded."""
        return not self._silent and self._recording is not None

    @guarded
    def start(self) -> None:
        """Record the selected stages from now on."""
        global _current
        self._count = 0
        if self._settings.enabled:
            _current = self
            ending.begins(self)

    @guarded
    def step(self) -> None:
        """An iteration has ended; the next begins."""
        self._count += 1

    @guarded
    def drop_step(self) -> None:
        """Does nothing: a stage ends when its block ends. All profilers have this method."""

    def _keep(self, key: str, value: Any) -> None:
        self._metadata[key] = value
        if self._recording is not None:
            self._recording.add_metadata_json(key, json.dumps(value))

    @guarded
    def stop(self) -> None:
        """Stop recording; `stage` only marks ranges from now on. Waits for parsing, if the settings ask for parsing."""
        self._stop()
        for recording in self._stopped:
            recording.wait()

    @guarded
    def _stop(self) -> None:
        global _current
        if _current is self:
            _current = None
        ending.ends(self)
        self.leave(self._recording)

    def _abandon(self) -> None:
        global _current
        if _current is self:
            _current = None
        ending.ends(self)
        recording, self._recording = self._recording, None
        if recording is not None:
            recording.stop_recording()

    def wants(self, name: str) -> bool:
        """Whether to record the stage in this iteration. A stage inside a recorded stage is part of it."""
        if self._silent or self._recording is not None or name not in self._settings.stages:
            return False
        return self._window is None or self._window(self._count) >= ProfilerAction.RECORD

    @guarded
    def enter(self, name: str) -> Optional[profile]:
        """Begin recording, if the stage is selected."""
        if not self.wants(name):
            return None
        # One step long, and it carries the iteration's number, which MindSpeed-RL's own markers lose.
        settings = dataclasses.replace(
            self._settings,
            schedule={"wait": 0, "warmup": 0, "active": 1, "repeat": 1, "skip_first": 0},
            first_step=self._settings.first_step + self._count,
            output=str(Path(self._settings.output) / name),
        )
        recording = profile.of_settings(settings, **self._named)  # type: ignore[arg-type]
        for key, value in self._metadata.items():
            recording.add_metadata_json(key, json.dumps(value))
        recording.start()
        # When the process ends, it is ours to stop.
        ending.ends(recording)
        self._recording = recording if recording.is_running else None
        return self._recording

    @guarded
    def leave(self, recording: Optional[profile]) -> None:
        """The stage has ended."""
        if recording is None or recording is not self._recording:
            return
        self._recording = None
        recording.step()
        # Parsing continues while training does.
        recording.stop_recording()
        self._stopped.append(recording)

    def __enter__(self) -> StagedProfiler:
        self.start()
        return self

    def __exit__(self, kind: object = None, *_: object) -> None:
        if kind is None:
            self.stop()
        else:
            self._stop()


class stage:  # noqa: N801 - reads as a function where it is used
    """Mark a stage, around a block or around every call of a function.

    >>> with stage("actor_update"):
    ...     update(samples)
    >>> @stage("actor_generate")
    ... def generate(batch): ...

    A stage is a range in the domain `stage`. If MindSpeed-RL settings read by `from_config` select this stage, it is
    recorded in the selected iterations.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._open: list[tuple[int, Optional[profile], Optional[StagedProfiler]]] = []

    def __enter__(self) -> stage:
        plan = _current
        recording = plan.enter(self.name) if plan is not None else None
        self._open.append((mstx.range_start(self.name, None, DOMAIN), recording, plan))
        return self

    def __exit__(self, *_: object) -> None:
        opened, recording, plan = self._open.pop()
        mstx.range_end(opened, DOMAIN)
        if plan is not None and recording is not None:
            plan.leave(recording)

    def __call__(self, function: _Function) -> _Function:
        return wrapped(function, lambda: stage(self.name))
