"""Reports settings that the chosen backend cannot follow: once, when recording starts, in one line per reason."""

from __future__ import annotations

from collections.abc import Iterator

from npuscope.guard import warn
from npuscope.language import localized
from npuscope.profiler.settings import Settings

#: Backends of npuscope that record the host, and a GPU if torch has one. CANN's libraries record the device themselves.
OF_THE_HOST = ("native", "torch", "mindspore_cpu")


def report(settings: Settings, backend: str) -> None:
    """Warn about settings that have no effect with this backend. Frameworks' profilers report theirs themselves."""
    if backend not in OF_THE_HOST:
        return
    names = ", ".join(_of_the_device(settings))
    if names:
        warn(
            localized(
                f"without an NPU, these settings have no effect: {names}", f"没有 NPU 时，以下设置不起作用：{names}"
            )
        )
    names = ", ".join(_of_operators(settings, backend))
    if settings.level == "none":
        if names:
            warn(
                localized(
                    f"level_none records only steps, ranges and marks; these settings have no effect: {names}",
                    f"level_none 只采集 step、区间和打点；以下设置不起作用：{names}",
                )
            )
    elif names and backend == "native":
        warn(
            localized(
                f"operators are recorded only with torch or MindSpore, which were not imported before start(); "
                f"these settings have no effect: {names}",
                f"只有在 start() 之前导入 torch 或 MindSpore 才采集算子；以下设置不起作用：{names}",
            )
        )
    elif names and not settings.cpu:
        warn(
            localized(
                f"the activity CPU is off, so operators of the host are not recorded; there, these settings have no "
                f"effect: {names}",
                f"未开启 CPU activity，不采集主机侧算子；在主机侧以下设置不起作用：{names}",
            )
        )
    elif names:
        warn(
            localized(
                f"MindSpore does not record this on a CPU; these settings have no effect: {names}",
                f"MindSpore 在 CPU 上不采集以下内容，这些设置不起作用：{names}",
            )
        )


def _of_the_device(settings: Settings) -> Iterator[str]:
    if settings.level in ("level1", "level2"):
        yield f"profiler_level={settings.level}"
    switches = {
        "l2_cache": settings.l2_cache,
        "sys_io": settings.sys_io,
        "sys_interconnection": settings.sys_interconnection,
        "op_attr": settings.op_attr,
        "record_op_args": settings.record_op_args,
        "host_sys": bool(settings.host_sys),
        "data_simplification": settings.simplify_asked,
        "data_process": settings.data_process,
        "parallel_strategy": settings.parallel_strategy,
    }
    yield from (name for name, wanted in switches.items() if wanted)


def _of_operators(settings: Settings, backend: str) -> Iterator[str]:
    """The settings about operators that have no effect here."""
    native_calls = backend in ("native", "mindspore_cpu") and settings.cpu and settings.level != "none"
    wanted = {
        "record_shapes": settings.shapes,
        "profile_memory": settings.memory,
        "with_flops": settings.flops,
        # Our recorder records Python calls by itself.
        "with_stack": settings.stack and not native_calls,
        "with_modules": settings.modules and not native_calls,
    }
    works = {"torch": set(wanted), "mindspore_cpu": {"record_shapes", "profile_memory"}, "native": set()}[backend]
    if not settings.cpu or settings.level == "none":
        works = set()
    yield from (name for name, asked in wanted.items() if asked and name not in works)
