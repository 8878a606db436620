"""The profiler, with the names of `torch_npu.profiler` and `mindspore.profiler`."""

from __future__ import annotations

from npuscope import mstx
from npuscope.analysis import analyse
from npuscope.profiler import dynamic_profile
from npuscope.profiler.dynamic import DynamicProfilerMonitor
from npuscope.profiler.enums import (
    AiCMetrics,
    AicoreMetrics,
    ExportType,
    HostSystem,
    ProfilerAction,
    ProfilerActivity,
    ProfilerLevel,
)
from npuscope.profiler.experimental import _ExperimentalConfig
from npuscope.profiler.handler import tensor_board_trace_handler, tensorboard_trace_handler
from npuscope.profiler.mindspore_style import Profiler
from npuscope.profiler.profiler import _KinetoProfile, profile
from npuscope.profiler.scheduling import schedule

#: The same without the underscore: torch_npu may change it, npuscope does not.
ExperimentalConfig = _ExperimentalConfig

__all__ = [
    "AiCMetrics",
    "AicoreMetrics",
    "DynamicProfilerMonitor",
    "ExperimentalConfig",
    "ExportType",
    "HostSystem",
    "Profiler",
    "ProfilerAction",
    "ProfilerActivity",
    "ProfilerLevel",
    "_ExperimentalConfig",
    "_KinetoProfile",
    "analyse",
    "dynamic_profile",
    "mstx",
    "profile",
    "schedule",
    "tensor_board_trace_handler",
    "tensorboard_trace_handler",
]
