"""torch_npu, as far as its profiler is called; names and values as its source has them."""

from __future__ import annotations

import types
from typing import Any

from standins import Calls, maker, marks, marks_without_domains, members, profile_class

EXPERIMENTAL = (
    "profiler_level aic_metrics l2_cache msprof_tx mstx data_simplification record_op_args op_attr "
    "gc_detect_threshold export_type host_sys mstx_domain_include mstx_domain_exclude sys_io sys_interconnection"
)

PROFILE = (
    "activities schedule on_trace_ready record_shapes profile_memory with_stack with_flops with_modules "
    "experimental_config execution_trace_observer custom_trace_id_callback use_cuda"
)


def torch_npu(calls: Calls, fails_at: str = "", available: bool = True) -> Any:
    """The newest there is."""
    modules: list[Any] = [types.ModuleType(name) for name in ("torch_npu", "torch_npu.profiler", "torch_npu.npu")]
    module, profiler, npu = modules
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
    profiler._ExperimentalConfig = maker(calls, "_ExperimentalConfig", EXPERIMENTAL)
    profiler.schedule = maker(calls, "schedule", "wait active warmup repeat skip_first skip_first_wait")
    profiler.tensorboard_trace_handler = maker(
        calls, "tensorboard_trace_handler", "dir_name worker_name analyse_flag async_mode"
    )
    profiler.profile = profile_class(calls, PROFILE, fails_at)
    npu.mstx = marks(calls)
    npu.is_available = lambda: available
    module.profiler, module.npu = profiler, npu
    return module


def old_torch_npu(calls: Calls) -> Any:
    """Of the time of torch 1.11: no databases, no domains, `msprof_tx` for `mstx`."""
    module = torch_npu(calls)
    profiler = module.profiler
    del profiler.ExportType, profiler.HostSystem
    profiler._ExperimentalConfig = maker(
        calls,
        "_ExperimentalConfig",
        "profiler_level aic_metrics l2_cache msprof_tx data_simplification record_op_args",
    )
    profiler.schedule = maker(calls, "schedule", "wait active warmup repeat skip_first")
    profiler.tensorboard_trace_handler = maker(calls, "tensorboard_trace_handler", "dir_name worker_name analyse_flag")
    profiler.profile = profile_class(
        calls,
        "activities schedule on_trace_ready record_shapes profile_memory with_stack with_flops experimental_config",
    )
    module.npu.mstx = marks_without_domains(calls)
    return module
