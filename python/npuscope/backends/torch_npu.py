"""The backend `torch_npu`: torch_npu's profiler, configured by our settings. It has its own directories and markers."""

from __future__ import annotations

from typing import Any, Callable, Optional

from npuscope.backends.base import Context, ForeignProfiler
from npuscope.backends.foreign import Said, handler_for, in_words_of
from npuscope.profiler.scheduling import Schedule
from npuscope.profiler.settings import Settings

_WHOSE = "torch_npu"


class TorchNpuProfiler(ForeignProfiler):
    """`torch_npu.profiler.profile`, with the corresponding arguments."""

    name = "torch_npu"

    def __init__(self, context: Context, plan: Optional[Callable[[int], Any]], handler: Any, output: str) -> None:
        import torch_npu

        settings, profiler = context.settings, torch_npu.profiler
        words = in_words_of(
            _WHOSE,
            profiler.profile,
            Said(
                "activities",
                not (settings.cpu and settings.npu),
                lambda: [
                    getattr(profiler.ProfilerActivity, name)
                    for name, wanted in (("CPU", settings.cpu), ("NPU", settings.npu))
                    if wanted
                ],
            ),
            Said("schedule", plan is not None, lambda: _schedule(profiler, plan)),
            Said("on_trace_ready", True, lambda: handler_for(_WHOSE, profiler, handler, output)),
            Said("record_shapes", settings.shapes, lambda: True),
            Said("profile_memory", settings.memory, lambda: True),
            Said("with_stack", settings.stack, lambda: True),
            Said("with_modules", settings.modules, lambda: True),
            Said("with_flops", settings.flops, lambda: True),
            Said("experimental_config", True, lambda: _experimental(profiler, settings)),
        )
        super().__init__(profiler.profile(**words), torch_npu.npu.mstx if hasattr(torch_npu.npu, "mstx") else None)


def _schedule(profiler: Any, plan: Any) -> Any:
    """torch_npu's schedule for ours; any other function is passed as it is."""
    if not isinstance(plan, Schedule):
        return plan
    numbers = plan.to_dict()
    skips_wait = numbers.pop("skip_first_wait")
    more = in_words_of(_WHOSE, profiler.schedule, Said("skip_first_wait", skips_wait, lambda: skips_wait))
    return profiler.schedule(**numbers, **more)


def _experimental(profiler: Any, settings: Settings) -> Any:
    words = in_words_of(
        _WHOSE,
        profiler._ExperimentalConfig,
        Said(
            "profiler_level",
            settings.level != "level0",
            lambda: getattr(profiler.ProfilerLevel, settings.level_name),
        ),
        Said(
            "aic_metrics",
            settings.level in ("level1", "level2"),
            lambda: getattr(profiler.AiCMetrics, settings.metrics_name),
        ),
        Said("l2_cache", settings.l2_cache, lambda: True),
        Said("mstx", settings.mstx, lambda: True, older="msprof_tx"),
        Said("data_simplification", not settings.simplify, lambda: False),
        Said("record_op_args", settings.record_op_args, lambda: True),
        Said("op_attr", settings.op_attr, lambda: True),
        Said("gc_detect_threshold", settings.gc_threshold_ms is not None, lambda: settings.gc_threshold_ms),
        Said(
            "export_type",
            settings.export != ["text"],
            lambda: [getattr(profiler.ExportType, name) for name in settings.export_names],
        ),
        Said(
            "host_sys",
            settings.host_sys,
            lambda: [getattr(profiler.HostSystem, name.upper()) for name in settings.host_sys],
        ),
        Said("mstx_domain_include", settings.mstx_domain_include, lambda: settings.mstx_domain_include),
        Said("mstx_domain_exclude", settings.mstx_domain_exclude, lambda: settings.mstx_domain_exclude),
        Said("sys_io", settings.sys_io, lambda: True),
        Said("sys_interconnection", settings.sys_interconnection, lambda: True),
    )
    return profiler._ExperimentalConfig(**words)
