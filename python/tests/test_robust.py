"""Nothing breaks training: whatever happens to the recording, the loop finishes, and one line says what was lost."""

from __future__ import annotations

import os
import shutil
import signal
import struct
import subprocess
import sys
import time
import unittest
from pathlib import Path
from typing import Any

from npuscope import program
from support import PACKAGE, Case, metadata, needs, needs_program, npuscope_program, ranges, records, run, sql, steps

#: The loop that every test runs, with something of its own done at step 5. Ranges are many and their names differ,
#: so that there
#: is much to write.
LOOP = """
import os, sys, time
import npuscope
from npuscope import mstx

place = sys.argv[1]

def before():
    pass

def happens(step):
    pass

{given}

before()
plan = npuscope.schedule(warmup=1, active=20, repeat=1)
result = os.path.join(place, "result")
with npuscope.profile(schedule=plan, output=result, backend="native", **globals().get("named", {{}})) as prof:
    for step in range(25):
        with mstx.annotate("forward"):
            if step == 5:
                happens(step)
            for number in range(globals().get("much", 10)):
                mstx.range_end(mstx.range_start(f"range {{step}} {{number}}"))
        time.sleep(0.005)
        prof.step()
print("finished")
"""


class TestRobust(Case):
    def loop(self, given: str, warnings: int, **environment: Any) -> list[str]:
        """Run the loop; it finishes, well, and prints so many lines. They are answered."""
        done = run("-c", LOOP.format(given=given), self.place, **environment)
        self.assertEqual(done.stdout, "finished\n")
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), warnings, done.stderr)
        for line in lines:
            self.assertTrue(line.startswith("npuscope: "), line)
        return lines

    def recorded(self) -> Path:
        (directory,) = self.children(self.place / "result")
        return directory

    def test_files_may_not_grow(self) -> None:
        given = """
import resource
much = 2000
def happens(step):
    resource.setrlimit(resource.RLIMIT_FSIZE, (16384, 16384))
"""
        (line,) = self.loop(given, 1)
        self.assertIn("profiling is off, training continues", line)

    def test_the_disk_is_full(self) -> None:
        small = self.place / "result"
        small.mkdir()
        mount = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
        tried = (
            subprocess.run([*mount, f"mount -t tmpfs -o size=256k none {small}"], check=False, capture_output=True)
            if shutil.which("unshare")
            else None
        )
        if tried is None or tried.returncode != 0:
            self.skipTest("no small file system can be mounted here")
        script = self.place / "loop.py"
        script.write_text(LOOP.format(given="much = 3000"))
        command = f"mount -t tmpfs -o size=256k none {small} && exec {sys.executable} {script} {self.place}"
        done = subprocess.run(
            [*mount, command],
            check=False,
            capture_output=True,
            text=True,
            timeout=300,
            env={**os.environ, "PYTHONPATH": str(PACKAGE)},
        )
        self.assertEqual((done.returncode, done.stdout), (0, "finished\n"), done.stderr)
        (line,) = done.stderr.splitlines()
        self.assertIn("profiling is off, training continues", line)

    def test_the_path_cannot_be_written(self) -> None:
        (self.place / "result").write_text("a file, where a directory should be")
        (line,) = self.loop("", 1)
        self.assertIn("profiling is off, training continues", line)

    def test_the_path_vanishes(self) -> None:
        given = "import shutil\ndef happens(step):\n    shutil.rmtree(os.path.join(place, 'result'))"
        (line,) = self.loop(given, 1)
        self.assertIn("profiling is off, training continues", line)

    def test_the_libraries_of_cann_are_not_there(self) -> None:
        script = """
import sys, npuscope
with npuscope.profile(output=sys.argv[1], backend="cann") as prof:
    prof.step()
print("finished")
"""
        done = run("-c", script, self.place / "result", ASCEND_HOME_PATH="/nowhere")
        self.assertEqual(done.stdout, "finished\n")
        (line,) = done.stderr.splitlines()
        self.assertIn("libascendcl", line)
        self.assertIn("profiling is off, training continues", line)

    def test_a_handler_raises(self) -> None:
        given = "def handler(prof):\n    raise ValueError('not today')\nnamed = {'on_trace_ready': handler}"
        (line,) = self.loop(given, 1)
        self.assertIn("not today; profiling is off, training continues", line)

    def test_exceptions_inside_ranges(self) -> None:
        given = """
def happens(step):
    try:
        with mstx.annotate("outer"), mstx.annotate("inner"):
            raise KeyError
    except KeyError:
        pass
    opened = mstx.range_start("never ended")
"""
        self.loop(given, 0)
        found = ranges(self.recorded())
        self.assertEqual([name for name in found if name in ("outer", "inner")], ["inner", "outer"])
        self.assertEqual(metadata(self.recorded())["npuscope"]["open_ranges"], 1)

    def test_a_child_that_is_forked_leaves_the_parents_recording_alone(self) -> None:
        given = """
def happens(step):
    for ends in (True, False):
        child = os.fork()
        if child == 0:
            for number in range(1000):
                mstx.range_end(mstx.range_start("of the child"))
            prof.step()
            prof.stop()
            with npuscope.profile(output=os.path.join(place, "of the child"), backend="native"):
                mstx.range_end(mstx.range_start("of the child"))
            if ends:
                os._exit(0)
            sys.exit(0)
        assert os.waitpid(child, 0)[1] == 0
"""
        self.loop(given, 0)
        self.assertEqual(len(steps(self.recorded())), 20)
        self.assertNotIn("of the child", ranges(self.recorded()))
        self.assertEqual(len(self.children(self.place / "of the child")), 2)

    def test_64_threads(self) -> None:
        given = """
import threading
def work():
    for number in range(500):
        mstx.range_end(mstx.range_start("of a thread"))
def happens(step):
    threads = [threading.Thread(target=work) for _ in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""
        self.loop(given, 0)
        directory = self.recorded()
        self.assertEqual(metadata(directory)["npuscope"]["dropped"], 0)
        self.assertEqual(ranges(directory).count("of a thread"), 64 * 500)
        threads = {
            fixed[24:32]
            for kind, fixed, texts in records(directory / "FRAMEWORK" / "npuscope.events")
            if kind == 0x101 and texts[1] == "of a thread"
        }
        self.assertGreaterEqual(len(threads), 2)

    def test_threads_that_outlive_the_recording(self) -> None:
        given = """
import threading
named = {"with_stack": True}
done = threading.Event()
def work():
    while not done.is_set():
        mstx.range_end(mstx.range_start("of a thread"))
import atexit
def happens(step):
    global thread
    thread = threading.Thread(target=work)
    thread.start()
    threading.Timer(0.4, done.set).start()
"""
        self.loop(given, 0)
        self.assertIn("of a thread", ranges(self.recorded()))

    def test_the_budget_is_kept(self) -> None:
        self.loop("much = 5000\nnamed = {'budget': 200_000, 'with_stack': True}", 0)
        written = sum(file.stat().st_size for file in (self.recorded() / "FRAMEWORK").iterdir())
        self.assertLess(written, 2 * 200_000)
        self.assertTrue(metadata(self.recorded())["npuscope"]["degraded"])

    def test_two_profilers_at_once(self) -> None:
        given = """
def happens(step):
    with npuscope.profile(output=os.path.join(place, "second"), backend="native"):
        pass
"""
        (line,) = self.loop(given, 1)
        self.assertIn("profiling is off, training continues", line)
        self.assertEqual(len(steps(self.recorded())), 20)

    def test_a_profiler_that_nobody_stops_is_stopped_with_the_process(self) -> None:
        script = """
import sys, npuscope
npuscope.profile(output=sys.argv[1], backend="native").start()
npuscope.mstx.range_end(npuscope.mstx.range_start("forward"))
"""
        done = run("-c", script, self.place / "result")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertEqual(ranges(self.recorded()), ["forward"])
        self.assertEqual(metadata(self.recorded())["npuscope"]["dropped"], 0)

    def test_interrupts_pass_through(self) -> None:
        # Whoever runs the tests in the background has interrupts ignored, and children inherit that.
        given = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
def happens(step):
    os.kill(os.getpid(), signal.SIGINT)
"""
        done = run("-c", LOOP.format(given=given), self.place, check=False)
        self.assertIn("KeyboardInterrupt", done.stderr)
        self.assertNotEqual(done.returncode, 0)
        # What was recorded until then is there.
        self.assertIn("forward", ranges(self.recorded()))

    @needs_program
    def test_what_was_flushed_before_a_kill_is_readable(self) -> None:
        given = "def happens(step):\n    time.sleep(0.15)\n    print('recording', flush=True)\n    time.sleep(60)"
        variables = {**os.environ, "PYTHONPATH": str(PACKAGE)}
        command = [sys.executable, "-c", LOOP.format(given=given), str(self.place)]
        with subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, text=True) as training:
            assert training.stdout is not None
            self.assertEqual(training.stdout.readline(), "recording\n")
            training.send_signal(signal.SIGKILL)
        directory = self.recorded()
        npuscope_program("info", directory)
        self.assertEqual(sql(directory, "SELECT DISTINCT id FROM step ORDER BY 1"), [("1",), ("2",), ("3",), ("4",)])
        self.assertEqual(sql(directory, "SELECT count(*) FROM host_op WHERE name = 'forward'"), [("4",)])


#: A C library that lets the wall clock jump and leaves the other clocks alone.
CLOCK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
#include <sys/time.h>

static volatile long shift = 0;

void shift_clock(long seconds) { shift = seconds; }

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, now);
    if (result == 0 && clock == CLOCK_REALTIME) now->tv_sec += shift;
    return result;
}
"""


@needs(shutil.which("cc"), "there is no C compiler to make the wall clock jump with")
class TestClock(Case):
    def test_the_wall_clock_jumps_by_an_hour(self) -> None:
        source, library = self.place / "clock.c", self.place / "clock.so"
        source.write_text(CLOCK)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        for jump in (3600, -3600):
            with self.subTest(jump=jump):
                shutil.rmtree(self.place / "result", ignore_errors=True)
                given = f"""
import ctypes
def happens(step):
    before = time.time()
    ctypes.CDLL(None).shift_clock(ctypes.c_long({jump}))
    assert abs(time.time() - before - {jump}) < 60
"""
                done = run("-c", LOOP.format(given=given), self.place, LD_PRELOAD=library)
                self.assertEqual((done.stdout, done.stderr), ("finished\n", ""))
                (directory,) = self.children(self.place / "result")
                self.assertEqual(len(steps(directory)), 20)
                times = [
                    struct.unpack_from("<2q", fixed)
                    for _, fixed, texts in records(directory / "FRAMEWORK" / "torch.op_range")
                    if texts[2].startswith("ProfilerStep#")
                ]
                for (start, end), (following, _) in zip(times, times[1:]):
                    self.assertLess(start, end)
                    self.assertLessEqual(end, following)
                if program.find():
                    self.assertEqual(
                        sql(directory, 'SELECT max("end") - min(start) < 60000000000 FROM step'), [("true",)]
                    )
                    # The wall clock is looked at when recording starts, and not again.
                    ((began,),) = sql(directory, "SELECT min(start) FROM step")
                    self.assertLess(abs(int(began) / 1e9 - time.time()), 60)


if __name__ == "__main__":
    unittest.main()
