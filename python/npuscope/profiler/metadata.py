"""The metadata of a recording: environment variables, rank, communication groups, settings."""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Optional

from npuscope import rank
from npuscope.guard import Guarded, guarded, warn
from npuscope.language import localized
from npuscope.profiler.scheduling import Schedule
from npuscope.profiler.settings import Settings

#: The environment variables that torch_npu records.
ENVIRONMENT = (
    "ASCEND_GLOBAL_LOG_LEVEL",
    "HCCL_RDMA_TC",
    "HCCL_RDMA_SL",
    "ACLNN_CACHE_LIMIT",
    "HOST_CACHE_CAPACITY",
    "ASCEND_ENHANCE_ENABLE",
    "PYTORCH_NPU_ALLOC_CONF",
    "ASCEND_LAUNCH_BLOCKING",
    "HCCL_ALGO",
)

#: CANN's names of metrics that differ from those of the enumeration in more than case.
_METRICS = {"memory": "MEMORY_BANDWIDTH", "memory_l0": "L0B_AND_WIDTH"}


class KeepsMetadata(Guarded):
    """A profiler to which scripts can add metadata."""

    @guarded
    def add_metadata(self, key: str, value: str) -> None:
        """Add a text under a key to the profiler_metadata.json of every recording."""
        if not isinstance(key, str) or not isinstance(value, str):
            warn(
                localized(
                    f"add_metadata: {key!r} is ignored; key and value must be text",
                    f"add_metadata：已忽略 {key!r}；键和值必须为文本",
                )
            )
            return
        self._keep(key, value)

    @guarded
    def add_metadata_json(self, key: str, value: str) -> None:
        """Add a value, given as JSON, under a key to the profiler_metadata.json of every recording."""
        try:
            self._keep(key, parsed(key, value))
        except ValueError as error:
            warn(
                localized(
                    f"add_metadata_json: {key!r} is ignored; {error}", f"add_metadata_json：已忽略 {key!r}；{error}"
                )
            )

    def _keep(self, key: str, value: Any) -> None:
        raise NotImplementedError


def metadata_of(added: dict[str, Any], this_rank: Optional[int]) -> dict[str, Any]:
    """The content of profiler_metadata.json. Values that the script added take precedence."""
    found: dict[str, Any] = {"ENV_VARIABLES": {name: os.environ.get(name, "") for name in ENVIRONMENT}}
    world = rank.world_size()
    if world is not None:
        found["distributed_args"] = {"rank": this_rank or 0, "world_size": world}
    groups = _groups()
    if groups:
        found["parallel_group_info"] = groups
    return {**found, **added}


def _groups() -> dict[str, Any]:
    """The groups of torch.distributed, by the names of their communicators, as torch_npu writes them."""
    distributed = rank.torch_distributed()
    module: Any = sys.modules.get("torch.distributed.distributed_c10d")
    if distributed is None or module is None:
        return {}
    try:
        groups = {}
        for group, name in dict(module._world.pg_names).items():
            ranks = distributed.get_process_group_ranks(group)
            whole = len(ranks) == distributed.get_world_size()
            groups[str(name)] = {
                "group_name": "default_group" if whole else str(getattr(group, "group_desc", name)),
                "group_rank": distributed.get_rank(group),
                "global_ranks": list(ranks),
            }
        return groups
    except Exception:  # noqa: BLE001 - these are torch's inner parts; without them the groups are merely unnamed
        return {}


def info_of(settings: Settings, plan: Any) -> dict[str, Any]:
    """The part `config` of profiler_info, with torch_npu's keys."""
    schedule = plan.to_dict() if isinstance(plan, Schedule) else {}
    activities = [name for name, wanted in (("CPU", settings.cpu), ("NPU", settings.npu)) if wanted]
    return {
        "common_config": {
            "activities": [f"ProfilerActivity.{name}" for name in activities],
            "schedule": schedule,
            "record_shapes": settings.shapes,
            "profile_memory": settings.memory,
            "with_stack": settings.stack,
            "with_flops": settings.flops,
            "with_modules": settings.modules,
        },
        "experimental_config": {
            "_profiler_level": settings.level_name,
            "_aic_metrics": "ACL_AICORE_" + _METRICS.get(settings.aic_metrics, settings.aic_metrics.upper()),
            "_l2_cache": settings.l2_cache,
            "_mstx": settings.mstx,
            "_msprof_tx": settings.mstx,
            "_data_simplification": settings.simplify,
            "record_op_args": settings.record_op_args,
            "_export_type": settings.export,
            "_op_attr": settings.op_attr,
            "_gc_detect_threshold": settings.gc_threshold_ms,
            "_host_sys": settings.host_sys,
            "_mstx_domain_include": settings.mstx_domain_include,
            "_mstx_domain_exclude": settings.mstx_domain_exclude,
            "_sys_io": settings.sys_io,
            "_sys_interconnection": settings.sys_interconnection,
        },
    }


def parsed(key: Any, text: Any) -> Any:
    """The value of `add_metadata_json`; raises `ValueError` if it is not JSON."""
    if not isinstance(key, str) or not isinstance(text, str):
        # One exception for all bad input.
        raise ValueError(localized("key and value must be text", "键和值必须为文本"))  # noqa: TRY004
    return json.loads(text)
