"""`profile`: record some steps of a training loop."""

from __future__ import annotations

import atexit
import json
import os
import shutil
from pathlib import Path
from typing import Any, Callable, Optional, Union

from npuscope import backends, ending
from npuscope import rank as ranks
from npuscope.analysis import analyse, cancel
from npuscope.backends.base import Backend, Context, ForeignProfiler
from npuscope.guard import Guarded, describe, guarded, warn
from npuscope.language import localized
from npuscope.profiler import unsupported
from npuscope.profiler.driver import Driver
from npuscope.profiler.enums import ProfilerAction
from npuscope.profiler.handler import TraceHandler, handler_of
from npuscope.profiler.metadata import KeepsMetadata
from npuscope.profiler.scheduling import Schedule
from npuscope.profiler.settings import Settings
from npuscope.profiler.torch_methods import TorchMethods

__all__ = ["analyse", "profile"]

#: Called with each profiler that starts, before it does.
observers: list[Callable[[Any], None]] = []

#: The number of bytes that a rank may write in a cycle before detail is dropped: stacks, then shapes, then operators.
DEFAULT_BUDGET = 1 << 30


class profile(KeepsMetadata, TorchMethods):  # noqa: N801 - torch_npu's and MindSpore's name
    """Record some steps of a training loop.

    >>> with profile(schedule=schedule(wait=1, warmup=1, active=2, repeat=1),
    ...              on_trace_ready=tensorboard_trace_handler("./result")) as prof:
    ...     for batch in batches:
    ...         train(batch)
    ...         prof.step()

    :param activities: list of `ProfilerActivity`: the host, the device or both; default: both
    :param schedule: steps to record; default: everything from `start` to `stop`, without step markers
    :param on_trace_ready: called with this object after each recorded cycle; see `tensorboard_trace_handler`
    :param record_shapes: record the input shapes of operators
    :param profile_memory: record allocations
    :param with_stack: record calls of Python functions
    :param with_modules: record the module hierarchy (nn.Module calls)
    :param with_flops: record floating-point operations of operators
    :param experimental_config: level of detail, metrics and format; see `_ExperimentalConfig`
    :param backend: one of `npuscope.backends.NAMES`; default: the best available one
    :param output: directory for the recordings, if `on_trace_ready` names none; each cycle has a directory of its own
    :param rank: rank of this process; default: from the launcher's environment or the framework
    :param budget: number of bytes that a rank may write in a cycle; if it is exceeded, detail is dropped, and the
        metadata lists what was dropped
    :param spool: fast local directory to record into; the files are moved to `output` at the end

    No method raises. Invalid values are corrected with a warning. A failure is reported in one line on standard error
    and switches profiling off; training continues.
    """

    #: The suffix of directory names: `pt`, or `ms` if MindSpore's interface is used.
    _suffix = "pt"

    def __init__(
        self,
        activities: Any = None,
        schedule: Optional[Callable[[int], Any]] = None,
        on_trace_ready: Optional[Callable[..., Any]] = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        with_flops: bool = False,
        experimental_config: Any = None,
        *,
        backend: Optional[str] = None,
        output: Union[str, Path, None] = None,
        rank: Optional[int] = None,
        budget: int = DEFAULT_BUDGET,
        spool: Union[str, Path, None] = None,
        **others: Any,
    ) -> None:
        super().__init__()
        self._prepare(Settings(), None, None, None, None, None, DEFAULT_BUDGET, None)
        try:
            settings = Settings.from_arguments(
                activities,
                record_shapes,
                profile_memory,
                with_stack,
                with_modules,
                with_flops,
                experimental_config,
                others,
            )
            if schedule is not None and not callable(schedule):
                warn(
                    localized(
                        f"schedule is {schedule!r}, expected a function; everything from start to stop is recorded",
                        f"schedule 为 {schedule!r}，应为函数；采集从 start 到 stop 的全部内容",
                    )
                )
                schedule = None
            self._prepare(settings, schedule, handler_of(on_trace_ready), backend, output, rank, budget, spool)
            if others.get("custom_trace_id_callback") is not None:
                self.set_custom_trace_id_callback(others["custom_trace_id_callback"])
            if others.get("start_profile"):
                self.start()
        except Exception as error:  # noqa: BLE001
            self._give_up(localized(f"profile() failed: {describe(error)}", f"profile() 失败：{describe(error)}"))

    @classmethod
    def of_settings(
        cls,
        settings: Settings,
        *,
        backend: Optional[str] = None,
        rank: Optional[int] = None,
        output: Union[str, Path, None] = None,
        total_steps: Optional[int] = None,
        budget: int = DEFAULT_BUDGET,
        spool: Union[str, Path, None] = None,
        suffix: str = "pt",
    ) -> profile:
        """A profiler with the settings of a file, flags or the environment. It does nothing on excluded ranks."""
        made = cls.__new__(cls)
        Guarded.__init__(made)
        made._prepare(settings, None, None, None, None, None, DEFAULT_BUDGET, None)
        try:
            # The reader of the settings has already reported diagnostics of the schedule.
            plan = Schedule(quiet=True, **settings.schedule) if settings.schedule is not None else None
            asked = settings.analyse
            handler = TraceHandler(None, None, asked != "off", asked == "async")
            made._prepare(settings, plan, handler, backend, output or settings.output or None, rank, budget, spool)
            made._total_steps = total_steps
            made._suffix = suffix
        except Exception as error:  # noqa: BLE001
            made._give_up(localized(f"profile() failed: {describe(error)}", f"profile() 失败：{describe(error)}"))
        return made

    def _prepare(
        self,
        settings: Settings,
        plan: Optional[Callable[[int], Any]],
        handler: Any,
        backend: Optional[str],
        output: Union[str, Path, None],
        rank: Optional[int],
        budget: int,
        spool: Union[str, Path, None],
    ) -> None:
        self._settings = settings
        self._plan = plan
        self._handler = handler
        self._backend_name = backend
        self._output = output
        self._rank = rank
        self._budget = budget
        self._spool = spool
        self._total_steps: Optional[int] = None
        self._metadata: dict[str, Any] = dict(settings.metadata)
        self._running: Union[Driver, ForeignProfiler, None] = None
        self._stopping: Union[Driver, ForeignProfiler, None] = None
        self._started = False
        #: Whether the end of the process reports that `start` was never called.
        self._asks_for_start = False
        self._is_quiet = False
        #: Steps that have ended since `start`.
        self._steps = 0
        self._directories: list[Path] = []

    @property
    def directory(self) -> Optional[Path]:
        """The directory of the cycle recorded last, or None."""
        return self._directories[-1] if self._directories else None

    @property
    def directories(self) -> list[Path]:
        """The directories of all cycles recorded so far."""
        return list(self._directories)

    @property
    def is_running(self) -> bool:
        """Whether this is between `start` and `stop`, on a selected rank."""
        return not self._silent and self._running is not None

    @property
    def is_recording(self) -> bool:
        """Whether this step is recorded. Always True between `start` and `stop` if a framework's profiler records."""
        running = self._running
        if self._silent or running is None:
            return False
        return not isinstance(running, Driver) or running.action >= ProfilerAction.RECORD

    @guarded
    def start(self) -> None:
        """Start with step 0 of the schedule."""
        if self._running is not None:
            warn(
                localized(
                    "start() was called on a running profiler; the call is ignored",
                    "profiler 正在运行时调用了 start()；已忽略该调用",
                )
            )
            return
        self._started = True
        self._steps = 0
        rank = ranks.rank() if self._rank is None else self._rank
        if not self._settings.enabled or not self._settings.wants_rank(rank):
            return
        for observer in observers:
            observer(self)
        if self._settings.is_unsure_of(rank, ranks.world_size()):
            warn(
                localized(
                    "the rank of this process is unknown, and only some ranks are recorded; rank 0 is assumed. "
                    "Set RANK",
                    "当前进程的 rank 未知，而只采集部分 rank；按 rank 0 处理。请设置 RANK",
                )
            )
        self._trace_id = self._new_trace_id()
        self._running = self._make(rank)
        self._foreign = self._running if isinstance(self._running, ForeignProfiler) else None
        self._running.start()
        ending.begins(self)

    @guarded
    def step(self) -> None:
        """Call this after each training step."""
        if self._running is not None:
            self._steps += 1
            self._running.step()
        elif not self._started and not self._asks_for_start:
            # It may follow: scripts call `start` in the first step that they record.
            self._asks_for_start = True
            atexit.register(self._never_started, "step")

    @guarded
    def stop(self) -> None:
        """Stop recording and write the last files. Waits for parsing, if it is enabled."""
        self.stop_recording()
        self.wait()

    @guarded
    def stop_recording(self) -> None:
        """Like `stop`, but does not wait for parsing: for use within a training loop."""
        running, self._running = self._running, None
        ending.ends(self)
        if running is None:
            self._never_started("stop")
            return
        self._stopping = running
        running.stop()
        self._stopping = None
        self._report_missed_steps(running)

    @guarded
    def interrupt(self) -> None:
        """Like `stop_recording`, where training goes on: steps that are missing are no mistake."""
        self._is_quiet = True
        if isinstance(self._running, Driver):
            self._running.is_quiet = True
        self.stop_recording()

    @guarded
    def discard(self) -> None:
        """Stop, and remove what was recorded."""
        running, self._running = self._running, None
        ending.ends(self)
        if isinstance(running, Driver):
            running.backend.abandon()
            if running.directory is not None and running.action:
                running.backend.delete()
        elif running is not None:
            running.stop()
        cancel(self._directories)
        for directory in self._directories:
            shutil.rmtree(directory, ignore_errors=True)
        self._directories = []

    def _report_missed_steps(self, ended: Union[Driver, ForeignProfiler]) -> None:
        """Warn if training made fewer steps than the schedule needs, with both numbers."""
        plan, made = self._plan, ended.count if isinstance(ended, Driver) else self._steps
        if self._is_quiet or not isinstance(plan, Schedule) or made >= plan.needed_steps:
            return
        needed = plan.needed_steps
        formula = "repeat * (wait + warmup + active) + skip_first"
        if self._directories or not isinstance(ended, Driver):
            outcome = localized("the recording is incomplete", "采集的数据不完整")
        else:
            outcome = localized("nothing was recorded", "未采集到数据")
        warn(
            localized(
                f"the schedule needs {needed} steps ({formula}), and training made {made}; {outcome}",
                f"schedule 需要 {needed} 个 step（{formula}），而训练只有 {made} 个 step；{outcome}",
            )
        )

    @guarded
    def wait(self) -> None:
        """Wait until the recordings are parsed, if parsing is enabled."""
        if self._directories and isinstance(self._handler, TraceHandler):
            self._handler.finish(self._directories)

    @guarded
    def _never_started(self, method: str) -> None:
        rank = ranks.rank() if self._rank is None else self._rank
        if not self._started and self._settings.enabled and self._settings.wants_rank(rank):
            warn(
                localized(
                    f"{method}() was called without start(); nothing is recorded. Use `with`, or call start() first",
                    f"调用了 {method}()，但未调用 start()；不采集。请使用 `with`，或先调用 start()",
                )
            )

    @guarded
    def drop_step(self) -> None:
        """Discard the open step because training is over. For callers that know this; `stop` can only guess."""
        if isinstance(self._running, Driver):
            self._running.drop_step()

    def _keep(self, key: str, value: Any) -> None:
        self._metadata[key] = value
        if isinstance(self._running, ForeignProfiler):
            self._running.add_metadata_json(key, json.dumps(value))

    def _make(self, rank: Optional[int]) -> Union[Driver, ForeignProfiler]:
        """The backend, selected only now, when the script has imported its framework."""
        handler_directory = getattr(self._handler, "dir_name", None)
        output = Path(handler_directory or self._output or default_output())
        worker = getattr(self._handler, "worker_name", None)
        context = Context(
            self._settings,
            rank,
            worker,
            self._budget,
            None if self._spool is None else os.fspath(self._spool),
            self._suffix,
        )
        name = backends.choose(self._backend_name)
        unsupported.report(self._settings, name)
        if name in ("torch_npu", "mindspore"):
            foreign: ForeignProfiler = _theirs(name)(context, self._plan, self._handler, str(output))
            for key, value in self._metadata.items():
                foreign.add_metadata_json(key, json.dumps(value))
            return foreign
        backend = _own(name)(context)
        self._metadata["trace_id"] = self._trace_id
        return Driver(
            backend,
            self._plan,
            output,
            self._settings.first_step,
            self._total_steps,
            self._metadata,
            self._ready,
        )

    def _ready(self, directory: Path) -> None:
        self._directories.append(directory)
        if self._handler is not None:
            self._handler(self)

    def _abandon(self) -> None:
        ending.ends(self)
        running = self._running or self._stopping
        self._running = self._stopping = None
        if isinstance(running, Driver):
            running.backend.abandon()
        elif running is not None:
            running.abandon()

    def __enter__(self) -> profile:
        if not self.is_running:
            self.start()
        return self

    def __exit__(self, kind: object = None, *_: object) -> None:
        if kind is None:
            self.stop()
        else:
            # Training has failed: do not delay the error by waiting for parsing.
            self.stop_recording()


class _KinetoProfile(profile):
    """torch_npu's profiler without a schedule: records from `start` to `stop`; export the trace afterwards."""

    def __init__(self, **named: Any) -> None:
        for name in ("schedule", "on_trace_ready"):
            if named.pop(name, None) is not None:
                warn(
                    localized(
                        f"_KinetoProfile does not support {name}, and it is ignored; use profile instead",
                        f"_KinetoProfile 不支持 {name}，已忽略；请改用 profile",
                    )
                )
        super().__init__(**named)


def default_output() -> Path:
    """The default output directory, as in torch_npu: below ASCEND_WORK_PATH if it is set."""
    work = os.environ.get("ASCEND_WORK_PATH")
    return Path(work) / "profiling_data" if work else Path("./profiler_data")


def _theirs(name: str) -> Any:
    if name == "torch_npu":
        from npuscope.backends.torch_npu import TorchNpuProfiler

        return TorchNpuProfiler
    from npuscope.backends.mindspore import MindSporeProfiler

    return MindSporeProfiler


def _own(name: str) -> type[Backend]:
    if name == "torch":
        from npuscope.backends.torch import TorchBackend

        return TorchBackend
    if name == "cann":
        from npuscope.backends.cann import CannBackend

        return CannBackend
    if name == "mindspore_cpu":
        from npuscope.backends.mindspore_cpu import MindSporeCpuBackend

        return MindSporeCpuBackend
    from npuscope.backends.native import NativeBackend

    return NativeBackend
