"""MindSpore, as far as its profiler is called; names and values as release 2.10 has them."""

from __future__ import annotations

import types
from typing import Any

from standins import Calls, maker, marks, members, profile_class

EXPERIMENTAL = (
    "profiler_level aic_metrics l2_cache mstx data_simplification export_type mstx_domain_include "
    "mstx_domain_exclude sys_io sys_interconnection host_sys"
)

PROFILE = (
    "activities with_stack profile_memory data_process parallel_strategy start_profile hbm_ddr pcie sync_enable "
    "record_shapes schedule on_trace_ready experimental_config"
)


def mindspore(calls: Calls, device_target: str = "Ascend", fails_at: str = "") -> tuple[Any, Any]:
    """The module and its profiler."""
    module: Any = types.ModuleType("mindspore")
    profiler: Any = types.ModuleType("mindspore.profiler")
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
    profiler._ExperimentalConfig = maker(calls, "_ExperimentalConfig", EXPERIMENTAL)
    profiler.schedule = maker(calls, "schedule", "wait active warmup repeat skip_first")
    profiler.tensorboard_trace_handler = maker(
        calls, "tensorboard_trace_handler", "dir_name worker_name analyse_flag async_mode"
    )
    profiler.profile = profile_class(calls, PROFILE, fails_at)
    profiler.mstx = marks(calls)
    module.profiler = profiler
    module.get_context = lambda key: device_target if key == "device_target" else None
    return module, profiler
