"""Selects the backend: the profiler of torch_npu or MindSpore on an Ascend NPU, torch.profiler, or our recorder."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any, Optional

from npuscope.guard import describe, warn
from npuscope.language import localized

#: The backends, by the names that `profile(backend=...)` accepts.
NAMES = ("torch_npu", "mindspore", "mindspore_cpu", "torch", "native", "cann")


def choose(name: Optional[str] = None) -> str:
    """The backend to use: the named one, else the best available one.

    - `torch_npu` if torch or torch_npu is imported, torch_npu is installed and detects an NPU;
    - `mindspore` if MindSpore is imported and its device is Ascend, `mindspore_cpu` if it is the CPU;
    - `torch` if torch is imported;
    - `native` otherwise.

    This imports no framework except torch_npu next to its torch: an import takes seconds and gigabytes, and a script
    that has not imported a framework trains without it. `cann` is used only by name.
    """
    if name is not None:
        if name in NAMES:
            return name
        known = ", ".join(NAMES)
        warn(
            localized(
                f"unknown backend {name!r}; expected one of {known}. The best available backend is used",
                f"未知的后端 {name!r}；应为 {known} 之一。使用可用的最佳后端",
            )
        )
    if ("torch_npu" in sys.modules or ("torch" in sys.modules and importable("torch_npu"))) and _torch_npu_works():
        return "torch_npu"
    target = _mindspore_target() if "mindspore" in sys.modules else None
    if target in ("Ascend", "CPU"):
        return "mindspore" if target == "Ascend" else "mindspore_cpu"
    if "torch" in sys.modules and hasattr(sys.modules["torch"], "profiler"):
        return "torch"
    return "native"


def importable(module: str) -> bool:
    """Whether a module is installed; this does not import it."""
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _torch_npu_works() -> bool:
    """Whether torch_npu can be imported and has a device. Images with torch_npu also run on machines without NPU."""
    try:
        import torch_npu

        if torch_npu.npu.is_available():
            return True
        why = localized("detects no NPU", "未检测到 NPU")
    except Exception as error:  # noqa: BLE001 - without CANN's libraries, or beside another torch, anything may come
        why = localized(f"cannot be used ({describe(error)})", f"无法使用（{describe(error)}）")
    warn(
        localized(
            f"torch_npu is installed, but {why}; only the host is recorded",
            f"已安装 torch_npu，但{why}；只采集主机",
        )
    )
    return False


def _mindspore_target() -> Optional[str]:
    mindspore: Any = sys.modules["mindspore"]
    try:
        return str(mindspore.get_context("device_target"))
    except Exception:  # noqa: BLE001 - a half imported MindSpore has no device
        return None
