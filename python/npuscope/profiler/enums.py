"""Names for what may be collected, spelled as torch_npu and MindSpore spell them, so that scripts need no change."""

from __future__ import annotations

import enum
from typing import Any, Optional


class _Named(enum.Enum):
    """An enumeration whose members are also found by their text, and by the members of other frameworks' own."""

    @classmethod
    def of(cls, value: Any) -> Optional[Any]:
        """The member that `value` means, or None."""
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
    """Where to look: the host, or the device."""

    CPU = "CPU"
    NPU = "NPU"
    #: The device of a machine with a GPU; the same as NPU to us.
    GPU = "GPU"
    CUDA = "CUDA"


class ProfilerLevel(_Named):
    """How deep to look into the device."""

    #: Nothing of the device but the marks of `mstx`.
    Level_none = "level_none"
    #: Kernels and their times.
    Level0 = "level0"
    #: The parts of collectives and the counters of the AI Cores, too.
    Level1 = "level1"
    #: Calls of the runtime and the AI CPU, too.
    Level2 = "level2"
    #: MindSpore's spelling.
    LevelNone = "level_none"


class AiCMetrics(_Named):
    """Which counters of the AI Cores to read."""

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
    """What analysis writes: CSV and JSON files, or a database."""

    Text = "text"
    Db = "db"


class HostSystem(_Named):
    """What to sample of the host."""

    CPU = "cpu"
    MEM = "mem"
    DISK = "disk"
    NETWORK = "network"
    OSRT = "osrt"
    NUMA = "numa"


class ProfilerAction(enum.IntEnum):
    """What a schedule says about a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3
