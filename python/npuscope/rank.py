"""The rank of this process and the size of its job."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any, Optional


def rank() -> Optional[int]:
    """The rank of this process, from the launcher's environment, torch.distributed or MindSpore; None if unknown."""
    return _asked("get_rank", "RANK", "RANK_ID", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID")


def world_size() -> Optional[int]:
    """The number of processes of the job, or None if it is unknown."""
    names = ("WORLD_SIZE", "RANK_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS")
    return _asked("get_world_size", *names, of_mindspore="get_group_size")


def number(name: str) -> Optional[int]:
    """The value of an environment variable that is a whole number, or None."""
    text = os.environ.get(name, "").strip()
    # There are digits that are not of ASCII, and some of them are no numbers.
    return int(text) if text.isascii() and text.isdigit() else None


def _asked(of_torch: str, *names: str, of_mindspore: Optional[str] = None) -> Optional[int]:
    for name in names:
        found = number(name)
        if found is not None:
            return found
    distributed = torch_distributed()
    if distributed is not None:
        return int(getattr(distributed, of_torch)())
    communication: Any = sys.modules.get("mindspore.communication")
    try:
        return None if communication is None else int(getattr(communication, of_mindspore or of_torch)())
    except Exception:  # noqa: BLE001 - it raises where a job has not been initialised, or is none
        return None


def torch_distributed() -> Any:
    """torch.distributed if the script has initialised it. This never imports it."""
    distributed = sys.modules.get("torch.distributed")
    # A half imported torch raises anything.
    with contextlib.suppress(Exception):
        if distributed is not None and distributed.is_available() and distributed.is_initialized():
            return distributed
    return None
