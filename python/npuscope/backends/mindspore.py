"""The backend `mindspore`: MindSpore's profiler, configured by our settings. It has its own directories and markers."""

from __future__ import annotations

from typing import Any, Callable, Optional

from npuscope.backends.base import Context, ForeignProfiler
from npuscope.backends.foreign import Said, handler_for, in_words_of
from npuscope.guard import warn
from npuscope.language import localized
from npuscope.profiler.scheduling import Schedule
from npuscope.profiler.settings import Settings

_WHOSE = "MindSpore"


class MindSporeProfiler(ForeignProfiler):
    """`mindspore.profiler.profile`, with the corresponding arguments."""

    name = "mindspore"

    def __init__(self, context: Context, plan: Optional[Callable[[int], Any]], handler: Any, output: str) -> None:
        from mindspore import profiler

        settings = context.settings
        for what, asked in _unsaid(settings, plan).items():
            if asked:
                warn(
                    localized(
                        f"MindSpore's profiler does not support {what}; the setting is ignored",
                        f"MindSpore 的 profiler 不支持 {what}；已忽略该设置",
                    )
                )
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
            Said("with_stack", settings.stack, lambda: True),
            Said("profile_memory", settings.memory, lambda: True),
            Said("data_process", settings.data_process, lambda: True),
            Said("parallel_strategy", settings.parallel_strategy, lambda: True),
            # By default it starts in the constructor, before the training loop calls `start`.
            Said("start_profile", True, lambda: False),
            Said("record_shapes", settings.shapes, lambda: True),
            Said("schedule", isinstance(plan, Schedule), lambda: _schedule(profiler, plan)),
            Said("on_trace_ready", True, lambda: handler_for(_WHOSE, profiler, handler, output)),
            Said("experimental_config", True, lambda: _experimental(profiler, settings)),
        )
        super().__init__(profiler.profile(**words), getattr(profiler, "mstx", None))


def _unsaid(settings: Any, plan: Any) -> dict[str, bool]:
    """The settings that MindSpore does not support, and whether they are set."""
    custom_schedule = localized("custom schedule functions", "自定义的 schedule 函数")
    return {
        "with_modules": settings.modules,
        "with_flops": settings.flops,
        "op_attr": settings.op_attr,
        "record_op_args": settings.record_op_args,
        "gc_detect_threshold": settings.gc_threshold_ms is not None,
        "host_sys numa": "numa" in settings.host_sys,
        "skip_first_wait": bool(getattr(plan, "skip_first_wait", 0)),
        custom_schedule: plan is not None and not isinstance(plan, Schedule),
    }


def _schedule(profiler: Any, plan: Any) -> Any:
    """MindSpore's schedule for ours; it accepts no other."""
    return profiler.schedule(
        wait=plan.wait, active=plan.active, warmup=plan.warmup, repeat=plan.repeat, skip_first=plan.skip_first
    )


def _experimental(profiler: Any, settings: Settings) -> Any:
    host_sys = [name for name in settings.host_sys if name != "numa"]
    words = in_words_of(
        _WHOSE,
        profiler._ExperimentalConfig,
        Said(
            "profiler_level",
            settings.level != "level0",
            lambda: getattr(profiler.ProfilerLevel, settings.level_name.replace("_none", "None")),
        ),
        Said(
            "aic_metrics",
            settings.level in ("level1", "level2"),
            lambda: getattr(profiler.AicoreMetrics, settings.metrics_name),
        ),
        Said("l2_cache", settings.l2_cache, lambda: True),
        Said("mstx", settings.mstx, lambda: True),
        Said("data_simplification", not settings.simplify, lambda: False),
        Said(
            "export_type",
            settings.export != ["text"],
            lambda: [getattr(profiler.ExportType, name) for name in settings.export_names],
        ),
        Said("mstx_domain_include", settings.mstx_domain_include, lambda: settings.mstx_domain_include),
        Said("mstx_domain_exclude", settings.mstx_domain_exclude, lambda: settings.mstx_domain_exclude),
        Said("sys_io", settings.sys_io, lambda: True),
        Said("sys_interconnection", settings.sys_interconnection, lambda: True),
        Said("host_sys", host_sys, lambda: [getattr(profiler.HostSystem, name.upper()) for name in host_sys]),
    )
    return profiler._ExperimentalConfig(**words)
