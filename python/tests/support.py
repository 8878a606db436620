"""What tests share: a quiet place to write, and standard error as lines."""

from __future__ import annotations

import contextlib
import csv
import importlib.util
import io
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import npuscope
from npuscope import guard, program

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLES = REPOSITORY / "examples"
PACKAGE = Path(npuscope.__file__).resolve().parents[1]

# Tests quote English sentences, whatever the locale of whoever runs them.
os.environ["LC_ALL"] = "C.UTF-8"


class Case(unittest.TestCase):
    """A test with a directory of its own, in a process where nothing was warned of yet."""

    def setUp(self) -> None:
        self.place = Path(tempfile.mkdtemp(prefix="npuscope-test-"))
        self.addCleanup(shutil.rmtree, self.place, ignore_errors=True)
        guard._reported.clear()

    def children(self, directory: Path) -> list[Path]:
        """The directories that were recorded there, oldest first."""
        return (
            sorted(directory.glob("*_ascend_*"), key=lambda path: path.name.split("_")[-3])
            if directory.exists()
            else []
        )


@contextlib.contextmanager
def standard_error() -> Iterator[list[str]]:
    """The lines that are printed to standard error meanwhile; filled in at the end."""
    lines: list[str] = []
    caught = io.StringIO()
    with contextlib.redirect_stderr(caught):
        yield lines
    lines.extend(caught.getvalue().splitlines())


def run(*command: Any, check: bool = True, **environment: Any) -> subprocess.CompletedProcess[str]:
    """Run Python on a script or on `-c` text, with this package and the program under test."""
    variables = {
        name: value
        for name, value in os.environ.items()
        if name not in ("RANK", "RANK_ID", "WORLD_SIZE", "MS_PROFILER_OPTIONS", "NPUSCOPE_RECORDED_BY")
    }
    variables.update(
        {"PYTHONPATH": f"{PACKAGE}{os.pathsep}{EXAMPLES}", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore"}
    )
    variables.update({name: str(value) for name, value in environment.items()})
    done = subprocess.run(
        [sys.executable, *map(str, command)], check=False, capture_output=True, text=True, timeout=300, env=variables
    )
    if check and done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


def npuscope_program(*arguments: Any) -> str:
    """What the program prints; fails if it does."""
    command = [program.required(), *map(str, arguments)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def sql(profile: Path, query: str) -> list[tuple[str, ...]]:
    """The rows of a query, as texts."""
    return [
        tuple(row) for row in csv.reader(npuscope_program("sql", profile, query, "--format", "csv").splitlines()[1:])
    ]


def needs(there: Any, otherwise: str) -> Callable[[Any], Any]:
    """Skip a test where something is missing, and say so, once, whatever the runner prints about skipped tests."""
    if not there and otherwise not in _missing:
        _missing.add(otherwise)
        print(f"tests are skipped: {otherwise}", file=sys.stderr)
    return unittest.skipUnless(there, otherwise)


_missing: set[str] = set()


def installed(module: str) -> bool:
    """Whether a module can be imported; it is not."""
    return importlib.util.find_spec(module) is not None


needs_program = needs(
    program.find(), "the program npuscope was not found; the environment variable NPUSCOPE may name it"
)


def records(file: Path) -> Iterator[tuple[int, bytes, dict[int, str]]]:
    """The whole records of a FRAMEWORK file: type, fixed part, inner texts by type."""
    fixed = {1: 58, 2: 40, 3: 77, 4: 8, 0x101: 48, 0x102: 24, 0x103: 24}
    data = file.read_bytes() if file.exists() else b""
    at = 0
    while at + 6 <= len(data):
        kind, length = struct.unpack_from("<HI", data, at)
        value = data[at + 6 : at + 6 + length]
        if len(value) < length:
            return
        texts, inner = {}, fixed[kind]
        while inner + 6 <= len(value):
            inner_kind, inner_length = struct.unpack_from("<HI", value, inner)
            texts[inner_kind] = value[inner + 6 : inner + 6 + inner_length].decode()
            inner += 6 + inner_length
        yield kind, value[: fixed[kind]], texts
        at += 6 + length


def steps(directory: Path) -> list[str]:
    """The names of the steps that were recorded, in the order of their ends."""
    return [
        texts[2]
        for _, _, texts in records(directory / "FRAMEWORK" / "torch.op_range")
        if texts[2].startswith("ProfilerStep#")
    ]


def ranges(directory: Path, domain: str = "default") -> list[str]:
    """The names of the ranges of a domain, in the order of their ends."""
    found = []
    for kind, _, texts in records(directory / "FRAMEWORK" / "npuscope.events"):
        if kind == 0x101 and texts.get(2, "default") == domain:
            found.append(texts[1])
    return found


def metadata(directory: Path) -> dict[str, Any]:
    return json.loads((directory / "profiler_metadata.json").read_text())


def info(directory: Path) -> dict[str, Any]:
    (file,) = directory.glob("profiler_info*.json")
    return json.loads(file.read_text())


def wait_for(path: Path) -> None:
    """Until a file or directory is there."""
    deadline = time.monotonic() + 120
    while not path.exists():
        if time.monotonic() > deadline:
            raise AssertionError(f"{path} does not appear")
        time.sleep(0.01)


def edit(file: Path, **changes: Any) -> None:
    """Change a JSON file as careful editors do: whoever looks sees it before or after, never half written."""
    content = {**json.loads(file.read_text()), **changes}
    scratch = file.with_suffix(".new")
    scratch.write_text(json.dumps(content))
    os.replace(scratch, file)
