"""Analysis happens in another process, and answers to questions come from there, too."""

from __future__ import annotations

import functools
import os
import stat
import subprocess
import time
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import npuscope
from npuscope import analysis, mstx, program, schedule, tensorboard_trace_handler
from support import Case, installed, needs, needs_program, standard_error


class TestProgram(Case):
    def setUp(self) -> None:
        super().setUp()
        # Those of other tests are none of this one's.
        running: list[tuple[subprocess.Popen[bytes], Path]] = []
        patch = mock.patch("npuscope.analysis._running", running)
        patch.start()
        self.addCleanup(patch.stop)
        self.addCleanup(self.end, running)

    def end(self, running: list[tuple[subprocess.Popen[bytes], Path]]) -> None:
        for process, _ in running:
            process.kill()
            process.wait()

    def script(self, text: str) -> str:
        path = self.place / "npuscope"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def record(self, **named: Any) -> npuscope.profile:
        handler = tensorboard_trace_handler(self.place / "result", **named)
        with npuscope.profile(
            schedule=schedule(warmup=1, active=1, repeat=1), on_trace_ready=handler, backend="native"
        ) as prof:
            for _ in range(3):
                prof.step()
        return prof

    def test_the_environment_names_the_program(self) -> None:
        with mock.patch.dict(os.environ, {"NPUSCOPE": self.script("")}):
            self.assertEqual(program.find(), str(self.place / "npuscope"))
        with mock.patch.dict(os.environ, {"NPUSCOPE": "/nowhere/npuscope"}):
            self.assertIsNone(program.find())

    def test_stop_waits_for_an_analysis_in_a_session_of_its_own(self) -> None:
        text = 'sleep 0.3; ps -o sid= -p $$ > "$2/session"; echo "$@"'
        with mock.patch.dict(os.environ, {"NPUSCOPE": self.script(text)}):
            prof = self.record()
        (directory,) = prof.directories
        threads = max(1, len(os.sched_getaffinity(0)) // 16)
        self.assertEqual((directory / "logs" / "parse.log").read_text(), f"parse {directory} --threads {threads}\n")
        self.assertNotEqual(int((directory / "session").read_text()), os.getsid(0))

    def test_async_does_not_wait(self) -> None:
        with mock.patch.dict(os.environ, {"NPUSCOPE": self.script('sleep 1; touch "$2/done"')}):
            prof = self.record(async_mode=True)
        self.assertFalse((prof.directories[0] / "done").exists())
        deadline = time.monotonic() + 30
        while not (prof.directories[0] / "done").exists():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def test_beside_training_an_analysis_takes_what_is_left(self) -> None:
        with (
            mock.patch.dict(
                os.environ, {"NPUSCOPE": self.script('ps -o ni= -p $$; echo "$4"'), "LOCAL_WORLD_SIZE": "2"}
            ),
            mock.patch("os.sched_getaffinity", return_value=set(range(32))),
        ):
            prof = self.record()
        niceness, threads = (prof.directories[0] / "logs" / "parse.log").read_text().split()
        self.assertEqual((niceness, threads), ("19", "8"))

    def test_nobody_waits_for_ever(self) -> None:
        with (
            mock.patch.dict(os.environ, {"NPUSCOPE": self.script("exec sleep 5")}),
            mock.patch("npuscope.analysis.wait", functools.partial(analysis.wait, limit=0.1)),
            standard_error() as lines,
        ):
            began = time.monotonic()
            self.record()
            self.assertLess(time.monotonic() - began, 4)
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("continues in the background", lines[0])

    def test_nobody_waits_when_training_has_failed(self) -> None:
        handler = tensorboard_trace_handler(self.place / "result")
        with mock.patch.dict(os.environ, {"NPUSCOPE": self.script("exec sleep 5")}):
            began = time.monotonic()
            with (
                self.assertRaises(KeyError),
                npuscope.profile(on_trace_ready=handler, backend="native"),
            ):
                raise KeyError("training")
            self.assertLess(time.monotonic() - began, 4)
        self.assertEqual(len(self.children(self.place / "result")), 1)

    def test_a_failure_that_nobody_waited_for_is_reported_when_the_next_begins(self) -> None:
        with (
            mock.patch.dict(os.environ, {"NPUSCOPE": self.script("exit 3")}),
            standard_error() as lines,
        ):
            prof = self.record(async_mode=True)
            deadline = time.monotonic() + 30
            while analysis._running[-1][0].poll() is None:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)
            self.record(async_mode=True)
        self.assertIn(f"{prof.directories[0]} failed with exit code 3", lines[0])

    def test_an_analysis_that_fails_is_reported_with_its_log(self) -> None:
        with (
            mock.patch.dict(os.environ, {"NPUSCOPE": self.script("echo no space >&2; exit 3")}),
            standard_error() as lines,
        ):
            prof = self.record()
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("parse.log", lines[0])
        self.assertEqual((prof.directories[0] / "logs" / "parse.log").read_text(), "no space\n")

    def test_without_the_program_it_is_reported_how_to_analyse_later(self) -> None:
        with mock.patch.dict(os.environ, {"NPUSCOPE": "/nowhere/npuscope"}), standard_error() as lines:
            self.record()
        self.assertEqual(len(lines), 1, lines)
        self.assertIn(f"npuscope parse {self.place / 'result'}", lines[0])

    def test_offline_analysis_says_what_the_program_says(self) -> None:
        with mock.patch.dict(os.environ, {"NPUSCOPE": self.script('echo "$@" > "$0.asked"; exit 0')}):
            self.assertTrue(
                npuscope.profiler.profiler.analyse(
                    profiler_path="./profiler_data", max_process_number=2, export_type=[npuscope.ExportType.Db]
                )
            )
        self.assertEqual((self.place / "npuscope.asked").read_text(), "--threads 2 parse profiler_data --format db\n")
        with (
            mock.patch.dict(os.environ, {"NPUSCOPE": self.script("echo 'error: nothing there' >&2; exit 1")}),
            standard_error() as lines,
        ):
            self.assertFalse(npuscope.analyse(self.place))
        self.assertIn("nothing there", lines[0])


@needs_program
class TestQuestions(Case):
    def recorded(self) -> Path:
        with npuscope.profile(
            schedule=schedule(warmup=1, active=2, repeat=1), output=self.place, backend="native", rank=1
        ) as prof:
            for _ in range(4):
                with mstx.annotate("forward"):
                    time.sleep(0.001)
                prof.step()
        return prof.directories[0]

    @needs(installed("pyarrow"), "pyarrow is not installed")
    def test_answers_are_arrow_tables(self) -> None:
        profile = npuscope.open(self.recorded())
        self.assertEqual(profile.ranks, [1])
        self.assertIn("host_op", profile.tables())
        table = profile.sql("SELECT name, duration FROM host_op WHERE name = 'forward'")
        self.assertEqual(table.column("name").to_pylist(), ["forward", "forward"])
        self.assertTrue(all(duration >= 1_000_000 for duration in table.column("duration").to_pylist()))

    @needs(installed("pyarrow"), "pyarrow is not installed")
    def test_views_are_arrow_tables(self) -> None:
        profile = npuscope.open(self.recorded())
        steps = profile.show("steps", rank=1)
        self.assertEqual(steps.column("rank").to_pylist(), [1, 1])
        number = steps.column("step").to_pylist()[0]
        self.assertEqual(profile.show("steps", rank=[1], step=number).num_rows, 1)
        ranges = profile.show("host_ops", kind="mstx")
        self.assertIn("forward", ranges.column("name").to_pylist())
        with self.assertRaisesRegex(npuscope.QueryError, "there is no view weather"):
            profile.show("weather")
        with self.assertRaisesRegex(npuscope.QueryError, "needs a point in time"):
            profile.show("gap", rank=1)

    @needs(installed("pandas"), "pandas is not installed")
    def test_answers_are_pandas_frames_if_asked_for(self) -> None:
        frame = npuscope.open(self.recorded()).sql("SELECT count(*) AS steps FROM step", df=True)
        self.assertEqual(list(frame["steps"]), [2])

    @needs(installed("pyarrow"), "pyarrow is not installed")
    def test_questions_that_cannot_be_answered_say_why(self) -> None:
        with self.assertRaisesRegex(npuscope.QueryError, "nosuch"):
            npuscope.open(self.recorded()).sql("SELECT nosuch FROM step")
        with self.assertRaises(FileNotFoundError):
            npuscope.open(self.place / "missing")

    def test_parsing_writes_the_deliverables(self) -> None:
        directory = self.recorded()
        self.assertTrue(npuscope.analyse(directory.parent))
        self.assertTrue((directory / "ASCEND_PROFILER_OUTPUT" / "analyse.done").exists())


if __name__ == "__main__":
    unittest.main()
