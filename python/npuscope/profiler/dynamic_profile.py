"""Record steps of a running job by editing a control file, with the names of `torch_npu.profiler.dynamic_profile`.

>>> from npuscope.profiler import dynamic_profile
>>> dynamic_profile.init("./control")
>>> for batch in batches:
...     train(batch)
...     dynamic_profile.step()

`profiler_config.json` in that directory has the keys of torch_npu and is written if it is missing. If its `prof_dir` is
"./", data goes to `dyn_profile_data`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional, Union

from npuscope.guard import warn
from npuscope.language import localized
from npuscope.profiler.dynamic import DynamicProfilerMonitor

_monitor: Optional[DynamicProfilerMonitor] = None
_file = Path()


def init(path: Union[str, Path], **named: Any) -> None:
    """Start watching the control file in a directory. Other arguments are those of `DynamicProfilerMonitor`."""
    global _monitor, _file
    if _monitor is not None:
        _monitor.stop()
    _file = Path(path) if str(path).endswith(".json") else Path(path) / "profiler_config.json"
    _monitor = DynamicProfilerMonitor(path, dialect="torch_npu", **named)


def step() -> None:
    """Call this after each training step."""
    if _monitor is None:
        warn(
            localized(
                "dynamic_profile.step() was called before dynamic_profile.init(); nothing is recorded",
                "dynamic_profile.step() 在 dynamic_profile.init() 之前调用；不采集",
            )
        )
        return
    _monitor.step()


def start(config_file: Union[str, Path, None] = None) -> None:
    """Record the next steps now. The file gives their number; default: the file of `init`."""
    if _monitor is None:
        warn(
            localized(
                "dynamic_profile.start() was called before dynamic_profile.init(); nothing is recorded",
                "dynamic_profile.start() 在 dynamic_profile.init() 之前调用；不采集",
            )
        )
        return
    _monitor.start_now(_file if config_file is None else config_file)


def set_state(state: dict[str, Any]) -> None:
    """Set the current step: `{"cur_step": 100}` when training resumes from a checkpoint of step 100."""
    step = state.get("cur_step") if isinstance(state, dict) else None
    if not isinstance(step, int) or isinstance(step, bool) or step < 0:
        warn(
            localized(
                f"dynamic_profile.set_state() expects {{'cur_step': number}}, not {state!r}; the call is ignored",
                f"dynamic_profile.set_state() 的参数应为 {{'cur_step': 数字}}，实际为 {state!r}；已忽略该调用",
            )
        )
    elif _monitor is None:
        warn(
            localized(
                "dynamic_profile.set_state() was called before dynamic_profile.init(); the call is ignored",
                "dynamic_profile.set_state() 在 dynamic_profile.init() 之前调用；已忽略该调用",
            )
        )
    else:
        _monitor.set_step(step)


def stop() -> None:
    """Call this after training. Otherwise, recording stops when the process ends."""
    global _monitor
    if _monitor is not None:
        _monitor.stop()
        _monitor = None
