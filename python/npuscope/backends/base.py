"""The interface of backends: a backend records between `start` and `stop` into a directory of its own."""

from __future__ import annotations

import abc
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Optional

from npuscope import mstx

if TYPE_CHECKING:
    from npuscope.profiler.settings import Settings


@dataclasses.dataclass
class Context:
    """The arguments of a backend."""

    settings: Settings
    #: None if the rank is unknown.
    rank: Optional[int]
    #: First part of the directory's name; None for the host's name.
    worker: Optional[str]
    #: The number of bytes that a rank may write in a cycle.
    budget: int
    #: Fast local directory to write to before the files are moved to their destination, or None.
    spool: Optional[str]
    #: The suffix of directory names: `pt`, or `ms` if MindSpore's interface is used.
    suffix: str = "pt"


class Backend(abc.ABC):
    """A backend that npuscope drives: the transitions of the schedule determine the order of the calls."""

    name: str

    def __init__(self, context: Context) -> None:
        self.context = context
        self.settings = context.settings

    @abc.abstractmethod
    def init(self, directory: Path, info: dict[str, Any]) -> None:
        """Prepare to record into `directory`; `info` is the part `config` of profiler_info."""

    def warmup(self) -> None:  # noqa: B027 - a backend without a warmup has nothing to override
        """Prepare everything, so that `start` costs little. Data of this phase is not kept."""

    @abc.abstractmethod
    def start(self) -> None:
        """Start recording."""

    @abc.abstractmethod
    def stop(self) -> None:
        """Stop recording and remove all hooks."""

    @abc.abstractmethod
    def finalize(self, metadata: dict[str, Any]) -> None:
        """Write the last files, including `metadata`."""

    @abc.abstractmethod
    def delete(self) -> None:
        """Remove the directory: nothing was recorded."""

    @abc.abstractmethod
    def open_step(self, name: str) -> None:
        """Mark the beginning of a step."""

    @abc.abstractmethod
    def close_step(self) -> None:
        """Mark the end of the step."""

    @abc.abstractmethod
    def drop_step(self) -> None:
        """Discard the open step: training had already ended."""

    @abc.abstractmethod
    def abandon(self) -> None:
        """Remove all hooks after a failure, in any state."""

    @property
    def error(self) -> Optional[str]:
        """A failure in the background, such as a full disk, or None."""
        return None


class ForeignProfiler:
    """The profiler of a framework, configured by our settings. It has its own schedule, directories and markers.

    While it runs, the functions of `npuscope.mstx` are those of the framework.
    """

    name: str

    def __init__(self, profiler: Any, marks: Any) -> None:
        """`marks` has `mark`, `range_start` and `range_end`; None for versions without them."""
        self._profiler = profiler
        self._marks = marks
        self._give_back: Optional[Callable[[], None]] = None

    def start(self) -> None:
        self._profiler.start()
        if self._marks is not None:
            self.abandon()
            self._give_back = mstx.forward_to(self._marks)

    def step(self) -> None:
        self._profiler.step()

    def stop(self) -> None:
        self.abandon()
        self._profiler.stop()

    def add_metadata_json(self, key: str, text: str) -> None:
        """Add the metadata of one key; `text` is JSON."""
        self._profiler.add_metadata_json(key, text)

    def abandon(self) -> None:
        """Restore the functions of `npuscope.mstx`, also after a failure."""
        if self._give_back is not None:
            self._give_back()
            self._give_back = None

    def method(self, name: str) -> Optional[Callable[..., Any]]:
        """A method of the framework's profiler; None if this version lacks it."""
        found = getattr(self._profiler, name, None)
        return found if callable(found) else None
