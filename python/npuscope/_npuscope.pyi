"""The compiled part: the recorder's fast path, and what the package asks of the readers of settings."""

from typing import Any

__version__: str

#: torch's number for what a user has marked.
USER_SCOPE: int

def range_start(message: str, stream: Any = None, domain: str = "default") -> int:
    """Begin a range and answer its number, 0 when nothing is recording."""

def range_end(range_id: int, domain: str = "default") -> None:
    """End a range; 0 and numbers of ranges that are not open do nothing."""

def mark(message: str, stream: Any = None, domain: str = "default") -> None:
    """Mark a moment."""

def counter(name: str, value: float) -> None:
    """A counter has this value from now on."""

def gc_callback(phase: str, info: dict[str, int]) -> None:
    """For `gc.callbacks`."""

def now() -> int:
    """The recorder's clock, as its records count."""

def directory_name(worker: str | None, suffix: str) -> str:
    """A name for a new directory: `{worker}_{pid}_{time}_ascend_{suffix}`, with suffix `pt` or `ms`."""

class Recorder:
    """Records into a directory; `info_json` is what profiler_info is to say besides the clocks and the rank.

    One records at a time in a process; what fails after `start` does not raise, but is its `problem`.
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
        """Write what is left; answers the part `npuscope` of the metadata as JSON."""

    @property
    def is_recording(self) -> bool: ...
    @property
    def problem(self) -> str | None:
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
        """An operator that ran, by the clock of `now`."""

    def memory(
        self, address: int, size: int, total_allocated: int, total_reserved: int, *, device: int | None = None
    ) -> None:
        """An allocation, or a release where the size is negative, on the host or on a device."""

    def write_metadata(self, metadata_json: str, backend: str = "native") -> None:
        """Write profiler_metadata.json: what is given, and what came of the recording."""

    @property
    def directory(self) -> str: ...

class Schedule:
    """Which steps to record; parameters that make no sense are repaired, and `warnings` says how."""

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
        """0 nothing, 1 warm up, 2 record, 3 record and save."""

    def values(self) -> tuple[int, int, int, int, int, bool]:
        """The six numbers, as they are used."""

    def too_few_steps(self, total: int) -> str | None:
        """What is wrong if training has so many steps."""

def transition(previous: int, current: int | None) -> tuple[list[str], str | None]:
    """The calls that lead from one action to the next, None being the end, and a warning."""

def read_config(
    text: str,
    dialect: str | None = None,
    iteration: int = 0,
    total_steps: int | None = None,
    world_size: int | None = None,
) -> str:
    """Settings in any dialect as JSON: `config`, `diagnostics` and `dialect`."""

def read_flags(
    argv: list[str], iteration: int = 0, total_steps: int | None = None, world_size: int | None = None
) -> str:
    """Flags among any others, as JSON: `config`, `diagnostics` and `dialect`."""

class Dynamic:
    """The file of one rank, and what it asks for between steps.

    Each answer is JSON of `stop`, `start`, `warnings` and `problem`.
    """

    def __init__(self, path: str, rank: int, poll_seconds: float = 2.0, finished: int = 0) -> None: ...
    def begin(self) -> str:
        """Before the first step."""

    def step(self) -> str:
        """After each step."""

    def end(self) -> str:
        """When training is over."""

    def failed(self, problem: str) -> None:
        """What was asked for could not be done."""

    def report(self, output: str | None = None) -> str | None:
        """Say how it stands, for `npuscope dynamic status`; why that failed, if it did."""

def write_default(path: str, dialect: str = "mindspore") -> bool:
    """Write a file to begin with, in the dialect `mindspore` or `torch_npu`, unless there is one: whether it was."""

class Cann:
    """CANN's libraries. Raises where they are not."""

    def __init__(self, directories: list[str] = ...) -> None: ...
    def start(self, config_json: str, directory: str, device: int = 0, warmup: bool = False) -> list[str]:
        """Record a device into a directory, or warm up to that; what is not as asked for."""

    def stop(self) -> None:
        """End the recording and complete its files."""
