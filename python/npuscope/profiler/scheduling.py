"""Which steps to record. The rules are those of torch_npu and MindSpore; the arithmetic is in the compiled module."""

from __future__ import annotations

from typing import Any, Callable, Optional

from npuscope import _npuscope
from npuscope.guard import warn
from npuscope.profiler.enums import ProfilerAction

_DEFAULTS = {"wait": 0, "warmup": 0, "active": 1, "repeat": 0, "skip_first": 0, "skip_first_wait": 0}


class Schedule:
    """A schedule that `schedule` made: call it with the number of a step, counted from 0 at the start."""

    def __init__(self, quiet: bool = False, **asked: Any) -> None:
        values = {}
        for name, default in _DEFAULTS.items():
            value = asked.get(name, default)
            if isinstance(value, bool) and name == "skip_first_wait":
                value = int(value)
            if isinstance(value, bool) or not isinstance(value, int):
                warn(f"schedule: {name} is {value!r}, which is not a whole number; {default} is used")
                value = default
            values[name] = value
        self._compiled = _npuscope.Schedule(**values)
        for text in () if quiet else self._compiled.warnings:
            warn(f"schedule: {text}")
        # As they are used, that is after repair.
        self.wait, self.warmup, self.active, self.repeat, self.skip_first, skip_first_wait = self._compiled.values()
        self.skip_first_wait = int(skip_first_wait)

    def __call__(self, step: int) -> ProfilerAction:
        return ProfilerAction(self._compiled(step))

    def __repr__(self) -> str:
        return f"schedule({', '.join(f'{name}={value}' for name, value in self.to_dict().items())})"

    def to_dict(self) -> dict[str, int]:
        """The numbers, after repair, by the names of torch_npu's arguments."""
        return {name: getattr(self, name) for name in _DEFAULTS}


def schedule(
    wait: int = 0,
    warmup: Optional[int] = None,
    active: int = 1,
    repeat: int = 0,
    skip_first: int = 0,
    skip_first_wait: int = 0,
    *,
    warm_up: Optional[int] = None,
) -> Schedule:
    """Say which steps to record, in cycles of waiting, warming up and recording.

    :param wait: steps of a cycle in which nothing happens
    :param warmup: steps of a cycle in which the profiler runs and drops what it sees
    :param active: steps of a cycle that are recorded
    :param repeat: number of cycles; 0 goes on until training ends. Every cycle writes a directory of its own
    :param skip_first: steps before the first cycle
    :param skip_first_wait: anything but 0 leaves `wait` out of the first cycle
    :param warm_up: older MindSpore's spelling of `warmup`

    What makes no sense is repaired with a warning: numbers below 0 become 0, and `active` at least 1.
    """
    if warm_up is not None and warmup is not None and warm_up != warmup:
        warn(f"schedule: warmup is {warmup} and warm_up is {warm_up}; warmup is used")
    chosen = warmup if warmup is not None else warm_up
    return Schedule(
        wait=wait,
        warmup=0 if chosen is None else chosen,
        active=active,
        repeat=repeat,
        skip_first=skip_first,
        skip_first_wait=skip_first_wait,
    )


def action_of(plan: Optional[Callable[[int], Any]], step: int) -> int:
    """What a schedule of anybody's making says about a step, as a number. No schedule records everything."""
    if plan is None:
        return int(ProfilerAction.RECORD)
    said = plan(step)
    return int(getattr(said, "value", said))
