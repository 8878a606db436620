"""MindSpore, as far as its profiler is called; names and values as release 2.10 has them."""

from __future__ import annotations

import types
from typing import Any

from standins import Calls, maker, marks, members, profile_class


def mindspore(calls: Calls, device_target: str = "Ascend", fails_at: str = "") -> tuple[Any, Any]:
    """The module and its profiler."""
    module, profiler = types.ModuleType("mindspore"), types.ModuleType("mindspore.profiler")
    profiler.ProfilerActivity = members("ProfilerActivity", CPU="CPU", NPU="NPU", GPU="GPU")
    profiler.ProfilerLevel = members(
        "ProfilerLevel", LevelNone="LevelNone", Level0="Level0", Level1="Level1", Level2="Level2"
    )
    profiler.AicoreMetrics = members(
        "AicoreMetrics",
        PipeUtilization="PipeUtilization",
        ArithmeticUtilization="ArithmeticUtilization",
        Memory="Memory",
        MemoryL0="MemoryL0",
        MemoryUB="MemoryUB",
        ResourceConflictRatio="ResourceConflictRatio",
        L2Cache="L2Cache",
        MemoryAccess="MemoryAccess",
        AiCoreNone="None",
    )
    profiler.ExportType = members("ExportType", Db="db", Text="text")
    profiler.HostSystem = members("HostSystem", CPU="cpu", MEM="mem", DISK="disk", NETWORK="network", OSRT="osrt")
    profiler._ExperimentalConfig = maker(calls, "_ExperimentalConfig")
    profiler.schedule = maker(calls, "schedule")
    profiler.tensorboard_trace_handler = maker(calls, "tensorboard_trace_handler")
    profiler.profile = profile_class(calls, fails_at)
    profiler.mstx = marks(calls)
    module.profiler = profiler
    module.get_context = lambda key: device_target if key == "device_target" else None
    return module, profiler
