"""The backend `mindspore`: its own profiler, told what to do by our settings. Directories and markers are its own."""

from __future__ import annotations

from typing import Any, Callable, Optional

from npuscope.backends.base import Context, ForeignProfiler
from npuscope.backends.foreign import Borrowed
from npuscope.guard import warn
from npuscope.profiler.handler import TraceHandler
from npuscope.profiler.scheduling import Schedule


class MindSporeProfiler(ForeignProfiler):
    """`mindspore.profiler.profile`, with the arguments that say the same."""

    name = "mindspore"

    def __init__(self, context: Context, plan: Optional[Callable[[int], Any]], handler: Any, output: str) -> None:
        from mindspore import profiler

        settings = context.settings
        for what, asked in _unsaid(settings, plan).items():
            if asked:
                warn(f"MindSpore's profiler has no {what}; it is left out")
        experimental = profiler._ExperimentalConfig(
            profiler_level=getattr(profiler.ProfilerLevel, settings.level_name.replace("_none", "None")),
            aic_metrics=getattr(profiler.AicoreMetrics, settings.metrics_name),
            l2_cache=settings.l2_cache,
            mstx=settings.mstx,
            data_simplification=settings.simplify,
            export_type=[getattr(profiler.ExportType, name) for name in settings.export_names],
            mstx_domain_include=settings.mstx_domain_include,
            mstx_domain_exclude=settings.mstx_domain_exclude,
            sys_io=settings.sys_io,
            sys_interconnection=settings.sys_interconnection,
            host_sys=[getattr(profiler.HostSystem, name.upper()) for name in settings.host_sys if name != "numa"],
        )
        self._profiler = profiler.profile(
            activities=[
                getattr(profiler.ProfilerActivity, name)
                for name, wanted in (("CPU", settings.cpu), ("NPU", settings.npu))
                if wanted
            ],
            with_stack=settings.stack,
            profile_memory=settings.memory,
            data_process=settings.data_process,
            parallel_strategy=settings.parallel_strategy,
            # It would start in the constructor, before the training loop says so.
            start_profile=False,
            record_shapes=settings.shapes,
            schedule=_schedule(profiler, plan),
            on_trace_ready=_handler(profiler, handler, output),
            experimental_config=experimental,
        )
        self._marks = profiler.mstx
        self._borrowed = Borrowed()

    def start(self) -> None:
        self._profiler.start()
        self._borrowed.take(self._marks)

    def step(self) -> None:
        self._profiler.step()

    def stop(self) -> None:
        self._borrowed.give_back()
        self._profiler.stop()

    def add_metadata_json(self, key: str, text: str) -> None:
        self._profiler.add_metadata_json(key, text)

    def abandon(self) -> None:
        self._borrowed.give_back()


def _unsaid(settings: Any, plan: Any) -> dict[str, bool]:
    """What was asked for and cannot be said to MindSpore."""
    return {
        "with_modules": settings.modules,
        "with_flops": settings.flops,
        "op_attr": settings.op_attr,
        "record_op_args": settings.record_op_args,
        "gc_detect_threshold": settings.gc_threshold_ms is not None,
        "host_sys numa": "numa" in settings.host_sys,
        "skip_first_wait": bool(getattr(plan, "skip_first_wait", 0)),
        "schedule of somebody else's making": plan is not None and not isinstance(plan, Schedule),
    }


def _schedule(profiler: Any, plan: Any) -> Any:
    """Their schedule for ours; they take no other."""
    if not isinstance(plan, Schedule):
        return None
    return profiler.schedule(
        wait=plan.wait, active=plan.active, warmup=plan.warmup, repeat=plan.repeat, skip_first=plan.skip_first
    )


def _handler(profiler: Any, handler: Any, output: str) -> Any:
    """Their handler for ours. It also says where to write, so there always is one."""
    if handler is None or isinstance(handler, TraceHandler):
        asked = handler or TraceHandler(None, None, False, False)
        return profiler.tensorboard_trace_handler(
            asked.dir_name or output,
            worker_name=asked.worker_name,
            analyse_flag=asked.analyse_flag,
            async_mode=asked.async_mode,
        )
    return handler
