"""Which of the job's processes this is."""

from __future__ import annotations

import os
import sys
from typing import Any, Optional


def rank() -> Optional[int]:
    """The rank of this process: of the launcher's environment, else of torch.distributed, else None."""
    return _number("RANK", "RANK_ID", ask="get_rank")


def world_size() -> Optional[int]:
    """How many processes the job has, where somebody says so."""
    return _number("WORLD_SIZE", "RANK_SIZE", ask="get_world_size")


def _number(*names: str, ask: str) -> Optional[int]:
    for name in names:
        text = os.environ.get(name, "").strip()
        if text.isdigit():
            return int(text)
    distributed = torch_distributed()
    return int(getattr(distributed, ask)()) if distributed is not None else None


def torch_distributed() -> Any:
    """torch.distributed when the script has initialised it. It is never imported for this."""
    distributed = sys.modules.get("torch.distributed")
    try:
        if distributed is not None and distributed.is_available() and distributed.is_initialized():
            return distributed
    except Exception:  # noqa: BLE001 - a half imported torch has no answer
        pass
    return None
