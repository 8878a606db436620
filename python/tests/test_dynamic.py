"""`DynamicProfilerMonitor`: a file that may be edited while training runs says what to record."""

from __future__ import annotations

import json
import os
import shutil
import time
import unittest
from typing import Any, Callable, Optional
from unittest import mock

import npuscope
from npuscope import mstx
from npuscope.profiler import dynamic_profile
from support import Case, needs_program, npuscope_program, run, standard_error, steps

#: As the guide has it, integers and all.
GUIDE = {
    "start_step": 2,
    "stop_step": 5,
    "aicore_metrics": -1,
    "profiler_level": 0,
    "activities": 0,
    "analyse_mode": -1,
    "parallel_strategy": False,
    "with_stack": False,
    "data_simplification": True,
}


class TestMonitor(Case):
    def setUp(self) -> None:
        super().setUp()
        self.control = self.place / "cfg_path"
        self.control.mkdir()
        self.file = self.control / "profiler_config.json"
        self.output = self.place / "output_path"

    def write(self, content: Any) -> None:
        """Write the file as careful editors do, and wait until it has been looked at."""
        scratch = self.file.with_suffix(".new")
        scratch.write_text(content if isinstance(content, str) else json.dumps(content))
        os.replace(scratch, self.file)
        time.sleep(0.5)

    def train(self, count: int = 15, edits: Optional[dict[int, Callable[[], Any]]] = None, **named: Any) -> None:
        """Steps are counted from 1; an edit is made while its step runs."""
        with npuscope.DynamicProfilerMonitor(
            self.control, self.output, poll_interval=0.05, backend="native", **named
        ) as monitor:
            for step in range(1, count + 1):
                with mstx.annotate("forward"):
                    time.sleep(0.002)
                    (edits or {}).get(step, lambda: None)()
                monitor.step()

    def recorded(self) -> dict[str, list[list[str]]]:
        if not self.output.exists():
            return {}
        return {
            path.name: [steps(directory) for directory in self.children(path)] for path in sorted(self.output.iterdir())
        }

    def test_two_windows_as_in_the_guide(self) -> None:
        self.write(GUIDE)
        self.train(edits={6: lambda: self.write({**GUIDE, "start_step": 8, "stop_step": 10})})
        self.assertEqual(
            self.recorded(),
            {
                "rank0_start2_stop5": [[f"ProfilerStep#{step}" for step in (2, 3, 4, 5)]],
                "rank0_start8_stop10": [[f"ProfilerStep#{step}" for step in (8, 9, 10)]],
            },
        )

    def test_the_style_of_torch_npu(self) -> None:
        # There, the start is that of the warm-up.
        self.train(
            edits={
                3: lambda: self.write({"start_step": 6, "active": 2, "warmup": 1, "is_rank": True, "rank_list": [0, 1]})
            }
        )
        self.assertEqual(list(self.recorded().values()), [[["ProfilerStep#7", "ProfilerStep#8"]]])

    def test_the_functions_of_torch_npu(self) -> None:
        dynamic_profile.init(self.control, output_path=self.output, poll_interval=0.05, backend="native")
        self.assertIn("is_rank", json.loads(self.file.read_text()))
        self.write({"start_step": 3, "active": 1})
        for _ in range(4):
            dynamic_profile.step()
        dynamic_profile.stop()
        self.assertEqual(self.recorded(), {"rank0_start3_stop3": [["ProfilerStep#3"]]})

    def test_other_ranks_record_nothing(self) -> None:
        self.train(
            edits={3: lambda: self.write({"start_step": 6, "active": 2, "is_rank": True, "rank_list": [0]})}, rank=1
        )
        self.assertEqual(self.recorded(), {})

    def test_a_file_is_written_where_there_is_none(self) -> None:
        self.train(3)
        self.assertIn("start_step", json.loads(self.file.read_text()))
        self.assertEqual(self.recorded(), {})

    def test_a_malformed_file_is_reported_once_and_a_good_one_taken_after_it(self) -> None:
        with standard_error() as lines:
            self.train(
                edits={
                    2: lambda: self.write('{"start_step": 8, '),
                    6: lambda: self.write({**GUIDE, "start_step": 8, "stop_step": 9}),
                }
            )
        self.assertEqual(len(lines), 1, lines)
        self.assertEqual(self.recorded(), {"rank0_start8_stop9": [["ProfilerStep#8", "ProfilerStep#9"]]})

    def test_training_that_ends_within_a_window_keeps_what_there_is(self) -> None:
        self.write({**GUIDE, "start_step": 4, "stop_step": 100})
        with standard_error() as lines:
            self.train(6)
        ((recorded,),) = self.recorded().values()
        self.assertEqual(recorded, ["ProfilerStep#4", "ProfilerStep#5", "ProfilerStep#6"])
        self.assertTrue(lines)

    def test_the_loop_does_not_wait_for_an_analysis(self) -> None:
        program = self.place / "npuscope"
        program.write_text("#!/bin/sh\nsleep 1\ntouch $2/done\n")
        program.chmod(0o755)
        self.write({**GUIDE, "start_step": 1, "stop_step": 1, "analyse": True, "analyse_mode": 0})
        with mock.patch.dict(os.environ, {"NPUSCOPE": str(program)}):
            with npuscope.DynamicProfilerMonitor(self.control, self.output, backend="native") as monitor:
                began = time.monotonic()
                monitor.step()
                self.assertLess(time.monotonic() - began, 1)
                (directory,) = monitor.directories
                self.assertFalse((directory / "done").exists())
            self.assertTrue((directory / "done").exists())

    def test_directories_are_called_as_the_file_is_written(self) -> None:
        self.write({**GUIDE, "start_step": 1, "stop_step": 1})
        self.train(2)
        self.assertRegex(self.children(self.output / "rank0_start1_stop1")[0].name, r"_\d{17}_ascend_ms$")
        self.write({"start_step": 1, "active": 1, "is_rank": False})
        shutil.rmtree(self.output)
        self.train(2)
        self.assertRegex(self.children(self.output / "rank0_start1_stop1")[0].name, r"_\d{17}_ascend_pt$")

    def test_steps_are_counted_from_where_a_checkpoint_was(self) -> None:
        dynamic_profile.init(self.control, output_path=self.output, poll_interval=0.05, backend="native")
        self.write({"start_step": 103, "active": 1})
        dynamic_profile.set_state({"cur_step": 100})
        for _ in range(4):
            dynamic_profile.step()
        dynamic_profile.stop()
        self.assertEqual(self.recorded(), {"rank0_start103_stop103": [["ProfilerStep#103"]]})

    def test_recording_at_once_what_another_file_asks_for(self) -> None:
        other = self.place / "other.json"
        other.write_text(json.dumps({"start_step": 0, "active": 2, "warmup": 1, "with_stack": True}))
        with standard_error() as lines:
            dynamic_profile.start(other)
            dynamic_profile.init(self.control, output_path=self.output, poll_interval=0.05, backend="native")
            dynamic_profile.step()
            dynamic_profile.start(other)
            dynamic_profile.start(other)
            for _ in range(5):
                dynamic_profile.step()
            dynamic_profile.set_state({"step": 3})
            dynamic_profile.stop()
        self.assertEqual(
            [steps(directory) for directory in self.children(self.output)], [["ProfilerStep#3", "ProfilerStep#4"]]
        )
        # Before `init`, while the first is recorded, and a state that says nothing.
        self.assertEqual(len(lines), 3, lines)

    def test_arguments_that_are_missing_or_wrong_raise_nothing(self) -> None:
        with standard_error() as lines:
            for arguments in ((), (None,), (self.control, 3), (self.place / "none", self.output, "often")):
                monitor = npuscope.DynamicProfilerMonitor(*arguments)
                monitor.step()
                monitor.stop()
        self.assertTrue(lines)
        with standard_error() as lines:
            npuscope.DynamicProfilerMonitor(self.control, output_path=None).stop()
        self.assertEqual(lines, [])

    def test_a_monitor_that_nobody_stops_says_nothing_unless_it_recorded(self) -> None:
        script = f"""
import time, npuscope
monitor = npuscope.DynamicProfilerMonitor({str(self.control)!r}, {str(self.output)!r}, backend="native")
time.sleep(0.01)
monitor.step()
"""
        self.assertEqual(run("-c", script).stderr, "")
        self.write({**GUIDE, "start_step": 1, "stop_step": 9})
        self.assertIn("still recording", run("-c", script).stderr)
        self.assertEqual(self.recorded(), {"rank0_start1_stop9": [["ProfilerStep#1"]]})

    def test_it_is_a_callback_of_mindspore(self) -> None:
        self.write(GUIDE)
        monitor = npuscope.DynamicProfilerMonitor(str(self.control), str(self.output), backend="native")
        for _ in range(7):
            monitor.on_train_step_begin(None)
            monitor.on_train_step_end(None)
        monitor.on_train_end(None)
        self.assertEqual(list(self.recorded()), ["rank0_start2_stop5"])

    def test_a_place_where_no_file_can_be_is_reported_once(self) -> None:
        with standard_error() as lines:
            monitor = npuscope.DynamicProfilerMonitor("/proc/nowhere", self.output)
            for _ in range(3):
                monitor.step()
            monitor.stop()
        self.assertEqual(len(lines), 1, lines)

    @needs_program
    def test_the_program_sets_it_and_shows_its_state(self) -> None:
        def edit() -> None:
            npuscope_program("dynamic", "set", self.file, "--start", "7", "--stop", "8")
            time.sleep(0.5)

        self.train(edits={2: edit})
        self.assertEqual(self.recorded(), {"rank0_start7_stop8": [["ProfilerStep#7", "ProfilerStep#8"]]})
        self.assertIn("done", npuscope_program("dynamic", "status", self.file).lower())


if __name__ == "__main__":
    unittest.main()
