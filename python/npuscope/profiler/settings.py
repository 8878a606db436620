"""The settings of a recording; arguments, files, flags and the environment are all converted to them."""

from __future__ import annotations

import dataclasses
import difflib
from typing import Any, Optional

from npuscope.guard import warn
from npuscope.language import localized
from npuscope.profiler.enums import AiCMetrics, ExportType, ProfilerActivity, ProfilerLevel
from npuscope.profiler.experimental import _ExperimentalConfig, flag

#: Other arguments of `torch_npu.profiler.profile` and `mindspore.profiler.profile`, and why they are ignored.
_ACCEPTED = {
    "data_process": None,
    "parallel_strategy": None,
    "start_profile": None,
    "sync_enable": None,
    "execution_trace_observer": ("execution traces are not recorded", "不采集 execution trace"),
    "custom_trace_id_callback": None,
    "use_cuda": ("activities select the device", "设备由 activities 选择"),
    "hbm_ddr": ("profile_memory has the same effect", "profile_memory 的作用相同"),
    "pcie": ("sys_interconnection has the same effect", "sys_interconnection 的作用相同"),
}


@dataclasses.dataclass
class Settings:
    """The settings of a recording. The fields are those of `CollectConfig` in the compiled part."""

    enabled: bool = True
    ranks: Any = "all"
    stages: Any = "all"
    schedule: Optional[dict[str, Any]] = None
    first_step: int = 0
    cpu: bool = True
    npu: bool = True
    level: str = "level0"
    aic_metrics: str = "none"
    stack: bool = False
    modules: bool = False
    memory: bool = False
    shapes: bool = False
    flops: bool = False
    mstx: bool = False
    mstx_domain_include: list[str] = dataclasses.field(default_factory=list)
    mstx_domain_exclude: list[str] = dataclasses.field(default_factory=list)
    l2_cache: bool = False
    sys_io: bool = False
    sys_interconnection: bool = False
    op_attr: bool = False
    record_op_args: bool = False
    host_sys: list[str] = dataclasses.field(default_factory=list)
    gc_threshold_ms: Optional[float] = None
    export: list[str] = dataclasses.field(default_factory=lambda: ["text"])
    simplify: bool = True
    #: Whether `simplify` was set, and is not just the default of torch_npu and MindSpore.
    simplify_asked: bool = False
    output: str = ""
    analyse: str = "off"
    data_process: bool = False
    parallel_strategy: bool = False
    metadata: dict[str, Any] = dataclasses.field(default_factory=dict)

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Settings:
        """From a `CollectConfig`; fields of a newer compiled part are ignored."""
        known = {field.name for field in dataclasses.fields(cls)}
        return cls(**{name: value for name, value in config.items() if name in known})

    @classmethod
    def from_arguments(
        cls,
        activities: Any,
        record_shapes: Any,
        profile_memory: Any,
        with_stack: Any,
        with_modules: Any,
        with_flops: Any,
        experimental_config: Any,
        others: dict[str, Any],
    ) -> Settings:
        """From the arguments of `profile`. Invalid ones are corrected with a warning."""
        for name, value in others.items():
            if name not in _ACCEPTED:
                near = difflib.get_close_matches(name, [*_ARGUMENTS, *_ACCEPTED], 1)
                did_you_mean = localized(f". Did you mean {near[0]!r}?", f"。是否指 {near[0]!r}？") if near else ""
                warn(
                    localized(f"profile has no argument {name!r}; it is ignored", f"profile 没有参数 {name!r}；已忽略")
                    + did_you_mean
                )
                continue
            reason = _ACCEPTED[name]
            if reason is not None and value:
                why = localized(*reason)
                warn(localized(f"profile: {name} is ignored: {why}", f"profile：已忽略 {name}：{why}"))
        cpu, npu = _activities(activities)
        experimental = experimental_config
        if experimental is None:
            experimental = _ExperimentalConfig()
        elif not isinstance(experimental, _ExperimentalConfig):
            warn(
                localized(
                    f"experimental_config is {experimental!r}, expected an _ExperimentalConfig; the default is used",
                    f"experimental_config 为 {experimental!r}，应为 _ExperimentalConfig；使用默认值",
                )
            )
            experimental = _ExperimentalConfig()
        return cls(
            cpu=cpu,
            npu=npu,
            level=experimental.profiler_level.value.replace("level_none", "none"),
            aic_metrics=experimental.aic_metrics.value,
            stack=flag("with_stack", with_stack),
            modules=flag("with_modules", with_modules),
            memory=flag("profile_memory", profile_memory),
            shapes=flag("record_shapes", record_shapes),
            flops=flag("with_flops", with_flops),
            mstx=experimental.mstx,
            mstx_domain_include=experimental.mstx_domain_include,
            mstx_domain_exclude=experimental.mstx_domain_exclude,
            l2_cache=experimental.l2_cache,
            sys_io=experimental.sys_io,
            sys_interconnection=experimental.sys_interconnection,
            op_attr=experimental.op_attr,
            record_op_args=experimental.record_op_args,
            host_sys=[one.value for one in experimental.host_sys],
            gc_threshold_ms=experimental.gc_detect_threshold,
            export=[one.value for one in experimental.export_type],
            simplify=experimental.data_simplification,
            data_process=flag("data_process", others.get("data_process")),
            parallel_strategy=flag("parallel_strategy", others.get("parallel_strategy")),
        )

    @property
    def level_name(self) -> str:
        """Level0, Level1, Level2 or Level_none, as torch_npu writes it."""
        return "Level_none" if self.level == "none" else ProfilerLevel.of(self.level).name  # type: ignore[union-attr]

    @property
    def metrics_name(self) -> str:
        """PipeUtilization and so on, as torch_npu's and MindSpore's enumerations name it."""
        return next(member.name for member in AiCMetrics if member.value == self.aic_metrics)

    @property
    def export_names(self) -> list[str]:
        """Text and Db, as the enumerations name them."""
        return [next(member.name for member in ExportType if member.value == one) for one in self.export]

    def wants_rank(self, rank: Optional[int]) -> bool:
        """Whether to record this rank. A process without a rank is the only process, rank 0."""
        return self.ranks == "all" or (rank or 0) in self.ranks

    def is_unsure_of(self, rank: Optional[int], world_size: Optional[int]) -> bool:
        """Whether it may be wrong to treat a process without a rank as rank 0."""
        return self.ranks != "all" and rank is None and (list(self.ranks) != [0] or (world_size or 1) > 1)


_ARGUMENTS = [
    "activities",
    "schedule",
    "on_trace_ready",
    "record_shapes",
    "profile_memory",
    "with_stack",
    "with_modules",
    "with_flops",
    "experimental_config",
    "backend",
    "output",
    "rank",
    "budget",
    "spool",
]


def _activities(asked: Any) -> tuple[bool, bool]:
    """Whether to record the host and the device. As in torch_npu, an empty or invalid list selects both."""
    if asked is None:
        return True, True
    values = list(asked) if isinstance(asked, (list, tuple, set, frozenset)) else [asked]
    members = [ProfilerActivity.of(value) for value in values]
    if not members or None in members:
        if members:
            warn(
                localized(
                    f"activities is {asked!r}, expected a list of ProfilerActivity; CPU and NPU are used",
                    f"activities 为 {asked!r}，应为 ProfilerActivity 的列表；使用 CPU 和 NPU",
                )
            )
        return True, True
    return ProfilerActivity.CPU in members, any(member is not ProfilerActivity.CPU for member in members)
