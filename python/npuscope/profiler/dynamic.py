"""`DynamicProfilerMonitor`: profile a running job by editing a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional, Union

from npuscope import ending
from npuscope import rank as ranks
from npuscope.guard import Guarded, describe, guarded, warn
from npuscope.profiler.dynamic_control import Beginning, Command, DynamicControl
from npuscope.profiler.profiler import DEFAULT_BUDGET, profile


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
    :param style: whose keys the file has that is written if there is none, `mindspore` or `torch_npu`

    The file is MindSpore's (`start_step`, `stop_step`) or torch_npu's (`start_step`, `active`); with both, steps are
    counted from 1. `npuscope dynamic set` writes it, and `npuscope dynamic status` shows what the ranks make of it.
    This may be used as a callback of MindSpore's `Model.train`, too.
    """

    def __init__(
        self,
        cfg_path: Union[str, Path],
        output_path: Union[str, Path] = "./dyn_profile_data",
        poll_interval: float = 2,
        *,
        backend: Optional[str] = None,
        rank: Optional[int] = None,
        budget: int = DEFAULT_BUDGET,
        spool: Union[str, Path, None] = None,
        style: str = "mindspore",
        **_: Any,
    ) -> None:
        super().__init__()
        self._recording: Optional[profile] = None
        self._control: Optional[DynamicControl] = None
        self._directories: list[Path] = []
        self._output = Path(output_path)
        self._named: dict[str, Any] = {"backend": backend, "rank": rank, "budget": budget, "spool": spool}
        try:
            if isinstance(poll_interval, bool) or not isinstance(poll_interval, (int, float)) or not poll_interval > 0:
                warn(f"DynamicProfilerMonitor: poll_interval is {poll_interval!r}, not a number of seconds; 2 is used")
                poll_interval = 2
            this_rank = ranks.rank() or 0 if rank is None else rank
            self._control = DynamicControl(str(cfg_path), this_rank, float(poll_interval), style)
            self._obey(self._control.begin())
            ending.begins(self)
        except Exception as error:  # noqa: BLE001
            self._give_up(f"DynamicProfilerMonitor() failed: {describe(error)}")

    @property
    def directories(self) -> list[Path]:
        """The directories of everything recorded so far."""
        return list(self._directories)

    @guarded
    def start(self) -> None:
        """Nothing: watching begins when this is made. It is there for scripts that call it."""

    @guarded
    def step(self) -> None:
        """A step of training has ended; the next begins."""
        if self._control is None:
            return
        if self._recording is not None:
            self._recording.step()
            if not self._recording.is_running:
                # It has said why itself.
                self._control.failed("recording failed; the rank's standard error says why")
                self._recording = None
        self._obey(self._control.step())

    @guarded
    def stop(self) -> None:
        """Training is over: end what is being recorded, and watch no more."""
        if self._control is not None:
            if self._recording is not None:
                # Here `step` is called when steps end, so what it began last is no step.
                self._recording.drop_step()
            self._obey(self._control.end())
            self._control = None
        ending.ends(self)

    def _obey(self, command: Command) -> None:
        assert self._control is not None
        for text in command.warnings:
            warn(text)
        if command.stops:
            self._end()
        if command.start is not None:
            self._begin(command.start)
        self._control.report(str(self._directories[-1]) if self._directories else None)

    def _begin(self, beginning: Beginning) -> None:
        assert self._control is not None
        asked = beginning.settings.output
        # Where the file names a place, that is where it goes.
        base = self._output if asked in ("", ".", "./") else Path(asked)
        recording = profile.of_settings(beginning.settings, output=base / beginning.directory, **self._named)
        recording.start()
        if recording.is_running:
            self._recording = recording
        else:
            self._control.failed("recording could not be started; the rank's standard error says why")

    def _end(self) -> None:
        recording, self._recording = self._recording, None
        if recording is not None:
            recording.stop()
            self._directories.extend(recording.directories)

    def _abandon(self) -> None:
        ending.ends(self)
        self._end()

    # MindSpore's callbacks, by their newer and older names. A step is told of when it ends.

    def on_train_step_begin(self, run_context: Any) -> None:
        """Nothing happens before a step."""

    def on_train_step_end(self, run_context: Any) -> None:
        """A step of `Model.train` has ended."""
        self.step()

    def on_train_end(self, run_context: Any) -> None:
        """`Model.train` has ended."""
        self.stop()

    step_begin, step_end, end = on_train_step_begin, on_train_step_end, on_train_end

    def __enter__(self) -> DynamicProfilerMonitor:
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()
