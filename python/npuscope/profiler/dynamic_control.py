"""Reads the control file between steps. The compiled part watches the file and decides when to record."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any, Optional

from npuscope import _npuscope
from npuscope.language import localized
from npuscope.profiler.settings import Settings


@dataclasses.dataclass
class Beginning:
    """A recording to start before the next step."""

    #: The first and the last step to be recorded, counted from 1.
    start: int
    stop: int
    #: rank0_start8_stop10
    directory: str
    settings: Settings
    #: The dialect of the file, `mindspore` or `torch_npu`.
    dialect: str


@dataclasses.dataclass
class Command:
    """What to do before the next step, in this order."""

    stops: bool
    start: Optional[Beginning]
    #: About the file, or about windows that can no longer be recorded.
    warnings: list[str]


class DynamicControl:
    """Watches the control file for one rank."""

    def __init__(self, path: str, rank: int, poll_seconds: float, dialect: str) -> None:
        if rank == 0:
            _npuscope.write_default(path, dialect)
        self._named = (path, rank, poll_seconds)
        self._compiled = _npuscope.Dynamic(*self._named)
        #: Steps that have ended.
        self.count = 0

    def begin(self) -> Command:
        """Before the first step."""
        return _read(self._compiled.begin())

    def step(self) -> Command:
        """After each step."""
        self.count += 1
        return _read(self._compiled.step())

    def end(self) -> Command:
        """When training is over."""
        return _read(self._compiled.end())

    def after(self, finished: int) -> Command:
        """Begin again after `finished` steps."""
        self._compiled = _npuscope.Dynamic(*self._named, finished)
        self.count = finished
        return self.begin()

    def failed(self, why: str) -> None:
        """Record that the last request failed."""
        self._compiled.failed(why)

    def report(self, output: Optional[str]) -> None:
        """Write the state of this rank for `npuscope dynamic status`. A failure does not affect the recording."""
        self._compiled.report(output)


def _read(text: str) -> Command:
    said: dict[str, Any] = json.loads(text)
    warnings = list(said["warnings"])
    if said["error"]:
        error = said["error"]
        warnings.append(
            localized(
                f"{error}; the file is ignored until it changes, training continues",
                f"{error}；文件更改之前忽略该文件，训练继续",
            )
        )
    return Command(said["stop"] is not None, _beginning(said["start"]), warnings)


def _beginning(said: Optional[dict[str, Any]]) -> Optional[Beginning]:
    if said is None:
        return None
    settings = Settings.from_config(said["config"])
    first, last, warmup = said["start"], said["stop"], said["warmup"]
    # Rank and window are already decided. Warm-up steps come before the first step.
    settings.enabled, settings.ranks = True, "all"
    settings.schedule = {"wait": 0, "warmup": warmup, "active": last - first + 1, "repeat": 1, "skip_first": 0}
    settings.first_step = first - warmup
    return Beginning(first, last, said["directory"], settings, said["dialect"])


def settings_at_once(file: Path, first: int) -> tuple[Settings, int]:
    """The settings of a control file for a recording from step `first` on, and its number of steps."""
    text = file.read_text(encoding="utf-8")
    asked = json.loads(text)
    settings = Settings.from_config(json.loads(_npuscope.read_config(text))["config"])
    warmup, active = _whole(asked.get("warmup"), 0), _whole(asked.get("active"), 1)
    if "stop_step" in asked:
        active = max(1, _whole(asked["stop_step"], 1) - _whole(asked.get("start_step"), 1) + 1)
    settings.enabled, settings.ranks = True, "all"
    settings.schedule = {"wait": 0, "warmup": warmup, "active": active, "repeat": 1, "skip_first": 0}
    settings.first_step = first
    return settings, warmup + active


def _whole(value: Any, least: int) -> int:
    return max(least, value) if isinstance(value, int) and not isinstance(value, bool) else least
