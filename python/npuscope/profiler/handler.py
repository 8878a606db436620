"""Handles a cycle that has been recorded: where it is written, and whether it is parsed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional, Union

from npuscope import analysis
from npuscope.guard import warn
from npuscope.language import localized

#: torch_npu's bound: host names, process ids and times are added, and a file name ends at 255.
_LONGEST_WORKER_NAME = 225


class TraceHandler:
    """The output directory of a profiler, and whether to parse recordings. Made by `tensorboard_trace_handler`."""

    def __init__(
        self, dir_name: Optional[str], worker_name: Optional[str], analyse_flag: bool, async_mode: bool
    ) -> None:
        self.dir_name = dir_name
        self.worker_name = worker_name
        self.analyse_flag = analyse_flag
        self.async_mode = async_mode

    def __call__(self, prof: Any) -> None:
        """Start parsing the directory that `prof` has just written. Training continues meanwhile."""
        directory = prof.directory
        if self.analyse_flag and directory is not None:
            analysis.begin(directory)

    def finish(self, directories: list[Path]) -> None:
        """Called when the profiler stops: waits for parsing, unless `async_mode` is set."""
        if self.analyse_flag and not self.async_mode:
            analysis.wait(directories)


def tensorboard_trace_handler(
    dir_name: Any = None, worker_name: Optional[str] = None, analyse_flag: bool = True, async_mode: bool = False
) -> TraceHandler:
    """Make an `on_trace_ready` that writes recordings to `dir_name` and parses them.

    :param dir_name: directory for the recordings; each cycle has a directory of its own
    :param worker_name: first part of the names of those directories; default: the host name
    :param analyse_flag: parse each cycle, in a separate process, as soon as it is recorded
    :param async_mode: let `stop` return before parsing has finished

    `profile` also accepts the function itself, without a call, as in older versions of MindSpore.
    """
    if hasattr(dir_name, "directory") and hasattr(dir_name, "step"):
        # Called by the profiler of another library that got the function itself.
        handler = TraceHandler(None, None, True, False)
        handler(dir_name)
        return handler
    if dir_name is not None and not isinstance(dir_name, (str, Path)):
        warn(
            localized(
                f"tensorboard_trace_handler: dir_name is {dir_name!r}, expected a path; the default is used",
                f"tensorboard_trace_handler：dir_name 为 {dir_name!r}，应为路径；使用默认值",
            )
        )
        dir_name = None
    if worker_name is not None and not (
        isinstance(worker_name, str)
        and 0 < len(worker_name) <= _LONGEST_WORKER_NAME
        and not set(worker_name) & set("/\0")
    ):
        warn(
            localized(
                f"tensorboard_trace_handler: worker_name is {worker_name!r}, which cannot be part of a file name; "
                "the host name is used",
                f"tensorboard_trace_handler：worker_name 为 {worker_name!r}，不能用于文件名；使用主机名",
            )
        )
        worker_name = None
    return TraceHandler(
        None if dir_name is None else str(dir_name),
        worker_name,
        analyse_flag if isinstance(analyse_flag, bool) else True,
        async_mode if isinstance(async_mode, bool) else False,
    )


#: The spelling of older versions of MindSpore.
tensor_board_trace_handler = tensorboard_trace_handler


def handler_of(asked: Any) -> Union[TraceHandler, Any, None]:
    """The handler for `on_trace_ready`: one of ours, any function, or None with a warning."""
    if asked is tensorboard_trace_handler:
        return tensorboard_trace_handler()
    if asked is not None and not callable(asked):
        warn(
            localized(
                f"on_trace_ready is {asked!r}, expected a function; it is ignored",
                f"on_trace_ready 为 {asked!r}，应为函数；已忽略",
            )
        )
        return None
    return asked
