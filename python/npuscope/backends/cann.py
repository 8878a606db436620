"""The backend `cann`: CANN's own profiler in addition to our recorder, for trainers without torch_npu."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Optional

from npuscope import _npuscope
from npuscope import rank as ranks
from npuscope.backends.base import Context
from npuscope.backends.native import NativeBackend
from npuscope.guard import warn


class CannBackend(NativeBackend):
    """Raises if the libraries of CANN are not installed; `profile` reports this, and training continues."""

    name = "cann"

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._cann = _npuscope.Cann(search_directories())

    def warmup(self) -> None:
        super().warmup()
        self._start_cann(warmup=True)

    def start(self) -> None:
        self._start_cann(warmup=False)
        super().start()

    def _start_cann(self, warmup: bool) -> None:
        config = json.dumps(dataclasses.asdict(self.settings))
        for diagnostic in self._cann.start(config, str(self.directory), device(), warmup):
            warn(diagnostic)

    def stop(self) -> None:
        super().stop()
        self._cann.stop()

    def delete(self) -> None:
        self._cann.stop()
        super().delete()

    def abandon(self) -> None:
        super().abandon()
        self._cann.stop()


def search_directories() -> list[str]:
    """Directories to search for the libraries of CANN, in addition to those of the system."""
    roots: list[Optional[str]] = [os.environ.get("ASCEND_HOME_PATH"), os.environ.get("ASCEND_TOOLKIT_HOME")]
    return [str(Path(root) / "lib64") for root in roots if root]


def device() -> int:
    """The device of this process, from the launcher's environment; 0 if it is unknown."""
    for name in ("DEVICE_ID", "LOCAL_RANK"):
        found = ranks.number(name)
        if found is not None:
            return found
    return 0
