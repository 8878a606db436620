"""`DynamicProfilerMonitor`: record steps of a running job by editing a control file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Optional, Union

from npuscope import ending
from npuscope import rank as ranks
from npuscope.guard import Guarded, describe, guarded, warn
from npuscope.language import localized
from npuscope.profiler.dynamic_control import Beginning, Command, DynamicControl, settings_at_once
from npuscope.profiler.profiler import DEFAULT_BUDGET, profile
from npuscope.profiler.settings import Settings

#: The default of MindSpore.
DEFAULT_OUTPUT = "./dyn_profile_data"


class DynamicProfilerMonitor(Guarded):
    """Record the steps that a control file selects; the file can be edited while training runs.

    >>> monitor = DynamicProfilerMonitor(cfg_path="./cfg_path", output_path="./output_path")
    >>> for batch in batches:
    ...     train(batch)
    ...     monitor.step()

    :param cfg_path: directory of `profiler_config.json`, or the path of the file. If the file is missing, one that
        records nothing is written
    :param output_path: directory for the recordings; each has a directory `rank{N}_start{A}_stop{B}`
    :param poll_interval: seconds between checks of the file
    :param backend: as in `profile`, like `rank`, `budget` and `spool`
    :param dialect: keys of the file that is written if it is missing, those of `mindspore` or `torch_npu`; `style` is
        its older name

    The file has the keys of MindSpore (`start_step`, `stop_step`) or torch_npu (`start_step`, `active`). Steps count
    from 1. `npuscope dynamic set` writes the file, and `npuscope dynamic status` shows the progress of the ranks. The
    monitor is also a callback for MindSpore's `Model.train`, if MindSpore is imported before the monitor is created.
    """

    def __new__(cls, *_: Any, **__: Any) -> DynamicProfilerMonitor:
        """MindSpore accepts only callbacks of its own class, and this module does not import MindSpore."""
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
        #: The recording that `start_now` started, and its remaining steps.
        self._at_once: Optional[tuple[profile, int]] = None
        self._control: Optional[DynamicControl] = None
        self._stopped: list[profile] = []
        self._named: dict[str, Any] = {"backend": backend, "rank": rank, "budget": budget, "spool": spool}
        self._output = Path(DEFAULT_OUTPUT)
        try:
            if cfg_path is None:
                raise ValueError(
                    localized(
                        "cfg_path is missing; set it to the directory of profiler_config.json",
                        "缺少 cfg_path；请设为 profiler_config.json 所在的目录",
                    )
                )
            self._output = Path(DEFAULT_OUTPUT if output_path is None else output_path)
            if isinstance(poll_interval, bool) or not isinstance(poll_interval, (int, float)) or not poll_interval > 0:
                warn(
                    localized(
                        f"poll_interval is {poll_interval!r}, expected a positive number of seconds; 2 is used",
                        f"poll_interval 为 {poll_interval!r}，应为正的秒数；使用 2",
                    )
                )
                poll_interval = 2
            this_rank = ranks.rank() or 0 if rank is None else rank
            self._control = DynamicControl(str(cfg_path), this_rank, float(poll_interval), style or dialect)
            self._obey(self._control.begin())
            ending.begins(self)
        except Exception as error:  # noqa: BLE001
            why = describe(error)
            self._give_up(localized(f"DynamicProfilerMonitor() failed: {why}", f"DynamicProfilerMonitor() 失败：{why}"))

    @property
    def directories(self) -> list[Path]:
        """The directories of all recordings so far."""
        return [directory for recording in self._stopped for directory in recording.directories]

    @property
    def is_recording(self) -> bool:
        """Whether this step is recorded."""
        return not self._silent and (self._recording is not None or self._at_once is not None)

    @guarded
    def start(self) -> None:
        """Does nothing: the monitor watches the file from its creation. Scripts for other profilers call this."""

    @guarded
    def step(self) -> None:
        """Call this after each training step."""
        if self._control is None:
            return
        if self._at_once is not None:
            self._step_at_once(*self._at_once)
        if self._recording is not None:
            self._recording.step()
            if not self._recording.is_running:
                # It has reported the reason itself.
                self._control.failed(
                    localized(
                        "recording failed; see the standard error of the rank", "采集失败；请查看该 rank 的标准错误输出"
                    )
                )
                self._recording = None
        self._obey(self._control.step())

    @guarded
    def stop(self) -> None:
        """Call this after training: completes the recording and stops watching. Waits for parsing, if it is enabled."""
        self._stop()
        for recording in self._stopped:
            recording.wait()

    def _stop(self) -> None:
        if self._control is not None:
            for recording in self._under_way():
                # `step` is called when steps end, so the step that it opened last is no step.
                recording.drop_step()
            self._obey(self._control.end())
            self._end()
            self._control = None
        ending.ends(self)

    @guarded
    def start_now(self, file: Union[str, Path]) -> None:
        """Record the next steps. The file gives their number; its first step is ignored."""
        if self._control is None or self._under_way():
            warn(
                localized(
                    f"{file} is ignored: a recording is running, or training is over",
                    f"已忽略 {file}：正在采集，或训练已结束",
                )
            )
            return
        settings, length = settings_at_once(Path(file), self._control.count + 1)
        recording = profile.of_settings(settings, output=self._place(settings), **self._named)
        if self._started(recording):
            self._at_once = recording, length

    @guarded
    def set_step(self, finished: int) -> None:
        """Set the number of steps before the checkpoint that training resumes from; the file counts those, too."""
        if self._control is None or self._under_way():
            warn(
                localized(
                    "the step number cannot be changed while a recording is running; the call is ignored",
                    "采集期间不能更改 step 编号；已忽略该调用",
                )
            )
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
        # Last, because anything after it would be part of the step.
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
            self._control.failed(
                localized(
                    "recording could not be started; see the standard error of the rank",
                    "无法开始采集；请查看该 rank 的标准错误输出",
                )
            )
            self._report()

    def _started(self, recording: profile) -> bool:
        recording.start()
        # The monitor stops it when the process ends.
        ending.ends(recording)
        return recording.is_running

    def _place(self, settings: Settings) -> Path:
        """The output directory: that of the file, if it names one."""
        return self._output if settings.output in ("", ".", "./") else Path(settings.output)

    def _close(self, recording: profile) -> None:
        # Parsing continues while training does.
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
        """Does nothing."""

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
        """Stop without waiting for parsing: training has failed."""
        self._stop()


def _with_base(cls: type) -> Any:
    """The class, or a subclass that is also MindSpore's `Callback`, if MindSpore is imported."""
    callback: Any = getattr(sys.modules.get("mindspore.train"), "Callback", None)
    if not isinstance(callback, type) or issubclass(cls, callback):
        return cls
    return type(cls.__name__, (cls, callback), {"__module__": cls.__module__, "__doc__": cls.__doc__})
