"""The backend `native`: our own recorder. It has no dependencies."""

from __future__ import annotations

import gc
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any, Callable, Optional

from npuscope import _npuscope, data
from npuscope.backends.base import Backend, Context

#: Garbage collections of the youngest generation take microseconds and come by the thousand; what a step can feel is
#: longer.
DEFAULT_GC_THRESHOLD_MS = 1.0


class NativeBackend(Backend):
    """Records steps, ranges, stages, waits for data, garbage collections, resident memory and, optionally, calls."""

    name = "native"

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.directory: Optional[Path] = None
        self._recorder: Optional[_npuscope.Recorder] = None
        self._unhook_data: Optional[Callable[[], None]] = None
        self._started = False
        #: The open step and its start. It is written when it ends; a discarded step is never written.
        self._step: Optional[tuple[str, int]] = None

    @property
    def python_calls(self) -> bool:
        """Whether our recorder records each call of a Python function."""
        settings = self.settings
        return settings.cpu and settings.level != "none" and (settings.stack or settings.modules)

    def init(self, directory: Path, info: dict[str, Any]) -> None:
        settings = self.settings
        self.directory = directory
        self._started = False
        self._recorder = _npuscope.Recorder(
            str(directory),
            info_json=json.dumps({"config": info}),
            rank=self.context.rank,
            python_calls=self.python_calls,
            # A number every 20 ms costs nothing, so it is recorded even if memory is not selected.
            resident_memory=True,
            gc_threshold_ms=DEFAULT_GC_THRESHOLD_MS if settings.gc_threshold_ms is None else settings.gc_threshold_ms,
            budget_bytes=self.context.budget,
            spool=self.context.spool,
            # Small writes over a network are slow and disturb the job's own; there, a local directory stands between.
            remote_spool=tempfile.gettempdir(),
            domain_include=settings.mstx_domain_include,
            domain_exclude=settings.mstx_domain_exclude,
        )

    def start(self) -> None:
        assert self._recorder is not None
        self._recorder.start()
        self._started = True
        if self.settings.cpu and _npuscope.gc_callback not in gc.callbacks:
            gc.callbacks.append(_npuscope.gc_callback)
        self._unhook_data = data.hook_torch()

    def _unhook(self) -> None:
        if _npuscope.gc_callback in gc.callbacks:
            gc.callbacks.remove(_npuscope.gc_callback)
        if self._unhook_data is not None:
            self._unhook_data()
            self._unhook_data = None

    def stop(self) -> None:
        assert self._recorder is not None
        self._unhook()
        self._recorder.stop()

    def finalize(self, metadata: dict[str, Any]) -> None:
        # There is no directory before the first start, and nothing to say about a warm-up that nothing followed.
        if self._recorder is not None and self._started:
            self._recorder.write_metadata(json.dumps(metadata, default=str), self.name)

    def delete(self) -> None:
        if self.directory is not None:
            shutil.rmtree(self.directory, ignore_errors=True)

    def open_step(self, name: str) -> None:
        self._step = (name, _npuscope.now())

    def close_step(self) -> None:
        if self._step is not None and self._recorder is not None:
            name, start = self._step
            self._step = None
            self._recorder.op(name, start, _npuscope.now(), scope=_npuscope.USER_SCOPE)

    def drop_step(self) -> None:
        self._step = None

    def abandon(self) -> None:
        self._unhook()
        if self._recorder is not None:
            self._recorder.stop()

    @property
    def error(self) -> Optional[str]:
        return None if self._recorder is None else self._recorder.error
