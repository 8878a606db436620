"""`profile`: record some steps of a training loop."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Callable, Optional, Union

from npuscope import backends, ending
from npuscope import rank as ranks
from npuscope.analysis import analyse
from npuscope.backends.base import Backend, Context, ForeignProfiler
from npuscope.guard import Guarded, describe, guarded, warn
from npuscope.profiler.driver import Driver
from npuscope.profiler.enums import ProfilerAction
from npuscope.profiler.handler import TraceHandler, handler_of
from npuscope.profiler.metadata import KeepsMetadata
from npuscope.profiler.scheduling import Schedule
from npuscope.profiler.settings import Settings
from npuscope.profiler.torch_methods import TorchMethods

__all__ = ["analyse", "profile"]

#: Bytes a rank may write in a cycle before detail is dropped: stacks, then shapes, then operators.
DEFAULT_BUDGET = 1 << 30


class profile(KeepsMetadata, TorchMethods):  # noqa: N801 - torch_npu's and MindSpore's name
    """Record some steps of a training loop.

    >>> with profile(schedule=schedule(wait=1, warmup=1, active=2, repeat=1),
    ...              on_trace_ready=tensorboard_trace_handler("./result")) as prof:
    ...     for batch in batches:
    ...         train(batch)
    ...         prof.step()

    :param activities: where to look, a list of `ProfilerActivity`; default: host and device
    :param schedule: which steps to record; default: all, unmarked, from start to stop
    :param on_trace_ready: called with this object after each recorded cycle; see `tensorboard_trace_handler`
    :param record_shapes: shapes of operators' inputs
    :param profile_memory: allocations
    :param with_stack: calls of Python functions
    :param with_modules: the same, for the hierarchy of modules
    :param with_flops: floating point operations of operators
    :param experimental_config: how deep to look, and the form to write; see `_ExperimentalConfig`
    :param backend: who records, one of `npuscope.backends.NAMES`; default: the best of what this process has
    :param output: directory under which each cycle makes one of its own, where `on_trace_ready` names none
    :param rank: which rank this is; default: from the launcher's environment or the framework
    :param budget: bytes a rank may write in a cycle; beyond, detail is dropped, and the metadata says which
    :param spool: fast local directory to record into before moving the files to `output`

    Nothing here raises. What makes no sense is repaired with a warning; what fails is reported in one line on standard
    error, switches profiling off, and training goes on.
    """

    #: How the names of directories end: `pt`, or `ms` where MindSpore's interface is used.
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
                warn(f"schedule is {schedule!r}, which cannot be called; everything from start to stop is recorded")
                schedule = None
            self._prepare(settings, schedule, handler_of(on_trace_ready), backend, output, rank, budget, spool)
            if others.get("custom_trace_id_callback") is not None:
                self.set_custom_trace_id_callback(others["custom_trace_id_callback"])
            if others.get("start_profile"):
                self.start()
        except Exception as error:  # noqa: BLE001
            self._give_up(f"profile() failed: {describe(error)}")

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
        """Of what a file, flags or the environment ask for. Does nothing on ranks that were not asked for."""
        made = cls.__new__(cls)
        Guarded.__init__(made)
        made._prepare(settings, None, None, None, None, None, DEFAULT_BUDGET, None)
        try:
            # Whatever there is to say about the schedule, the reader of the settings has said.
            plan = Schedule(quiet=True, **settings.schedule) if settings.schedule is not None else None
            asked = settings.analyse
            handler = TraceHandler(None, None, asked != "off", asked == "async")
            made._prepare(settings, plan, handler, backend, output or settings.output or None, rank, budget, spool)
            made._total_steps = total_steps
            made._suffix = suffix
        except Exception as error:  # noqa: BLE001
            made._give_up(f"profile() failed: {describe(error)}")
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
        """Whether this is between `start` and `stop`, on a rank that was asked for."""
        return not self._silent and self._running is not None

    @property
    def is_recording(self) -> bool:
        """Whether this step is recorded; True between `start` and `stop` where a framework's profiler knows alone."""
        running = self._running
        if self._silent or running is None:
            return False
        return not isinstance(running, Driver) or running.action >= ProfilerAction.RECORD

    @guarded
    def start(self) -> None:
        """Begin with step 0 of the schedule."""
        if self._running is not None:
            warn("start() was called on a profiler that is running; it is ignored")
            return
        self._started = True
        rank = ranks.rank() if self._rank is None else self._rank
        if not self._settings.enabled or not self._settings.wants_rank(rank):
            return
        if self._settings.is_unsure_of(rank, ranks.world_size()):
            warn("nobody says which rank this is, and only some are to be recorded; it is taken for rank 0. Set RANK")
        self._trace_id = self._new_trace_id()
        self._running = self._make(rank)
        self._foreign = self._running if isinstance(self._running, ForeignProfiler) else None
        self._running.start()
        ending.begins(self)

    @guarded
    def step(self) -> None:
        """A step of training has ended; the next begins."""
        if self._running is not None:
            self._running.step()
        else:
            self._never_started("step")

    @guarded
    def stop(self) -> None:
        """Record no more, and write what is left to write. Waits for the analysis, where that was asked for."""
        self.stop_recording()
        self.wait()

    @guarded
    def stop_recording(self) -> None:
        """As `stop`, but whatever analysis there is goes on by itself: for the middle of a training loop."""
        running, self._running = self._running, None
        ending.ends(self)
        if running is None:
            self._never_started("stop")
            return
        self._stopping = running
        running.stop()
        self._stopping = None

    @guarded
    def wait(self) -> None:
        """Wait for the analyses of what was recorded, where that was asked for."""
        if self._directories and isinstance(self._handler, TraceHandler):
            self._handler.finish(self._directories)

    def _never_started(self, method: str) -> None:
        rank = ranks.rank() if self._rank is None else self._rank
        if not self._started and self._settings.enabled and self._settings.wants_rank(rank):
            warn(f"{method}() was called, but start() was never; nothing is recorded. `with` around the loop does both")

    @guarded
    def drop_step(self) -> None:
        """The step under way is none: training is over. For callers that know; `stop` can only guess."""
        if isinstance(self._running, Driver):
            self._running.drop_step()

    def _keep(self, key: str, value: Any) -> None:
        self._metadata[key] = value
        if isinstance(self._running, ForeignProfiler):
            self._running.add_metadata_json(key, json.dumps(value))

    def _make(self, rank: Optional[int]) -> Union[Driver, ForeignProfiler]:
        """The backend, chosen only now, when the script has imported what it trains with."""
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
            # Training has failed: whoever looks after the job wants to know now.
            self.stop_recording()


class _KinetoProfile(profile):
    """torch_npu's profiler without a schedule: records from `start` to `stop`, and is then asked for its trace."""

    def __init__(self, **named: Any) -> None:
        for name in ("schedule", "on_trace_ready"):
            if named.pop(name, None) is not None:
                warn(f"_KinetoProfile has no {name}; it is ignored. profile has")
        super().__init__(**named)


def default_output() -> Path:
    """Where to write when nobody says: as torch_npu, under ASCEND_WORK_PATH if that is set."""
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
    from npuscope.backends.native import NativeBackend

    return NativeBackend
