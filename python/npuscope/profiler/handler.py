"""What happens when a cycle has been recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional, Union

from npuscope import analysis
from npuscope.guard import warn

#: torch_npu's bound: host names, process ids and times are added, and a file name ends at 255.
_LONGEST_WORKER_NAME = 225


class TraceHandler:
    """Says where a profiler writes and what becomes of it. Made by `tensorboard_trace_handler`."""

    def __init__(
        self, dir_name: Optional[str], worker_name: Optional[str], analyse_flag: bool, async_mode: bool
    ) -> None:
        self.dir_name = dir_name
        self.worker_name = worker_name
        self.analyse_flag = analyse_flag
        self.async_mode = async_mode

    def __call__(self, prof: Any) -> None:
        """Start analysing the directory that `prof` has just written. The training process goes on meanwhile."""
        directory = prof.directory
        if self.analyse_flag and directory is not None:
            analysis.begin(directory)

    def finish(self, directories: list[Path]) -> None:
        """Called when the profiler stops: waits for the analyses, unless they were to go on by themselves."""
        if self.analyse_flag and not self.async_mode:
            analysis.wait(directories)


def tensorboard_trace_handler(
    dir_name: Any = None, worker_name: Optional[str] = None, analyse_flag: bool = True, async_mode: bool = False
) -> TraceHandler:
    """An `on_trace_ready` that writes into `dir_name` and analyses what was written.

    :param dir_name: directory under which each cycle makes one of its own
    :param worker_name: first part of the names of those directories; default: the host's name
    :param analyse_flag: analyse, in another process, as soon as a cycle has been recorded
    :param async_mode: let `stop` return before the analyses have ended

    It may be given to `profile` without calling it, as in older MindSpore.
    """
    if hasattr(dir_name, "directory") and hasattr(dir_name, "step"):
        # Called by a profiler of somebody else's making that was given the function itself.
        handler = TraceHandler(None, None, True, False)
        handler(dir_name)
        return handler
    if dir_name is not None and not isinstance(dir_name, (str, Path)):
        warn(f"tensorboard_trace_handler: dir_name is {dir_name!r}, which is not a path; the default is used")
        dir_name = None
    if worker_name is not None and not (
        isinstance(worker_name, str)
        and 0 < len(worker_name) <= _LONGEST_WORKER_NAME
        and not set(worker_name) & set("/\0")
    ):
        warn(
            f"tensorboard_trace_handler: worker_name is {worker_name!r}, which cannot be part of a file's name; "
            "the host's name is used"
        )
        worker_name = None
    return TraceHandler(
        None if dir_name is None else str(dir_name),
        worker_name,
        analyse_flag if isinstance(analyse_flag, bool) else True,
        async_mode if isinstance(async_mode, bool) else False,
    )


#: Older MindSpore's spelling.
tensor_board_trace_handler = tensorboard_trace_handler


def handler_of(asked: Any) -> Union[TraceHandler, Any, None]:
    """The handler that `on_trace_ready` means: one of ours, anybody's function, or none, with a warning."""
    if asked is tensorboard_trace_handler:
        return tensorboard_trace_handler()
    if asked is not None and not callable(asked):
        warn(f"on_trace_ready is {asked!r}, which cannot be called; it is ignored")
        return None
    return asked
