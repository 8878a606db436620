"""Finds the program `npuscope`, which parses and queries profiles. It always runs in a separate process."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Optional

from npuscope.language import localized


class ProgramMissing(RuntimeError):
    """The program `npuscope` was not found."""

    def __init__(self) -> None:
        super().__init__(
            localized(
                "the program npuscope was not found: install the wheel npuscope, add the program to PATH, "
                "or set the environment variable NPUSCOPE to its path",
                "未找到程序 npuscope：请安装 npuscope 的 wheel，将程序加入 PATH，或将环境变量 NPUSCOPE 设为其路径",
            )
        )


def find() -> Optional[str]:
    """The path of the program: from NPUSCOPE, else next to the interpreter, where a wheel puts it, else from PATH."""
    named = os.environ.get("NPUSCOPE")
    if named:
        return shutil.which(named)
    beside = Path(sys.executable).parent / "npuscope"
    if beside.is_file() and os.access(beside, os.X_OK):
        return str(beside)
    return shutil.which("npuscope")


def required() -> str:
    """The path of the program. Raises `ProgramMissing`, which says how to get it."""
    found = find()
    if found is None:
        raise ProgramMissing()
    return found
