"""The backend `torch_npu`: its own profiler, told what to do by our settings. Directories and markers are its own."""

from __future__ import annotations

from typing import Any, Callable, Optional

from npuscope.backends.base import Context, ForeignProfiler
from npuscope.backends.foreign import Borrowed
from npuscope.profiler.handler import TraceHandler
from npuscope.profiler.scheduling import Schedule


class TorchNpuProfiler(ForeignProfiler):
    """`torch_npu.profiler.profile`, with the arguments that say the same."""

    name = "torch_npu"

    def __init__(self, context: Context, plan: Optional[Callable[[int], Any]], handler: Any, output: str) -> None:
        import torch_npu

        settings, profiler = context.settings, torch_npu.profiler
        activities = [
            getattr(profiler.ProfilerActivity, name)
            for name, wanted in (("CPU", settings.cpu), ("NPU", settings.npu))
            if wanted
        ]
        experimental = profiler._ExperimentalConfig(
            profiler_level=getattr(profiler.ProfilerLevel, settings.level_name),
            aic_metrics=getattr(profiler.AiCMetrics, settings.metrics_name),
            l2_cache=settings.l2_cache,
            mstx=settings.mstx,
            data_simplification=settings.simplify,
            record_op_args=settings.record_op_args,
            op_attr=settings.op_attr,
            gc_detect_threshold=settings.gc_threshold_ms,
            export_type=[getattr(profiler.ExportType, name) for name in settings.export_names],
            host_sys=[getattr(profiler.HostSystem, name.upper()) for name in settings.host_sys],
            mstx_domain_include=settings.mstx_domain_include,
            mstx_domain_exclude=settings.mstx_domain_exclude,
            sys_io=settings.sys_io,
            sys_interconnection=settings.sys_interconnection,
        )
        named = (
            {name: value for name, value in plan.to_dict().items() if name != "skip_first_wait" or value}
            if isinstance(plan, Schedule)
            else None
        )
        self._profiler = profiler.profile(
            activities=activities,
            schedule=profiler.schedule(**named) if named is not None else plan,
            on_trace_ready=_handler(profiler, handler, output),
            record_shapes=settings.shapes,
            profile_memory=settings.memory,
            with_stack=settings.stack,
            with_modules=settings.modules,
            with_flops=settings.flops,
            experimental_config=experimental,
        )
        self._marks = torch_npu.npu.mstx
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


def _handler(profiler: Any, handler: Any, output: str) -> Any:
    """Their handler for ours. Without one they would throw the data away, so there always is one."""
    if handler is None or isinstance(handler, TraceHandler):
        asked = handler or TraceHandler(None, None, False, False)
        return profiler.tensorboard_trace_handler(
            asked.dir_name or output,
            worker_name=asked.worker_name,
            analyse_flag=asked.analyse_flag,
            async_mode=asked.async_mode,
        )
    return handler
