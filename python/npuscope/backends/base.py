"""What a backend is: something that records between `start` and `stop` into a directory of its own."""

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
    """What a backend gets when it is made."""

    settings: Settings
    #: None where nobody says which rank this is.
    rank: Optional[int]
    #: First part of the directory's name; None for the host's name.
    worker: Optional[str]
    #: Bytes a rank may write in a cycle.
    budget: int
    #: Fast local directory to write to before moving the files to where they belong, or None.
    spool: Optional[str]
    #: How a directory's name ends: `pt`, or `ms` where MindSpore's interface was used to ask for it.
    suffix: str = "pt"


class Backend(abc.ABC):
    """Recording by ourselves: the calls are those that the transitions of the schedule ask for, in their order."""

    name: str

    def __init__(self, context: Context) -> None:
        self.context = context
        self.settings = context.settings

    @abc.abstractmethod
    def init(self, directory: Path, info: dict[str, Any]) -> None:
        """Prepare to record into `directory`; `info` is the part `config` of profiler_info."""

    def warmup(self) -> None:  # noqa: B027 - a backend without a warmup has nothing to override
        """Make everything ready, so that `start` costs little. What happens meanwhile is not kept."""

    @abc.abstractmethod
    def start(self) -> None:
        """Record from now on."""

    @abc.abstractmethod
    def stop(self) -> None:
        """Record no more. What was hooked is unhooked."""

    @abc.abstractmethod
    def finalize(self, metadata: dict[str, Any]) -> None:
        """Write what is left to write, `metadata` among it."""

    @abc.abstractmethod
    def delete(self) -> None:
        """Remove the directory: nothing was recorded."""

    @abc.abstractmethod
    def open_step(self, name: str) -> None:
        """A step begins."""

    @abc.abstractmethod
    def close_step(self) -> None:
        """The step ends."""

    @abc.abstractmethod
    def drop_step(self) -> None:
        """There was no such step: training had ended."""

    @abc.abstractmethod
    def abandon(self) -> None:
        """Something failed: unhook, whatever state this is in."""

    @property
    def problem(self) -> Optional[str]:
        """What failed behind the back of the training loop, such as a full disk."""
        return None


class ForeignProfiler:
    """A framework's own profiler, configured by our settings. It has its own schedule, directories and markers.

    While it runs, the functions of `npuscope.mstx` are the framework's.
    """

    name: str

    def __init__(self, profiler: Any, marks: Any) -> None:
        """`marks` has `mark`, `range_start` and `range_end`; None in versions without them."""
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
        """Metadata of one key; `text` is JSON."""
        self._profiler.add_metadata_json(key, text)

    def abandon(self) -> None:
        """Give back what was taken over, also when something failed."""
        if self._give_back is not None:
            self._give_back()
            self._give_back = None

    def method(self, name: str) -> Optional[Callable[..., Any]]:
        """A method of theirs that this version has; None where it has not."""
        found = getattr(self._profiler, name, None)
        return found if callable(found) else None
