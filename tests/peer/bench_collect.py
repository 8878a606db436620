"""What recording costs the training loop: `make bench-collect`.

Everything is CPU time of one thread, in one process. What is compared runs in turns of a few microseconds to
milliseconds, so that a slow second of the machine meets both sides, and the answer is the median over all turns. The
noise beside an answer is the 95 % interval of that median, from the turns drawn again at random; what is compared with
itself in the same way shows what the method adds. Exits with 1 if a bar is missed.
"""

from __future__ import annotations

import json
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable

import torch
from viztracer import VizTracer

import npuscope
from npuscope import mstx

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))
import train_torch

ROUNDS = 9

#: Turns of calls, and calls in a turn.
CALL_TURNS, CALLS = 1200, 500

#: Turns of steps, and steps in a turn, of which the first ones fill the caches again and do not count.
STEP_TURNS, STEPS, UNCOUNTED = 120, 13, 3

#: The most that a range may take in nanoseconds, the least that `record_function` must take compared with it, the most
#: that a call may take compared with that of an empty built-in when nothing is recorded, and the most that ranges may
#: add to a step.
RANGE_NS, RECORD_FUNCTION, OFF, STEP = 300, 5, 1.3, 0.02


def cost(work: Callable[[int], None], count: int = 50_000) -> float:
    """Nanoseconds of one of `count`, in the best round."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.thread_time_ns()
        work(count)
        best = min(best, time.thread_time_ns() - start)
        # The writer gets its turn, as it does in training.
        time.sleep(0.02)
    return best / count


def turn(work: Callable[[int], None], count: int = CALLS) -> float:
    """Nanoseconds of one of `count`, once."""
    start = time.thread_time_ns()
    work(count)
    return (time.thread_time_ns() - start) / count


class Answer:
    """The median over turns, and half of its 95 % interval."""

    def __init__(self, turns: Sequence[float]) -> None:
        self.median = statistics.median(turns)
        draw = random.Random(1)
        again = sorted(statistics.median(draw.choices(turns, k=len(turns))) for _ in range(400))
        self.noise = (again[389] - again[10]) / 2


def off_and_builtin() -> tuple[Answer, Answer, Answer]:
    """Nanoseconds of a range that is not recorded and of an empty built-in, and how many times the one is the other."""
    works = [bare, starts, empty_builtin]
    offs, builtins, ratios = [], [], []
    for number in range(CALL_TURNS):
        # Each work comes first, second and last equally often.
        order = works[number % 3 :] + works[: number % 3]
        took = {work: turn(work) for work in order}
        offs.append(took[starts] - took[bare])
        builtins.append(took[empty_builtin] - took[bare])
        ratios.append(offs[-1] / builtins[-1])
    return Answer(offs), Answer(builtins), Answer(ratios)


def bare(count: int) -> None:
    for _ in range(count):
        pass


def ranges(count: int) -> None:
    start, end = mstx.range_start, mstx.range_end
    for _ in range(count):
        end(start("forward"))


def starts(count: int) -> None:
    start = mstx.range_start
    for _ in range(count):
        start("forward")


def empty_builtin(count: int) -> None:
    builtin = callable
    for _ in range(count):
        builtin("forward")


def record_functions(count: int) -> None:
    record_function = torch.profiler.record_function
    for _ in range(count):
        with record_function("forward"):
            pass


def nothing() -> None:
    pass


def calls(count: int) -> None:
    function = nothing
    for _ in range(count):
        function()


def viztracer_events(tracer: Any) -> Callable[[int], None]:
    def events(count: int) -> None:
        for _ in range(count):
            with tracer.log_event("forward"):
                pass

    return events


def native(place: Path, **settings: Any) -> Any:
    """Our recorder, without analysis afterwards."""
    ready = npuscope.tensorboard_trace_handler(str(place), analyse_flag=False)
    return npuscope.profile(on_trace_ready=ready, backend="native", **settings)


def step_costs(place: Path) -> tuple[Answer, Answer, Answer, Answer]:
    """CPU milliseconds of a step of the example without recording and of our writer meanwhile, the part of a step that
    recording its ranges adds, and the same part between steps that are both not recorded."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = train_torch.Model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    words = torch.stack([text for (text,) in train_torch.texts(8)])

    def steps(after: Callable[[], None]) -> tuple[float, float]:
        """Milliseconds of the median step, and of other threads of the process for each step."""
        took = []
        thread, process = time.thread_time_ns(), time.process_time_ns()
        for _ in range(STEPS):
            start = time.thread_time_ns()
            train_torch.step(model, optimizer, words)
            after()
            took.append((time.thread_time_ns() - start) / 1e6)
        thread, process = time.thread_time_ns() - thread, time.process_time_ns() - process
        return statistics.median(took[UNCOUNTED:]), (process - thread) / STEPS / 1e6

    def not_recorded() -> tuple[float, float]:
        return steps(lambda: None)

    def recorded() -> tuple[float, float]:
        schedule = npuscope.schedule(wait=0, warmup=0, active=2 * STEPS, repeat=1)
        with native(place, activities=[npuscope.ProfilerActivity.NPU], schedule=schedule) as prof:
            return steps(prof.step)

    for _ in range(5):
        not_recorded()
    without, beside, added, control = [], [], [], []
    for number in range(STEP_TURNS):
        # A drift of the machine meets the kinds in either order.
        order = [not_recorded, recorded, not_recorded]
        first, (with_ranges, writer), last = (kind() for kind in order)
        before, after = (first[0], last[0]) if number % 2 else (last[0], first[0])
        without.append(before)
        beside.append(writer)
        added.append(with_ranges / ((before + after) / 2) - 1)
        control.append(after / before - 1)
    return Answer(without), Answer(beside), Answer(added), Answer(control)


def main() -> None:
    place = Path(tempfile.mkdtemp(prefix="npuscope-bench-"))
    off, builtin, ratio = off_and_builtin()
    loop = cost(bare)
    with native(place):
        pair = cost(ranges) - loop
    (directory,) = place.glob("*_ascend_pt")
    summary = json.loads((directory / "profiler_metadata.json").read_text())["npuscope"]
    assert summary["records"] >= ROUNDS * 50_000 and summary["dropped"] == 0, summary
    call = cost(calls) - loop
    with native(place, with_stack=True):
        ours = cost(calls) - loop
    # Their rings and lists grow with every event, so they get fewer.
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]):
        record_function = cost(record_functions, 5_000) - loop
    tracer = VizTracer(verbose=0, tracer_entries=2_000_000)
    tracer.start()
    tracer_call = cost(calls, 20_000) - loop
    tracer_event = cost(viztracer_events(tracer), 5_000) - loop
    tracer.stop()
    tracer.clear()
    without, writer, added, control = step_costs(place)
    shutil.rmtree(place, ignore_errors=True)

    missed = []

    def line(what: str, value: str, note: str = "", holds: bool = True) -> None:
        print(f"{what:<46}{value:>12}   {note}{'' if holds else '   MISSED'}".rstrip())
        if not holds:
            missed.append(what)

    theirs = record_function / pair
    line("an empty loop", f"{loop:.0f} ns")
    line("range_start and range_end, recorded", f"{pair:.0f} ns", f"at most {RANGE_NS}", pair <= RANGE_NS)
    line(
        "record_function, recorded",
        f"{record_function:.0f} ns",
        f"{theirs:.1f} times ours; at least {RECORD_FUNCTION}",
        theirs >= RECORD_FUNCTION,
    )
    line("viztracer's log_event", f"{tracer_event:.0f} ns", f"{tracer_event / pair:.1f} times ours")
    line(
        "range_start, nothing recorded",
        f"{off.median:.1f} ns",
        f"{ratio.median:.2f} ± {ratio.noise:.2f} times an empty built-in; at most {OFF}",
        ratio.median <= OFF,
    )
    line("an empty built-in (callable)", f"{builtin.median:.1f} ns", f"± {builtin.noise:.1f} ns")
    line("a Python call", f"{call:.0f} ns")
    line("a Python call, recorded", f"{ours:.0f} ns")
    line("a Python call under viztracer", f"{tracer_call:.0f} ns", f"{tracer_call / ours:.1f} times ours")
    line("a step of the example", f"{without.median:.3f} ms", f"± {without.noise:.3f} ms")
    line(
        "recording the ranges of a step adds",
        f"{added.median * 100:+.2f} %",
        f"± {added.noise * 100:.2f} %; at most {STEP * 100:.0f} %",
        added.median <= STEP,
    )
    line("recording nothing adds, measured alike", f"{control.median * 100:+.2f} %", f"± {control.noise * 100:.2f} %")
    beside = writer.median / without.median
    line("our writing thread meanwhile", f"{writer.median:.3f} ms", f"{beside * 100:.2f} % of another processor")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
