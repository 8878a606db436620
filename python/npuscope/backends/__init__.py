"""Who records: the profilers of torch_npu and MindSpore on an Ascend NPU, torch's own, or only our recorder."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any, Optional

from npuscope.guard import describe, warn

#: Every backend there is, by the name that `profile(backend=...)` takes.
NAMES = ("torch_npu", "mindspore", "torch", "native", "cann")


def choose(name: Optional[str] = None) -> str:
    """The backend to use: the one named, else the best of what this process has.

    - `torch_npu` where it is imported, or torch is and torch_npu can be, and there is an NPU;
    - `mindspore` where it is imported and its device is Ascend;
    - `torch` where torch is imported;
    - `native` otherwise.

    No framework is imported because of us, save torch_npu beside its own torch: importing one takes seconds and
    gigabytes, and a script that has not imported it trains without it. `cann` is used only by name.
    """
    if name is not None:
        if name in NAMES:
            return name
        warn(f"there is no backend {name!r}, only {', '.join(NAMES)}; the best of what is importable is used")
    if ("torch_npu" in sys.modules or ("torch" in sys.modules and importable("torch_npu"))) and _torch_npu_works():
        return "torch_npu"
    if "mindspore" in sys.modules and _mindspore_target() == "Ascend":
        return "mindspore"
    if "torch" in sys.modules and hasattr(sys.modules["torch"], "profiler"):
        return "torch"
    return "native"


def importable(module: str) -> bool:
    """Whether a module is installed; it is not imported."""
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _torch_npu_works() -> bool:
    """Whether torch_npu can be imported and has a device. Images with it are also started where there is none."""
    try:
        import torch_npu

        if torch_npu.npu.is_available():
            return True
        why = "finds no NPU"
    except Exception as error:  # noqa: BLE001 - without CANN's libraries, or beside another torch, anything may come
        why = f"cannot be used ({describe(error)})"
    warn(f"torch_npu is installed, but {why}; the host is recorded without it")
    return False


def _mindspore_target() -> Optional[str]:
    mindspore: Any = sys.modules["mindspore"]
    try:
        return str(mindspore.get_context("device_target"))
    except Exception:  # noqa: BLE001 - a half imported MindSpore has no device
        return None
