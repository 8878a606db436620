"""Names of settings, spelled as in torch_npu and MindSpore, so that scripts need no change."""

from __future__ import annotations

import enum
from typing import Any, Optional


class _Named(enum.Enum):
    """An enumeration whose members are also found by their text and by members of a framework's enumeration."""

    @classmethod
    def of(cls, value: Any) -> Optional[Any]:
        """The member for a value, or None."""
        if isinstance(value, cls):
            return value
        for text in (getattr(value, "name", None), getattr(value, "value", None), value):
            if not isinstance(text, str):
                continue
            key = text.rpartition(".")[2].replace("_", "").lower()
            for member in cls:
                if key in (member.name.replace("_", "").lower(), str(member.value).replace("_", "").lower()):
                    return member
        return None


class ProfilerActivity(_Named):
    """What to record: the host or the device."""

    CPU = "CPU"
    NPU = "NPU"
    #: The device of a machine with GPUs; the same as NPU.
    GPU = "GPU"
    CUDA = "CUDA"


class ProfilerLevel(_Named):
    """The level of detail of device data."""

    #: Only the marks of `mstx`.
    Level_none = "level_none"
    #: Kernels and their times.
    Level0 = "level0"
    #: Also AI Core metrics and the tasks of communication operations.
    Level1 = "level1"
    #: Also calls of the CANN runtime, and the AI CPU.
    Level2 = "level2"
    #: MindSpore's spelling.
    LevelNone = "level_none"


class AiCMetrics(_Named):
    """The AI Core metrics to record."""

    PipeUtilization = "pipe_utilization"
    ArithmeticUtilization = "arithmetic_utilization"
    Memory = "memory"
    MemoryL0 = "memory_l0"
    MemoryUB = "memory_ub"
    ResourceConflictRatio = "resource_conflict_ratio"
    L2Cache = "l2_cache"
    MemoryAccess = "memory_access"
    AiCoreNone = "none"


#: MindSpore's name of the same.
AicoreMetrics = AiCMetrics


class ExportType(_Named):
    """The format of deliverables: text (CSV and JSON files) or db (a database)."""

    Text = "text"
    Db = "db"


class HostSystem(_Named):
    """The usage data to sample on the host."""

    CPU = "cpu"
    MEM = "mem"
    DISK = "disk"
    NETWORK = "network"
    OSRT = "osrt"
    NUMA = "numa"


class ProfilerAction(enum.IntEnum):
    """The action of a schedule for a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3
