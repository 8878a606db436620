"""`_ExperimentalConfig`: what torch_npu and MindSpore set apart from the arguments of `profile` itself."""

from __future__ import annotations

from typing import Any, Optional

from npuscope.guard import warn
from npuscope.profiler.enums import AiCMetrics, ExportType, HostSystem, ProfilerLevel


def flag(name: str, value: Any, default: bool = False) -> bool:
    """A switch; anything but True and False is the default, with a warning."""
    if isinstance(value, bool):
        return value
    if value is not None:
        warn(f"{name} is {value!r}, which is neither True nor False; {default} is used")
    return default


class _ExperimentalConfig:
    """How deep to look, and in which form to write.

    :param profiler_level: `ProfilerLevel`
    :param aic_metrics: `AiCMetrics`, from Level1 on
    :param l2_cache: hits and misses of the L2 cache
    :param msprof_tx: torch_npu's older name of `mstx`
    :param mstx: marks and ranges of `mstx` from the device's side, too
    :param data_simplification: let analysis remove what it no longer needs
    :param record_op_args: keep the arguments of operators, for tuning
    :param op_attr: attributes of operators; in databases only
    :param gc_detect_threshold: milliseconds from which on a garbage collection is recorded; 0 for all
    :param export_type: `ExportType`, or a list of them
    :param host_sys: list of `HostSystem`
    :param mstx_domain_include: record these domains of `mstx` only
    :param mstx_domain_exclude: record all domains of `mstx` but these
    :param sys_io: samples of network and PCIe devices
    :param sys_interconnection: samples of HCCS and PCIe

    What makes no sense is replaced by its default with a warning; nothing is raised.
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
            warn(f"_ExperimentalConfig has no {name!r}; it is ignored")
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
            warn("op_attr needs export_type to contain ExportType.Db; it is ignored")
            self.op_attr = False
        self.mstx_domain_include = _domains("mstx_domain_include", mstx_domain_include)
        self.mstx_domain_exclude = _domains("mstx_domain_exclude", mstx_domain_exclude)
        if self.mstx_domain_include and self.mstx_domain_exclude:
            warn("mstx_domain_include and mstx_domain_exclude are both given; mstx_domain_exclude is ignored")
            self.mstx_domain_exclude = []
        if self.profiler_level is ProfilerLevel.Level_none and not self.mstx:
            warn("Level_none without mstx would record nothing of the device; mstx is switched on")
            self.mstx = True

    def _metrics(self, asked: Any) -> AiCMetrics:
        """Counters of the AI Cores exist from Level1 on; there, the use of the pipes is read by default."""
        deep = self.profiler_level in (ProfilerLevel.Level1, ProfilerLevel.Level2)
        default = AiCMetrics.PipeUtilization if deep else AiCMetrics.AiCoreNone
        if asked is None:
            return default
        metrics: AiCMetrics = _member(AiCMetrics, "aic_metrics", asked, default)
        if not deep and metrics is not AiCMetrics.AiCoreNone:
            warn(f"aic_metrics {metrics.name} needs Level1 or Level2; it is ignored")
            return AiCMetrics.AiCoreNone
        return metrics


def _member(kind: Any, name: str, value: Any, default: Any) -> Any:
    member = kind.of(value)
    if member is None:
        warn(f"{name} is {value!r}, which is none of {', '.join(kind.__members__)}; {default.name} is used")
        return default
    return member


def _members(kind: Any, name: str, value: Any) -> list[Any]:
    """A list of members, each once; one that cannot be understood empties the list, as in torch_npu."""
    if value is None:
        return []
    values = list(value) if isinstance(value, (list, tuple, set, frozenset)) else [value]
    members: list[Any] = []
    for one in values:
        member = kind.of(one)
        if member is None:
            warn(f"{name} contains {one!r}, which is none of {', '.join(kind.__members__)}; the default is used")
            return []
        if member not in members:
            members.append(member)
    return members


def _threshold(value: Any) -> Optional[float]:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0:
        warn(f"gc_detect_threshold is {value!r}, which is not a number of milliseconds from 0 on; it is ignored")
        return None
    return float(value)


def _domains(name: str, value: Any) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, (list, tuple)) or not all(isinstance(one, str) and one for one in value):
        warn(f"{name} is {value!r}, which is not a list of names; it is ignored")
        return []
    return list(value)
