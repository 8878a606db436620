"""torch_npu, as far as its profiler is called; names and values as its source has them."""

from __future__ import annotations

import types
from typing import Any

from standins import Calls, maker, marks, members, profile_class


def torch_npu(calls: Calls, fails_at: str = "") -> Any:
    module, profiler, npu = (types.ModuleType(name) for name in ("torch_npu", "torch_npu.profiler", "torch_npu.npu"))
    profiler.ProfilerActivity = members("ProfilerActivity", CPU="CPU", NPU="NPU")
    profiler.ProfilerLevel = types.SimpleNamespace(
        Level0="Level0", Level1="Level1", Level2="Level2", Level_none="Level_none"
    )
    profiler.AiCMetrics = types.SimpleNamespace(
        PipeUtilization="ACL_AICORE_PIPE_UTILIZATION",
        ArithmeticUtilization="ACL_AICORE_ARITHMETIC_UTILIZATION",
        Memory="ACL_AICORE_MEMORY_BANDWIDTH",
        MemoryL0="ACL_AICORE_L0B_AND_WIDTH",
        ResourceConflictRatio="ACL_AICORE_RESOURCE_CONFLICT_RATIO",
        MemoryUB="ACL_AICORE_MEMORY_UB",
        L2Cache="ACL_AICORE_L2_CACHE",
        MemoryAccess="ACL_AICORE_MEMORY_ACCESS",
        AiCoreNone="ACL_AICORE_NONE",
    )
    profiler.ExportType = types.SimpleNamespace(Text="text", Db="db")
    profiler.HostSystem = types.SimpleNamespace(
        CPU="cpu", MEM="mem", DISK="disk", NETWORK="network", OSRT="osrt", NUMA="numa"
    )
    profiler._ExperimentalConfig = maker(calls, "_ExperimentalConfig")
    profiler.schedule = maker(calls, "schedule")
    profiler.tensorboard_trace_handler = maker(calls, "tensorboard_trace_handler")
    profiler.profile = profile_class(calls, fails_at)
    npu.mstx = marks(calls)
    module.profiler, module.npu = profiler, npu
    return module
