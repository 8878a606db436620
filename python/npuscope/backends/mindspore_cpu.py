"""The backend `mindspore_cpu`: the operators and the memory that MindSpore records on a CPU, and our recorder.

MindSpore's own profiler writes tables of its own there. They are read when a cycle ends, and become operators and
allocations of the recording, beside steps, ranges and the rest.
"""

from __future__ import annotations

import csv
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional

from npuscope import _npuscope
from npuscope.backends.base import Context
from npuscope.backends.native import NativeBackend
from npuscope.guard import describe, warn
from npuscope.language import localized


class MindSporeCpuBackend(NativeBackend):
    """Runs the recorder of MindSpore that `mindspore.Profiler` runs on a CPU, in a scratch directory."""

    name = "mindspore_cpu"

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._mindspore: Any = None
        self._scratch: Optional[Path] = None
        self._began = (0, 0)

    def start(self) -> None:
        super().start()
        if not self.settings.cpu or self.settings.level == "none":
            return
        try:
            from mindspore import _c_expression

            self._scratch = Path(tempfile.mkdtemp(prefix="npuscope-mindspore-"))
            recorder = _c_expression.Profiler.get_instance("CPU")
            self._began = _moment()
            recorder.init(str(self._scratch))
            recorder.step_profiling_enable(True)
            recorder.enable_op_time()
            if self.settings.memory:
                recorder.enable_profile_memory()
            self._mindspore = recorder
        except Exception as error:  # noqa: BLE001 - its inner parts, which another version may lack
            self._remove()
            why = describe(error)
            warn(
                localized(
                    f"MindSpore's operators are not recorded, only steps and ranges: {why}",
                    f"不采集 MindSpore 的算子，只采集 step 和区间：{why}",
                )
            )

    def stop(self) -> None:
        self._stop_mindspore()
        super().stop()

    def _stop_mindspore(self) -> None:
        recorder, self._mindspore = self._mindspore, None
        if recorder is None or self._scratch is None:
            return
        try:
            _finish_operators()
            recorder.stop()
            self._take_over(self._scratch)
        finally:
            self._remove()

    def _take_over(self, directory: Path) -> None:
        """Record what MindSpore wrote. Its times are those of the wall clock."""
        assert self._recorder is not None
        clock = _Clock(self._began, _moment())
        shapes = dict(_shapes(directory)) if self.settings.shapes else {}
        for name, start, duration in _operators(directory):
            self._recorder.op(name, clock.at(start), clock.at(start + duration), input_shapes=shapes.get(_short(name)))
        before = 0
        for at, allocated, reserved in _allocations(directory):
            if allocated != before:
                # MindSpore records the sum only, without addresses.
                self._recorder.memory(0, allocated - before, allocated, reserved, time=clock.at(at))
                before = allocated

    def _remove(self) -> None:
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)
            self._scratch = None

    def abandon(self) -> None:
        recorder, self._mindspore = self._mindspore, None
        if recorder is not None:
            recorder.stop()
        self._remove()
        super().abandon()


def _moment() -> tuple[int, int]:
    """The same moment by the wall clock, in nanoseconds, and by the clock of the recorder."""
    return time.time_ns(), _npuscope.now()


class _Clock:
    """Converts times of the wall clock to the recorder's, whose unit may be the ticks of a processor's counter."""

    def __init__(self, begin: tuple[int, int], end: tuple[int, int]) -> None:
        self._wall, self._count = begin
        self._rate = (end[1] - begin[1]) / max(1, end[0] - begin[0])

    def at(self, wall: int) -> int:
        return self._count + round((wall - self._wall) * self._rate)


def _finish_operators() -> None:
    """Wait for operators that run in the background."""
    from mindspore.graph.api import _pynative_executor

    _pynative_executor.sync()


def _operators(directory: Path) -> Iterator[tuple[str, int, int]]:
    """Name, start and duration in nanoseconds, from lines `name;kind;start,milliseconds,thread start,…`."""
    for file in directory.glob("cpu_op_execute_timestamp_*.txt"):
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, rest = line.partition(";")
            for run in rest.rpartition(";")[2].split():
                parts = run.split(",")
                if len(parts) >= 2:
                    yield name, int(parts[0]), round(float(parts[1]) * 1e6)


def _short(name: str) -> str:
    """The name of an operator without its scope, `Default/BiasAdd-op0`."""
    return name.rpartition("/")[2]


def _shapes(directory: Path) -> Iterator[tuple[str, str]]:
    """The input shapes of operators, from lines `kind;name;graph;input_1:[2, 1];…`, as torch_npu writes shapes."""
    for file in directory.glob("cpu_framework_*.txt"):
        for parts in csv.reader(file.read_text(encoding="utf-8", errors="replace").splitlines(), delimiter=";"):
            shapes = [part.partition(":")[2].strip("[] ") for part in parts[3:] if part.startswith("input_")]
            known = [shape.replace(" ", "") for shape in shapes if shape != "NoShape"]
            if len(parts) > 1 and parts[1] and known:
                yield _short(parts[1]), ";".join(known)


def _allocations(directory: Path) -> Iterator[tuple[int, int, int]]:
    """Time, allocated and reserved bytes, from a table with a line of headings."""
    for file in directory.glob("cpu_ms_memory_record_*.txt"):
        for row in list(csv.reader(file.read_text(encoding="utf-8", errors="replace").splitlines()))[1:]:
            if len(row) >= 3:
                yield int(row[0]), int(row[1]), int(row[2])
