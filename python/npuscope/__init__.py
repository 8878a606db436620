"""Record training on Ascend NPUs, GPUs or CPUs, with the profiler settings you already have.

>>> import npuscope
>>> from npuscope import mstx
>>> with npuscope.profile(
...     schedule=npuscope.schedule(wait=1, warmup=1, active=2, repeat=1),
...     on_trace_ready=npuscope.tensorboard_trace_handler("./result"),
... ) as prof:
...     for batch in batches:
...         with mstx.annotate("forward"):
...             loss = model(batch)
...         prof.step()

The names are those of `torch_npu.profiler` and `mindspore.profiler`, so existing scripts only need new imports.
`from_config` and `from_args` read the settings of MindSpeed-LLM, FSDP2, MindSpeed-RL, MindSpore and torch_npu. The
variable MS_PROFILER_OPTIONS is read on import. `npuscope view` shows the profile, and `npuscope.open` queries it.

Recording never stops training: a failure is reported in one line on standard error.
"""

from __future__ import annotations

from npuscope import npu, profiler
from npuscope._npuscope import __version__, counter
from npuscope.analysis import analyse
from npuscope.data import data_loader
from npuscope.from_trainer import ConfigError, from_args, from_config, from_env
from npuscope.mstx import mstx_timer_decorator
from npuscope.profiler import (
    AiCMetrics,
    AicoreMetrics,
    DynamicProfilerMonitor,
    ExperimentalConfig,
    ExportType,
    HostSystem,
    Profiler,
    ProfilerAction,
    ProfilerActivity,
    ProfilerLevel,
    _ExperimentalConfig,
    mstx,
    profile,
    schedule,
    tensor_board_trace_handler,
    tensorboard_trace_handler,
)
from npuscope.query import QueryError, open  # noqa: A004 - `npuscope.open` is what users write
from npuscope.stages import stage

__all__ = [
    "AiCMetrics",
    "AicoreMetrics",
    "ConfigError",
    "DynamicProfilerMonitor",
    "ExperimentalConfig",
    "ExportType",
    "HostSystem",
    "Profiler",
    "ProfilerAction",
    "ProfilerActivity",
    "ProfilerLevel",
    "QueryError",
    "_ExperimentalConfig",
    "__version__",
    "analyse",
    "counter",
    "data_loader",
    "from_args",
    "from_config",
    "from_env",
    "mstx",
    "mstx_timer_decorator",
    "npu",
    "open",
    "profile",
    "profiler",
    "schedule",
    "stage",
    "tensor_board_trace_handler",
    "tensorboard_trace_handler",
]

#: The profiler that MS_PROFILER_OPTIONS started, or None.
_started_by_environment = from_env()
