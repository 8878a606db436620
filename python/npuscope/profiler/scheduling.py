"""Selects the steps to record, by the rules of torch_npu and MindSpore. The compiled module has the arithmetic."""

from __future__ import annotations

from typing import Any, Callable, Optional

from npuscope import _npuscope
from npuscope.guard import warn
from npuscope.language import localized
from npuscope.profiler.enums import ProfilerAction

#: A schedule of this many steps means "until training ends"; FSDP2 uses it.
UNTIL_THE_END = 1_000_000

_DEFAULTS = {"wait": 0, "warmup": 0, "active": 1, "repeat": 0, "skip_first": 0, "skip_first_wait": 0}


class Schedule:
    """A schedule made by `schedule`: call it with the number of a step, counted from 0."""

    def __init__(self, quiet: bool = False, **asked: Any) -> None:
        values = {}
        for name, default in _DEFAULTS.items():
            value = asked.get(name, default)
            if isinstance(value, bool) and name == "skip_first_wait":
                value = int(value)
            if isinstance(value, bool) or not isinstance(value, int):
                warn(
                    localized(
                        f"schedule: {name} is {value!r}, expected a whole number; {default} is used",
                        f"schedule：{name} 为 {value!r}，应为整数；使用 {default}",
                    )
                )
                value = default
            values[name] = value
        self._compiled = _npuscope.Schedule(**values)
        for text in () if quiet else self._compiled.warnings:
            warn(localized(f"schedule: {text}", f"schedule：{text}"))
        # The values after correction.
        self.wait, self.warmup, self.active, self.repeat, self.skip_first, skip_first_wait = self._compiled.values()
        self.skip_first_wait = int(skip_first_wait)

    def __call__(self, step: int) -> ProfilerAction:
        return ProfilerAction(self._compiled(step))

    def __repr__(self) -> str:
        return f"schedule({', '.join(f'{name}={value}' for name, value in self.to_dict().items())})"

    @property
    def needed_steps(self) -> int:
        """Steps that training needs for all cycles: repeat * (wait + warmup + active) + skip_first.

        With `repeat=0`, those for one cycle. If a cycle lasts until training ends, those for its first recorded step.
        """
        lead = self.wait + self.warmup
        saved = self.wait if self.skip_first_wait else 0
        if self.active >= UNTIL_THE_END:
            return self.skip_first + lead + 1 - saved
        return self.skip_first + max(self.repeat, 1) * (lead + self.active) - saved

    def to_dict(self) -> dict[str, int]:
        """The parameters after correction, by the names of torch_npu's arguments."""
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
    """Select the steps to record, in cycles of waiting, warming up and recording.

    :param wait: number of steps per cycle without the profiler
    :param warmup: number of steps per cycle in which the profiler runs and discards its data
    :param active: number of recorded steps per cycle
    :param repeat: number of cycles; 0 repeats until training ends. Each cycle writes a directory of its own
    :param skip_first: number of steps before the first cycle
    :param skip_first_wait: if it is not 0, the first cycle does not wait
    :param warm_up: spelling of `warmup` in older versions of MindSpore

    Invalid values are corrected with a warning: numbers below 0 become 0, and `active` is at least 1.
    """
    if warm_up is not None and warmup is not None and warm_up != warmup:
        warn(
            localized(
                f"schedule: warmup is {warmup} and warm_up is {warm_up}; warmup is used",
                f"schedule：warmup 为 {warmup}，warm_up 为 {warm_up}；使用 warmup",
            )
        )
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
    """The action that a schedule, or any function, gives for a step. Without a schedule, everything is recorded."""
    if plan is None:
        return int(ProfilerAction.RECORD)
    said = plan(step)
    return int(getattr(said, "value", said))
