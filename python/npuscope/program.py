"""The program `npuscope`, which reads and analyses what was recorded. It always runs in a process of its own."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Optional


class ProgramMissing(RuntimeError):
    """The program `npuscope` is nowhere to be found."""

    def __init__(self) -> None:
        super().__init__(
            "the program npuscope was not found: install the wheel npuscope, put the program on PATH, "
            "or name it in the environment variable NPUSCOPE"
        )


def find() -> Optional[str]:
    """The program: named by NPUSCOPE, else beside the interpreter, where a wheel puts it, else on PATH."""
    named = os.environ.get("NPUSCOPE")
    if named:
        return shutil.which(named)
    beside = Path(sys.executable).parent / "npuscope"
    if beside.is_file() and os.access(beside, os.X_OK):
        return str(beside)
    return shutil.which("npuscope")


def required() -> str:
    """The program, or an error that says how to get it."""
    found = find()
    if found is None:
        raise ProgramMissing()
    return found
