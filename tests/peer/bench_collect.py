"""What recording costs the one who is recorded: `make bench-collect`.

Everything is measured in one process, in turns, as the best of several rounds of CPU time of the thread. The loop
around a call is measured too and taken off. Ends with 1 if a bar is missed.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable

import torch
from viztracer import VizTracer

import npuscope
from npuscope import mstx

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))
import train_torch

ROUNDS = 9

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


def step_costs(place: Path) -> tuple[float, ...]:
    """CPU milliseconds of a step of the example without recording, with ranges recorded, and of our writer."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = train_torch.Model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    words = torch.stack([text for (text,) in train_torch.texts(8)])

    def step_ms(count: int, after: Callable[[], None]) -> tuple[float, float]:
        thread, process = time.thread_time_ns(), time.process_time_ns()
        for _ in range(count):
            train_torch.step(model, optimizer, words)
            after()
        thread, process = time.thread_time_ns() - thread, time.process_time_ns() - process
        return thread / count / 1e6, (process - thread) / count / 1e6

    step_ms(50, lambda: None)
    without, recorded, beside = [], [], []
    for _ in range(15):
        without.append(step_ms(100, lambda: None)[0])
        schedule = npuscope.schedule(wait=0, warmup=0, active=200, repeat=1)
        with native(place, activities=[npuscope.ProfilerActivity.NPU], schedule=schedule) as prof:
            step, writer = step_ms(100, prof.step)
        recorded.append(step)
        beside.append(writer)
    # The quietest rounds of each: what else runs on the machine only ever adds.
    return tuple(sum(sorted(rounds)[:5]) / 5 for rounds in (without, recorded, beside))


def main() -> None:
    place = Path(tempfile.mkdtemp(prefix="npuscope-bench-"))
    # These are nanoseconds: in turns, so that a slow second of the machine meets all of them.
    turns = [(cost(bare), cost(starts), cost(empty_builtin)) for _ in range(8)]
    loop, off, builtin = (min(turn) for turn in zip(*turns))
    off, builtin = off - loop, builtin - loop
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
    without, recorded, writer = step_costs(place)
    shutil.rmtree(place, ignore_errors=True)

    missed = []

    def line(what: str, value: str, note: str = "", holds: bool = True) -> None:
        print(f"{what:<46}{value:>12}   {note}{'' if holds else '   MISSED'}".rstrip())
        if not holds:
            missed.append(what)

    theirs, ratio, added = record_function / pair, off / builtin, recorded / without - 1
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
        f"{off:.1f} ns",
        f"{ratio:.2f} times an empty built-in; at most {OFF}",
        ratio <= OFF,
    )
    line("an empty built-in (callable)", f"{builtin:.1f} ns")
    line("a Python call", f"{call:.0f} ns")
    line("a Python call, recorded", f"{ours:.0f} ns")
    line("a Python call under viztracer", f"{tracer_call:.0f} ns", f"{tracer_call / ours:.1f} times ours")
    line("a step of the example", f"{without:.3f} ms")
    line(
        "a step with its ranges recorded",
        f"{recorded:.3f} ms",
        f"{added * 100:+.2f} %; at most {STEP * 100:.0f} %",
        added <= STEP,
    )
    line("our writing thread meanwhile", f"{writer:.3f} ms", f"{writer / without * 100:.2f} % of another processor")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
