"""Profiling a running job by editing a file, under the names of `torch_npu.profiler.dynamic_profile`.

>>> from npuscope.profiler import dynamic_profile
>>> dynamic_profile.init("./control")
>>> for batch in batches:
...     train(batch)
...     dynamic_profile.step()

`profiler_config.json` in that directory has torch_npu's keys, and is written if there is none. Where it leaves
`prof_dir` at "./", data goes to `dyn_profile_data`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional, Union

from npuscope.guard import warn
from npuscope.profiler.dynamic import DynamicProfilerMonitor

_monitor: Optional[DynamicProfilerMonitor] = None


def init(path: Union[str, Path], **named: Any) -> None:
    """Watch the file in a directory from now on. Other arguments are those of `DynamicProfilerMonitor`."""
    global _monitor
    if _monitor is not None:
        _monitor.stop()
    _monitor = DynamicProfilerMonitor(path, style="torch_npu", **named)


def step() -> None:
    """A step of training has ended; the next begins."""
    if _monitor is None:
        warn("dynamic_profile.step() was called before dynamic_profile.init(); nothing is recorded")
        return
    _monitor.step()


def stop() -> None:
    """Training is over. Without this, the end of the process is the end of training."""
    global _monitor
    if _monitor is not None:
        _monitor.stop()
        _monitor = None
