"""`_ExperimentalConfig`: settings that torch_npu and MindSpore keep apart from the arguments of `profile`."""

from __future__ import annotations

from typing import Any, Optional

from npuscope.guard import warn
from npuscope.language import localized
from npuscope.profiler.enums import AiCMetrics, ExportType, HostSystem, ProfilerLevel


def flag(name: str, value: Any, default: bool = False) -> bool:
    """A switch; any value but True and False becomes the default, with a warning."""
    if isinstance(value, bool):
        return value
    if value is not None:
        warn(
            localized(
                f"{name} is {value!r}, expected True or False; {default} is used",
                f"{name} 为 {value!r}，应为 True 或 False；使用 {default}",
            )
        )
    return default


class _ExperimentalConfig:
    """The level of detail, the metrics and the format of a recording.

    :param profiler_level: level of detail, a `ProfilerLevel`
    :param aic_metrics: AI Core metrics, an `AiCMetrics`; requires Level1 or Level2
    :param l2_cache: record hits and misses of the L2 cache
    :param msprof_tx: older name of `mstx` in torch_npu
    :param mstx: also record mstx marks and ranges on the device
    :param data_simplification: remove raw data that is no longer needed after parsing
    :param record_op_args: record the arguments of operators, for tuning
    :param op_attr: record attributes of operators; requires the format db
    :param gc_detect_threshold: record garbage collections that take at least this many milliseconds; 0 records all
    :param export_type: format of the deliverables, an `ExportType` or a list of them
    :param host_sys: usage data to sample on the host, a list of `HostSystem`
    :param mstx_domain_include: record only these domains of `mstx`
    :param mstx_domain_exclude: record all domains of `mstx` except these
    :param sys_io: sample network cards (NIC and RoCE)
    :param sys_interconnection: sample links between chips (HCCS and PCIe)

    Invalid values are replaced by their defaults with a warning; nothing is raised.
    """

    def __init__(
        self,
        profiler_level: Any = ProfilerLevel.Level0,
        aic_metrics: Any = None,
        l2_cache: bool = False,
        msprof_tx: bool = False,
        mstx: bool = False,
        data_simplification: Optional[bool] = True,
        record_op_args: bool = False,
        op_attr: bool = False,
        gc_detect_threshold: Optional[float] = None,
        export_type: Any = None,
        host_sys: Optional[list[Any]] = None,
        mstx_domain_include: Optional[list[str]] = None,
        mstx_domain_exclude: Optional[list[str]] = None,
        sys_io: bool = False,
        sys_interconnection: bool = False,
        **unknown: Any,
    ) -> None:
        for name in unknown:
            warn(
                localized(
                    f"_ExperimentalConfig has no argument {name!r}; it is ignored",
                    f"_ExperimentalConfig 没有参数 {name!r}；已忽略",
                )
            )
        self.l2_cache = flag("l2_cache", l2_cache)
        self.mstx = flag("mstx", mstx) or flag("msprof_tx", msprof_tx)
        self.data_simplification = flag("data_simplification", data_simplification, True)
        self.record_op_args = flag("record_op_args", record_op_args)
        self.sys_io = flag("sys_io", sys_io)
        self.sys_interconnection = flag("sys_interconnection", sys_interconnection)
        self.profiler_level: ProfilerLevel = _member(
            ProfilerLevel, "profiler_level", profiler_level, ProfilerLevel.Level0
        )
        self.aic_metrics = self._metrics(aic_metrics)
        self.export_type: list[ExportType] = _members(ExportType, "export_type", export_type) or [ExportType.Text]
        self.host_sys: list[HostSystem] = _members(HostSystem, "host_sys", host_sys)
        self.gc_detect_threshold = _threshold(gc_detect_threshold)
        self.op_attr = flag("op_attr", op_attr)
        if self.op_attr and ExportType.Db not in self.export_type:
            warn(
                localized(
                    "op_attr requires ExportType.Db in export_type; it is ignored",
                    "op_attr 要求 export_type 包含 ExportType.Db；已忽略",
                )
            )
            self.op_attr = False
        self.mstx_domain_include = _domains("mstx_domain_include", mstx_domain_include)
        self.mstx_domain_exclude = _domains("mstx_domain_exclude", mstx_domain_exclude)
        if self.mstx_domain_include and self.mstx_domain_exclude:
            warn(
                localized(
                    "mstx_domain_include and mstx_domain_exclude are both set; mstx_domain_exclude is ignored",
                    "同时设置了 mstx_domain_include 和 mstx_domain_exclude；已忽略 mstx_domain_exclude",
                )
            )
            self.mstx_domain_exclude = []
        if self.profiler_level is ProfilerLevel.Level_none and not self.mstx:
            warn(
                localized(
                    "Level_none without mstx records no device data; mstx is switched on",
                    "Level_none 且未开启 mstx 时不采集设备数据；已开启 mstx",
                )
            )
            self.mstx = True

    def _metrics(self, asked: Any) -> AiCMetrics:
        """AI Core metrics require Level1 or Level2; there, the default is the utilization of the pipes."""
        deep = self.profiler_level in (ProfilerLevel.Level1, ProfilerLevel.Level2)
        default = AiCMetrics.PipeUtilization if deep else AiCMetrics.AiCoreNone
        if asked is None:
            return default
        metrics: AiCMetrics = _member(AiCMetrics, "aic_metrics", asked, default)
        if not deep and metrics is not AiCMetrics.AiCoreNone:
            warn(
                localized(
                    f"aic_metrics {metrics.name} requires Level1 or Level2; it is ignored",
                    f"aic_metrics {metrics.name} 需要 Level1 或 Level2；已忽略",
                )
            )
            return AiCMetrics.AiCoreNone
        return metrics


def _member(kind: Any, name: str, value: Any, default: Any) -> Any:
    member = kind.of(value)
    if member is None:
        known = ", ".join(kind.__members__)
        warn(
            localized(
                f"{name} is {value!r}, expected one of {known}; {default.name} is used",
                f"{name} 为 {value!r}，应为 {known} 之一；使用 {default.name}",
            )
        )
        return default
    return member


def _members(kind: Any, name: str, value: Any) -> list[Any]:
    """A list of members, each once; an invalid one empties the list, as in torch_npu."""
    if value is None:
        return []
    values = list(value) if isinstance(value, (list, tuple, set, frozenset)) else [value]
    members: list[Any] = []
    for one in values:
        member = kind.of(one)
        if member is None:
            known = ", ".join(kind.__members__)
            warn(
                localized(
                    f"{name} contains {one!r}, expected {known}; the default is used",
                    f"{name} 包含 {one!r}，应为 {known} 之一；使用默认值",
                )
            )
            return []
        if member not in members:
            members.append(member)
    return members


def _threshold(value: Any) -> Optional[float]:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0:
        warn(
            localized(
                f"gc_detect_threshold is {value!r}, expected a number of milliseconds, 0 or more; it is ignored",
                f"gc_detect_threshold 为 {value!r}，应为不小于 0 的毫秒数；已忽略",
            )
        )
        return None
    return float(value)


def _domains(name: str, value: Any) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, (list, tuple)) or not all(isinstance(one, str) and one for one in value):
        warn(
            localized(
                f"{name} is {value!r}, expected a list of names; it is ignored",
                f"{name} 为 {value!r}，应为名称列表；已忽略",
            )
        )
        return []
    return list(value)
