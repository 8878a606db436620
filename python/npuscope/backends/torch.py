"""The backend `torch`: torch.profiler (Kineto) for operators, on CPU or CUDA, and our recorder for the rest."""

from __future__ import annotations

import atexit
import threading
from pathlib import Path
from typing import Any, Optional

from npuscope.backends.base import Context
from npuscope.backends.native import NativeBackend
from npuscope.guard import warn
from npuscope.language import localized

#: Sessions of Kineto that could not be stopped because `stop` was called in another thread, by their threads. A session
#: can only be stopped in its own thread, and a session that is open when the process ends crashes it.
_left_open: dict[int, Any] = {}


def _session_is_open() -> bool:
    """Whether Kineto records this thread. There is one session per thread, and it has no owner."""
    import torch

    return bool(torch._C._autograd._profiler_enabled())


@atexit.register
def _close_left_open() -> None:
    """Stop the session of this thread, if another thread could not stop it."""
    kineto = _left_open.pop(threading.get_ident(), None)
    if kineto is not None and _session_is_open():
        kineto.stop_trace()


class TorchBackend(NativeBackend):
    """Writes Kineto's trace next to the files of the recorder; parsing merges both."""

    name = "torch"

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        import torch

        self._torch = torch
        self._kineto: Any = None
        self._prepared = self._running = False
        self._thread = 0
        self._step_range: Optional[Any] = None

    @property
    def python_calls(self) -> bool:
        """Never: the interpreter has one profile hook per thread, and `with_stack` makes torch use it."""
        return False

    def _activities(self) -> list[Any]:
        kinds = self._torch.profiler.ProfilerActivity
        if self.settings.level == "none":
            # Only steps, ranges and marks.
            return []
        chosen = [kinds.CPU] if self.settings.cpu else []
        if self.settings.npu and self._torch.cuda.is_available():
            chosen.append(kinds.CUDA)
        return chosen

    def init(self, directory: Path, info: dict[str, Any]) -> None:
        super().init(directory, info)
        activities = self._activities()
        # With neither host nor device asked for, or no device there, steps and ranges are still recorded by us.
        self._kineto = (
            self._torch.profiler.profile(
                activities=activities,
                record_shapes=self.settings.shapes,
                profile_memory=self.settings.memory,
                # In eager mode, calls of modules are recorded with Python's stack; torch's own `with_modules` is for
                # TorchScript.
                with_stack=self.settings.stack or self.settings.modules,
                with_flops=self.settings.flops,
            )
            if activities
            else None
        )
        self._prepared = self._running = False

    def warmup(self) -> None:
        super().warmup()
        self._give_way()
        if self._kineto is not None:
            self._kineto.prepare_trace()
            self._prepared = True

    def start(self) -> None:
        self._give_way()
        if self._kineto is not None:
            if not self._prepared:
                self._kineto.prepare_trace()
            self._kineto.start_trace()
            self._thread = threading.get_ident()
            self._prepared, self._running = False, True
        super().start()

    def stop(self) -> None:
        super().stop()
        self._stop_kineto()

    def _give_way(self) -> None:
        """Do not use Kineto if a session is open: starting another would discard the trace of that session."""
        _close_left_open()
        if self._kineto is not None and _session_is_open():
            self._let_go(localized("another torch profiler is already running", "已有其他 torch profiler 在运行"))

    def _stop_kineto(self) -> None:
        if self._kineto is None or not self._running:
            return
        self._running = False
        if threading.get_ident() != self._thread:
            _left_open[self._thread] = self._kineto
            self._let_go(
                localized(
                    "torch's profiler cannot be stopped: stop() was called in another thread than start()",
                    "无法停止 torch 的 profiler：stop() 与 start() 在不同的线程中调用",
                )
            )
        elif _session_is_open():
            self._kineto.stop_trace()
        else:
            # Stopping a session that is not there crashes the process.
            self._let_go(localized("another library stopped torch's profiler", "torch 的 profiler 已被其他库停止"))

    def _let_go(self, why: str) -> None:
        warn(
            localized(
                f"{why}; operators are not recorded, only steps and ranges",
                f"{why}；不采集算子，只采集 step 和区间",
            )
        )
        self._kineto, self._prepared, self._running = None, False, False

    def finalize(self, metadata: dict[str, Any]) -> None:
        if self._prepared:
            # Warmed up, and then training ended. Kineto is only let go of by a trace, however empty.
            self._give_way()
            if self._kineto is not None:
                self._kineto.start_trace()
                self._kineto.stop_trace()
            self._prepared = False
        elif self._kineto is not None and self.directory is not None:
            framework = self.directory / "FRAMEWORK"
            framework.mkdir(parents=True, exist_ok=True)
            worker = self.directory.name.rpartition("_ascend_")[0]
            self._kineto.export_chrome_trace(str(framework / f"{worker}.pt.trace.json"))
        self._kineto = None
        super().finalize(metadata)

    def open_step(self, name: str) -> None:
        super().open_step(name)
        if self._running:
            self._step_range = self._torch.profiler.record_function(name)
            self._step_range.__enter__()

    def close_step(self) -> None:
        self._close_step_range()
        super().close_step()

    def _close_step_range(self) -> None:
        if self._step_range is not None:
            self._step_range.__exit__(None, None, None)
            self._step_range = None

    def drop_step(self) -> None:
        # Kineto cannot forget it; analysis goes by the recorder's steps.
        self._close_step_range()
        super().drop_step()

    def abandon(self) -> None:
        super().abandon()
        self._stop_kineto()
