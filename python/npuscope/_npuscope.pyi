"""The compiled part of the package: the fast path of the recorder, and the readers of settings."""

from typing import Any

__version__: str

#: torch's number for ranges of the user.
USER_SCOPE: int

def range_start(message: str, stream: Any = None, domain: str = "default") -> int:
    """Begin a range. Returns its number, 0 when nothing is recording."""

def range_end(range_id: int, domain: str = "default") -> None:
    """End a range. Ignores 0 and ranges that are not open."""

def mark(message: str, stream: Any = None, domain: str = "default") -> None:
    """Mark a moment."""

def counter(name: str, value: float) -> None:
    """Record that a counter has this value from now on."""

def gc_callback(phase: str, info: dict[str, int]) -> None:
    """Record a garbage collection; for `gc.callbacks`."""

def now() -> int:
    """The time on the clock of the recorder."""

def directory_name(worker: str | None, suffix: str) -> str:
    """A name for a new directory: `{worker}_{pid}_{time}_ascend_{suffix}`, with suffix `pt` or `ms`."""

class Recorder:
    """Records into a directory; `info_json` is the content of profiler_info besides the clocks and the rank.

    Only one recorder records in a process at a time. A failure after `start` does not raise; `error` has it.
    """

    def __init__(
        self,
        directory: str,
        *,
        info_json: str = "{}",
        rank: int | None = None,
        python_calls: bool = False,
        resident_memory: bool = True,
        gc_threshold_ms: float | None = None,
        budget_bytes: int = ...,
        memory_bytes: int = ...,
        spool: str | None = None,
        remote_spool: str | None = None,
        domain_include: list[str] = ...,
        domain_exclude: list[str] = ...,
    ) -> None: ...
    def start(self) -> None: ...
    def stop(self) -> str:
        """Write the last records. Returns the part `npuscope` of the metadata as JSON."""

    @property
    def is_recording(self) -> bool: ...
    @property
    def error(self) -> str | None:
        """The first failure, after which nothing is recorded."""

    def op(
        self,
        name: str,
        start: int,
        end: int,
        *,
        scope: int = 0,
        sequence: int = -1,
        input_shapes: str | None = None,
        input_dtypes: str | None = None,
        stack: str | None = None,
    ) -> None:
        """Record an operator, with times by the clock of `now`."""

    def memory(
        self,
        address: int,
        size: int,
        total_allocated: int,
        total_reserved: int,
        *,
        device: int | None = None,
        time: int | None = None,
    ) -> None:
        """Record an allocation, or a release if the size is negative, on the host or on a device; now, or at a time."""

    def write_metadata(self, metadata_json: str, backend: str = "native") -> None:
        """Write profiler_metadata.json: the given metadata and the results of the recording."""

    @property
    def directory(self) -> str: ...

class Schedule:
    """Selects the steps to record. Invalid parameters are corrected; `warnings` has the corrections."""

    def __init__(
        self,
        wait: int = 0,
        warmup: int = 0,
        active: int = 1,
        repeat: int = 0,
        skip_first: int = 0,
        skip_first_wait: int = 0,
    ) -> None: ...
    @property
    def warnings(self) -> list[str]: ...
    def __call__(self, step: int) -> int:
        """The action of a step: 0 nothing, 1 warm up, 2 record, 3 record and save."""

    def values(self) -> tuple[int, int, int, int, int, bool]:
        """The six parameters, after correction."""

    def too_few_steps(self, total: int) -> str | None:
        """A warning if `total` steps are too few for the schedule, else None."""

def transition(previous: int, current: int | None) -> tuple[list[str], str | None]:
    """The calls between one action and the next (None: the end), and a warning or None."""

def read_config(
    text: str,
    dialect: str | None = None,
    iteration: int = 0,
    total_steps: int | None = None,
    world_size: int | None = None,
) -> str:
    """Read settings of any dialect. Returns JSON with `config`, `diagnostics` and `dialect`."""

def read_flags(
    argv: list[str], iteration: int = 0, total_steps: int | None = None, world_size: int | None = None
) -> str:
    """Read profiler flags from a command line. Returns JSON as `read_config` does."""

def is_chinese() -> bool:
    """Whether the locale of the process, by LC_ALL, LC_MESSAGES or LANG, is Chinese."""

class Dynamic:
    """Watches the control file for one rank, and decides between steps what to do.

    Each method returns JSON with `stop`, `start`, `warnings` and `error`.
    """

    def __init__(self, path: str, rank: int, poll_seconds: float = 2.0, finished: int = 0) -> None: ...
    def begin(self) -> str:
        """Before the first step."""

    def step(self) -> str:
        """After each step."""

    def end(self) -> str:
        """When training is over."""

    def failed(self, error: str) -> None:
        """Record that the last request failed."""

    def report(self, output: str | None = None) -> str | None:
        """Write the state of this rank for `npuscope dynamic status`. Returns the error if this fails."""

def write_default(path: str, dialect: str = "mindspore") -> bool:
    """Write a control file in the dialect `mindspore` or `torch_npu`. Returns False if the file exists."""

class Cann:
    """The libraries of CANN. Raises if they are missing."""

    def __init__(self, directories: list[str] = ...) -> None: ...
    def start(self, config_json: str, directory: str, device: int = 0, warmup: bool = False) -> list[str]:
        """Record a device into a directory, or warm up. Returns warnings about settings that CANN does not support."""

    def stop(self) -> None:
        """Stop recording and complete the files."""
