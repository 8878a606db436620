"""`DynamicProfilerMonitor`: profile a running job by editing a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Optional, Union

from npuscope import ending
from npuscope import rank as ranks
from npuscope.guard import Guarded, describe, guarded, warn
from npuscope.profiler.dynamic_control import Beginning, Command, DynamicControl, settings_at_once
from npuscope.profiler.profiler import DEFAULT_BUDGET, profile
from npuscope.profiler.settings import Settings

#: As MindSpore has it.
DEFAULT_OUTPUT = "./dyn_profile_data"


class DynamicProfilerMonitor(Guarded):
    """Record the steps that a file asks for, which may be edited while training runs.

    >>> monitor = DynamicProfilerMonitor(cfg_path="./cfg_path", output_path="./output_path")
    >>> for batch in batches:
    ...     train(batch)
    ...     monitor.step()

    :param cfg_path: the directory of `profiler_config.json`, or such a file. A file that does nothing is written if
        there is none
    :param output_path: directory under which each collection makes `rank{N}_start{A}_stop{B}`
    :param poll_interval: seconds between looks at the file
    :param backend: as for `profile`, and so `rank`, `budget` and `spool`
    :param dialect: keys of the file that is written if there is none, `mindspore` or `torch_npu`; `style` is its older name

    The file is MindSpore's (`start_step`, `stop_step`) or torch_npu's (`start_step`, `active`); with both, steps are
    counted from 1. `npuscope dynamic set` writes it, and `npuscope dynamic status` shows what the ranks make of it.
    This may be used as a callback of MindSpore's `Model.train`, too, where MindSpore was imported before it is made.
    """

    def __new__(cls, *_: Any, **__: Any) -> DynamicProfilerMonitor:
        """MindSpore takes callbacks of its own class only, and is not imported because of us."""
        made: DynamicProfilerMonitor = super().__new__(_with_base(cls))
        return made

    def __init__(
        self,
        cfg_path: Union[str, Path, None] = None,
        output_path: Union[str, Path, None] = None,
        poll_interval: float = 2,
        *,
        backend: Optional[str] = None,
        rank: Optional[int] = None,
        budget: int = DEFAULT_BUDGET,
        spool: Union[str, Path, None] = None,
        dialect: str = "mindspore",
        style: Optional[str] = None,
        **_: Any,
    ) -> None:
        Guarded.__init__(self)
        self._recording: Optional[profile] = None
        #: Started by `start_now`, and how many steps it still lasts.
        self._at_once: Optional[tuple[profile, int]] = None
        self._control: Optional[DynamicControl] = None
        self._stopped: list[profile] = []
        self._named: dict[str, Any] = {"backend": backend, "rank": rank, "budget": budget, "spool": spool}
        self._output = Path(DEFAULT_OUTPUT)
        try:
            if cfg_path is None:
                raise ValueError("cfg_path is not given, the directory of profiler_config.json")
            self._output = Path(DEFAULT_OUTPUT if output_path is None else output_path)
            if isinstance(poll_interval, bool) or not isinstance(poll_interval, (int, float)) or not poll_interval > 0:
                warn(f"DynamicProfilerMonitor: poll_interval is {poll_interval!r}, not a number of seconds; 2 is used")
                poll_interval = 2
            this_rank = ranks.rank() or 0 if rank is None else rank
            self._control = DynamicControl(str(cfg_path), this_rank, float(poll_interval), style or dialect)
            self._obey(self._control.begin())
            ending.begins(self)
        except Exception as error:  # noqa: BLE001
            self._give_up(f"DynamicProfilerMonitor() failed: {describe(error)}")

    @property
    def directories(self) -> list[Path]:
        """The directories of everything recorded so far."""
        return [directory for recording in self._stopped for directory in recording.directories]

    @property
    def is_recording(self) -> bool:
        """Whether this step is recorded."""
        return not self._silent and (self._recording is not None or self._at_once is not None)

    @guarded
    def start(self) -> None:
        """Nothing: watching begins when this is made. It is there for scripts that call it."""

    @guarded
    def step(self) -> None:
        """A step of training has ended; the next begins."""
        if self._control is None:
            return
        if self._at_once is not None:
            self._step_at_once(*self._at_once)
        if self._recording is not None:
            self._recording.step()
            if not self._recording.is_running:
                # It has said why itself.
                self._control.failed("recording failed; the rank's standard error says why")
                self._recording = None
        self._obey(self._control.step())

    @guarded
    def stop(self) -> None:
        """Training is over: end what is being recorded, and watch no more. Waits for analyses that were asked for."""
        self._stop()
        for recording in self._stopped:
            recording.wait()

    def _stop(self) -> None:
        if self._control is not None:
            for recording in self._under_way():
                # Here `step` is called when steps end, so what it began last is no step.
                recording.drop_step()
            self._obey(self._control.end())
            self._end()
            self._control = None
        ending.ends(self)

    @guarded
    def start_now(self, file: Union[str, Path]) -> None:
        """Record the next steps, as many as a file says, whatever it says about when."""
        if self._control is None or self._under_way():
            warn(f"{file}: something is being recorded, or training is over; it is ignored")
            return
        settings, length = settings_at_once(Path(file), self._control.count + 1)
        recording = profile.of_settings(settings, output=self._place(settings), **self._named)
        if self._started(recording):
            self._at_once = recording, length

    @guarded
    def set_step(self, finished: int) -> None:
        """So many steps have been made, by a run before this one: what the file says is counted from there."""
        if self._control is None or self._under_way():
            warn("steps cannot be counted anew while something is recorded; that is ignored")
            return
        self._obey(self._control.after(finished))

    def _under_way(self) -> list[profile]:
        at_once = [] if self._at_once is None else [self._at_once[0]]
        return at_once + ([] if self._recording is None else [self._recording])

    def _step_at_once(self, recording: profile, left: int) -> None:
        recording.step()
        self._at_once = (recording, left - 1) if left > 1 and recording.is_running else None
        if self._at_once is None:
            self._close(recording)

    def _obey(self, command: Command) -> None:
        assert self._control is not None
        for text in command.warnings:
            warn(text)
        if command.stops and self._recording is not None:
            recording, self._recording = self._recording, None
            self._close(recording)
        self._report()
        # Last: what comes after it would count as a part of the step.
        if command.start is not None:
            self._begin(command.start)

    def _report(self) -> None:
        assert self._control is not None
        directories = self.directories
        self._control.report(str(directories[-1]) if directories else None)

    def _begin(self, beginning: Beginning) -> None:
        assert self._control is not None
        recording = profile.of_settings(
            beginning.settings,
            output=self._place(beginning.settings) / beginning.directory,
            suffix="ms" if beginning.dialect == "mindspore" else "pt",
            **self._named,
        )
        if self._started(recording):
            self._recording = recording
        else:
            self._control.failed("recording could not be started; the rank's standard error says why")
            self._report()

    def _started(self, recording: profile) -> bool:
        recording.start()
        # When the process ends, it is ours to stop.
        ending.ends(recording)
        return recording.is_running

    def _place(self, settings: Settings) -> Path:
        """Where the file names a place, that is where it goes."""
        return self._output if settings.output in ("", ".", "./") else Path(settings.output)

    def _close(self, recording: profile) -> None:
        # Its analysis goes on while training does.
        recording.stop_recording()
        self._stopped.append(recording)

    def _end(self) -> None:
        under_way, self._recording, self._at_once = self._under_way(), None, None
        for recording in under_way:
            self._close(recording)

    def _abandon(self) -> None:
        ending.ends(self)
        self._end()

    # MindSpore's callbacks. A step is reported at its end. The older names `step_end` and `end` are left to MindSpore:
    # evaluation calls them, too, and its steps are not those of training.

    def on_train_step_begin(self, run_context: Any) -> None:
        """Nothing happens before a step."""

    def on_train_step_end(self, run_context: Any) -> None:
        """A step of `Model.train` has ended."""
        self.step()

    def on_train_end(self, run_context: Any) -> None:
        """`Model.train` has ended."""
        self.stop()

    def __enter__(self) -> DynamicProfilerMonitor:
        return self

    def __exit__(self, kind: object = None, *_: object) -> None:
        if kind is None:
            self.stop()
        else:
            self._stop_at_once()

    @guarded
    def _stop_at_once(self) -> None:
        """Training has failed: nobody waits for analyses."""
        self._stop()


def _with_base(cls: type) -> Any:
    """The class, or one that is MindSpore's `Callback`, too, where MindSpore is imported."""
    callback: Any = getattr(sys.modules.get("mindspore.train"), "Callback", None)
    if not isinstance(callback, type) or issubclass(cls, callback):
        return cls
    return type(cls.__name__, (cls, callback), {"__module__": cls.__module__, "__doc__": cls.__doc__})
