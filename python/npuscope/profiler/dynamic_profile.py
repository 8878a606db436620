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
_file = Path()


def init(path: Union[str, Path], **named: Any) -> None:
    """Watch the file in a directory from now on. Other arguments are those of `DynamicProfilerMonitor`."""
    global _monitor, _file
    if _monitor is not None:
        _monitor.stop()
    _file = Path(path) if str(path).endswith(".json") else Path(path) / "profiler_config.json"
    _monitor = DynamicProfilerMonitor(path, dialect="torch_npu", **named)


def step() -> None:
    """A step of training has ended; the next begins."""
    if _monitor is None:
        warn("dynamic_profile.step() was called before dynamic_profile.init(); nothing is recorded")
        return
    _monitor.step()


def start(config_file: Union[str, Path, None] = None) -> None:
    """Record the next steps at once, as many as a file says; default: that of `init`."""
    if _monitor is None:
        warn("dynamic_profile.start() was called before dynamic_profile.init(); nothing is recorded")
        return
    _monitor.start_now(_file if config_file is None else config_file)


def set_state(state: dict[str, Any]) -> None:
    """Say where training is: `{"cur_step": 100}` after a checkpoint of step 100."""
    step = state.get("cur_step") if isinstance(state, dict) else None
    if not isinstance(step, int) or isinstance(step, bool) or step < 0:
        warn(f"dynamic_profile.set_state() takes {{'cur_step': number}}, not {state!r}; it is ignored")
    elif _monitor is None:
        warn("dynamic_profile.set_state() was called before dynamic_profile.init(); it is ignored")
    else:
        _monitor.set_step(step)


def stop() -> None:
    """Training is over. Without this, the end of the process is the end of training."""
    global _monitor
    if _monitor is not None:
        _monitor.stop()
        _monitor = None
