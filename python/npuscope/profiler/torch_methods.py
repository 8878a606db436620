"""Less common methods of torch_npu's `profile`: exports, trace ids, child threads."""

from __future__ import annotations

import gzip
import shutil
import sys
import uuid
from pathlib import Path
from typing import Any, Callable, Optional, Union

from npuscope import analysis
from npuscope.backends.base import ForeignProfiler
from npuscope.guard import Guarded, guarded, warn
from npuscope.language import localized

#: The limit of torch_npu.
_LONGEST_TRACE_ID = 1024


class TorchMethods(Guarded):
    """Other methods that scripts for torch_npu or torch may call. Unsupported calls are reported."""

    _directories: list[Path]
    _trace_id: str = ""
    _trace_id_callback: Optional[Callable[[], str]] = None
    #: The profiler of a framework, running or stopped, which has these methods itself.
    _foreign: Optional[ForeignProfiler] = None

    @guarded
    def export_chrome_trace(self, path: Union[str, Path]) -> None:
        """Write the last recorded cycle as one file for trace viewers; compressed if the name ends in `.gz`."""
        if self._ask("export_chrome_trace", str(path)):
            return
        if not self._directories:
            warn(
                localized(
                    "export_chrome_trace: nothing has been recorded yet; call stop() first",
                    "export_chrome_trace：尚未采集任何数据；请先调用 stop()",
                )
            )
            return
        trace = _trace_of(self._directories[-1])
        if trace is None:
            analysis.wait([self._directories[-1]])
            analysis.analyse(self._directories[-1])
            trace = _trace_of(self._directories[-1])
        if trace is None:
            directory = self._directories[-1]
            warn(
                localized(
                    f"export_chrome_trace: there is no trace in {directory}; {path} is not written",
                    f"export_chrome_trace：{directory} 中没有 trace；未写入 {path}",
                )
            )
            return
        try:
            if str(path).endswith(".gz"):
                with open(trace, "rb") as plain, gzip.open(path, "wb") as packed:
                    shutil.copyfileobj(plain, packed)
            else:
                shutil.copyfile(trace, path)
        except OSError as error:
            warn(localized(f"export_chrome_trace: {error}", f"export_chrome_trace：{error}"))

    @guarded
    def export_stacks(self, path: Union[str, Path], metric: str = "self_cpu_time_total") -> None:
        """Write stacks for flame graphs. Requires torch_npu; otherwise, use `npuscope view` to see the calls."""
        if not self._ask("export_stacks", str(path), metric):
            warn(
                localized(
                    f"export_stacks requires torch_npu; {path} is not written",
                    f"export_stacks 需要 torch_npu；未写入 {path}",
                )
            )

    @guarded
    def export_memory_timeline(self, path: Union[str, Path], device: Optional[str] = None) -> None:
        """Write memory by category over time. Requires torch_npu; otherwise, use `npuscope view` to see the memory."""
        if not self._ask("export_memory_timeline", str(path), *([] if device is None else [device])):
            warn(
                localized(
                    f"export_memory_timeline requires torch_npu; {path} is not written",
                    f"export_memory_timeline 需要 torch_npu；未写入 {path}",
                )
            )

    @guarded
    def set_custom_trace_id_callback(self, callback: Callable[[], str]) -> None:
        """Set a function that returns trace ids, from the next `start` on."""
        if not callable(callback):
            warn(
                localized(
                    f"set_custom_trace_id_callback: {callback!r} is not a function; it is ignored",
                    f"set_custom_trace_id_callback：{callback!r} 不是函数；已忽略",
                )
            )
            return
        self._trace_id_callback = callback
        self._ask("set_custom_trace_id_callback", callback)

    def get_trace_id(self) -> str:
        """The trace id, which profiler_metadata.json contains, too; empty before `start`."""
        method = None if self._foreign is None else self._foreign.method("get_trace_id")
        try:
            return str(method()) if method is not None else self._trace_id
        except Exception:  # noqa: BLE001 - theirs; ours is a number, too
            return self._trace_id

    def _new_trace_id(self) -> str:
        """A trace id as in torch_npu: from the function of the script, else a random one."""
        default = uuid.uuid4().hex.upper()
        if self._trace_id_callback is None:
            return default
        try:
            said = self._trace_id_callback()
        except Exception as error:  # noqa: BLE001 - it is the script's
            warn(
                localized(
                    f"the trace id callback failed: {error!r}; a random trace id is used",
                    f"trace id 的回调函数失败：{error!r}；使用随机的 trace id",
                )
            )
            return default
        if not isinstance(said, str) or not 0 < len(said) <= _LONGEST_TRACE_ID:
            warn(
                localized(
                    f"the trace id callback must return 1 to {_LONGEST_TRACE_ID} characters; a random trace id is used",
                    f"trace id 的回调函数必须返回 1 到 {_LONGEST_TRACE_ID} 个字符；使用随机的 trace id",
                )
            )
            return default
        return said

    @classmethod
    def enable_profiler_in_child_thread(cls, *arguments: Any, **named: Any) -> None:
        """Also record the calling thread. Our recorder always does; the call is passed to torch_npu."""
        _of_torch_npu("enable_profiler_in_child_thread", *arguments, **named)

    @classmethod
    def disable_profiler_in_child_thread(cls) -> None:
        """Stop recording the calling thread. Our recorder continues; the call is passed to torch_npu."""
        _of_torch_npu("disable_profiler_in_child_thread")

    def _ask(self, name: str, *arguments: Any) -> bool:
        """Call the method of the framework's profiler; False if there is none."""
        method = None if self._foreign is None else self._foreign.method(name)
        if method is None:
            return False
        method(*arguments)
        return True


def _trace_of(directory: Path) -> Optional[Path]:
    """The trace that parsing wrote, else Kineto's."""
    found = [
        directory / "ASCEND_PROFILER_OUTPUT" / "trace_view.json",
        *sorted((directory / "FRAMEWORK").glob("*.pt.trace.json")),
    ]
    return next((file for file in found if file.is_file()), None)


def _of_torch_npu(name: str, *arguments: Any, **named: Any) -> None:
    """Call a class method of torch_npu's profiler, if torch_npu is imported."""
    theirs: Any = getattr(sys.modules.get("torch_npu"), "profiler", None)
    method = getattr(getattr(theirs, "profile", None), name, None)
    if method is None:
        return
    try:
        method(*arguments, **named)
    except Exception as error:  # noqa: BLE001
        warn(f"{name}: {error!r}")
