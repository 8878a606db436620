"""What is there for scripts of torch_npu and MindSpore besides `profile`: rarer methods, `Profiler`, environment."""

from __future__ import annotations

import gzip
import json
import unittest
from typing import Any
from unittest import mock

import npuscope
from npuscope import ProfilerLevel, mstx, schedule
from npuscope.profiler import tensor_board_trace_handler
from support import Case, info, metadata, needs_program, ranges, run, standard_error, steps


class TestTorchMethods(Case):
    @needs_program
    def test_the_trace_is_copied_and_analysed_first_if_need_be(self) -> None:
        prof = npuscope.profiler._KinetoProfile(output=self.place / "result", backend="native")
        with standard_error() as lines:
            prof.export_chrome_trace(self.place / "early.json")
            prof.start()
            mstx.range_end(mstx.range_start("forward"))
            prof.stop()
            prof.export_chrome_trace(self.place / "trace.json")
            prof.export_chrome_trace(self.place / "trace.json.gz")
            prof.export_chrome_trace("/nowhere/trace.json")
        self.assertIn("forward", (self.place / "trace.json").read_text())
        self.assertIn(b"forward", gzip.decompress((self.place / "trace.json.gz").read_bytes()))
        self.assertEqual(len(lines), 2, lines)
        self.assertFalse((self.place / "early.json").exists())

    def test_a_trace_has_a_number(self) -> None:
        prof = npuscope.profile(output=self.place, backend="native")
        with prof:
            self.assertRegex(prof.get_trace_id(), r"^[0-9A-F]{32}$")
        self.assertEqual(metadata(prof.directories[0])["trace_id"], prof.get_trace_id())
        prof = npuscope.profile(output=self.place, backend="native", custom_trace_id_callback=lambda: "mine")
        with prof:
            pass
        self.assertEqual((prof.get_trace_id(), metadata(prof.directories[0])["trace_id"]), ("mine", "mine"))
        with standard_error() as lines:
            prof.set_custom_trace_id_callback("no function")  # type: ignore[arg-type]
            prof.set_custom_trace_id_callback(lambda: 3)  # type: ignore[arg-type,return-value]
            with prof:
                self.assertRegex(prof.get_trace_id(), r"^[0-9A-F]{32}$")
        self.assertEqual(len(lines), 2, lines)

    def test_what_cannot_be_done_is_reported(self) -> None:
        with standard_error() as lines, npuscope.profile(output=self.place, backend="native") as prof:
            prof.export_stacks("stacks.txt", "self_cpu_time_total")
            prof.export_memory_timeline("memory.html")
            prof.enable_profiler_in_child_thread(with_stack=True)
            prof.disable_profiler_in_child_thread()
        self.assertEqual(len(lines), 2, lines)
        self.assertEqual(len(prof.directories), 1)


class TestMindSporeStyle(Case):
    @needs_program
    def test_the_first_snippet_of_the_guide(self) -> None:
        profiler = npuscope.Profiler(start_profile=False, output_path=str(self.place))
        self.assertFalse(profiler.is_running)
        profiler.start()
        profiler.stop()
        with standard_error() as lines:
            profiler.analyse()
        self.assertEqual(lines, [])
        (directory,) = self.children(self.place)
        self.assertRegex(directory.name, r"_\d{17}_ascend_ms$")
        self.assertTrue((directory / "ASCEND_PROFILER_OUTPUT" / "analyse.done").exists())

    def test_arguments_without_a_name_are_reported_and_left_out(self) -> None:
        with standard_error() as lines:
            profiler = npuscope.Profiler("./x", output_path=self.place, backend="native")
            profiler.stop()
            profiler.op_analyse("MatMul")
        self.assertEqual(len(self.children(self.place)), 1)
        self.assertEqual(len(lines), 2, lines)

    def test_the_second_snippet_of_the_guide(self) -> None:
        handler = tensor_board_trace_handler
        with (
            standard_error(),
            mock.patch("npuscope.analysis.begin") as begin,
            npuscope.Profiler(
                schedule=schedule(wait=0, warm_up=0, active=2, repeat=1, skip_first=0),
                on_trace_ready=handler,
                output_path=self.place,
            ) as prof,
        ):
            for _ in range(15):
                prof.step()
        self.assertEqual([steps(directory) for directory in prof.directories], [["ProfilerStep#0", "ProfilerStep#1"]])
        begin.assert_called_once_with(prof.directories[0])

    def test_it_starts_when_it_is_made(self) -> None:
        profiler = npuscope.Profiler(
            output_path=self.place, profiler_level=ProfilerLevel.Level1, aicore_metrics="Memory"
        )
        self.assertTrue(profiler.is_running)
        profiler.stop()
        self.assertEqual(
            info(profiler.directories[0])["config"]["experimental_config"]["_aic_metrics"],
            "ACL_AICORE_MEMORY_BANDWIDTH",
        )


class TestEnvironment(Case):
    def test_ms_profiler_options_records_the_whole_process(self) -> None:
        options = {
            "start": True,
            "output_path": str(self.place),
            "activities": ["CPU", "NPU"],
            "with_stack": True,
            "aicore_metrics": "AicoreNone",
            "l2_cache": False,
            "profiler_level": "Level0",
        }
        run(
            "-c",
            "import npuscope; id = npuscope.mstx.range_start('all'); npuscope.mstx.range_end(id)",
            MS_PROFILER_OPTIONS=json.dumps(options),
            NPUSCOPE="/nowhere",
        )
        (directory,) = self.children(self.place)
        self.assertEqual(ranges(directory), ["all"])
        self.assertTrue(directory.name.endswith("_ascend_ms"))

    def test_processes_of_a_recorded_process_are_left_alone_unless_they_are_ranks(self) -> None:
        script = """
import os, subprocess, sys, npuscope
child = [sys.executable, "-c", "import npuscope; print(npuscope._started_by_environment is not None)"]
subprocess.run(child, check=True)
subprocess.run(child, check=True, env={**os.environ, "RANK": "1"})
"""
        options = json.dumps({"start": True, "output_path": str(self.place)})
        done = run("-c", script, MS_PROFILER_OPTIONS=options, NPUSCOPE="/nowhere")
        self.assertEqual(done.stdout, "False\nTrue\n")
        self.assertEqual(len(self.children(self.place)), 2)

    def test_on_an_npu_it_is_left_to_a_mindspore_that_is_imported_later(self) -> None:
        script = """
import importlib.util, os.path, sys
real_exists, real_find = os.path.exists, importlib.util.find_spec
os.path.exists = lambda path: path == "/dev/davinci_manager" or real_exists(path)
importlib.util.find_spec = lambda name: object() if name == sys.argv[1] else real_find(name)
import npuscope
print(npuscope._started_by_environment is not None)
"""
        options = json.dumps({"start": True, "output_path": str(self.place)})
        named: dict[str, Any] = {"MS_PROFILER_OPTIONS": options, "NPUSCOPE": "/nowhere"}
        self.assertEqual(run("-c", script, "mindspore", **named).stdout, "False\n")
        done = run("-c", script, "torch_npu", **named)
        self.assertEqual(done.stdout, "True\n")
        self.assertIn("import torch_npu before npuscope", done.stderr)

    def test_without_start_nothing_is_recorded(self) -> None:
        options = {"output_path": str(self.place)}
        run("-c", "import npuscope", MS_PROFILER_OPTIONS=json.dumps(options))
        self.assertEqual(self.children(self.place), [])

    def test_options_that_are_not_json_do_not_stop_the_process(self) -> None:
        done = run("-c", "import npuscope; print('trained')", MS_PROFILER_OPTIONS='{"start": true')
        self.assertEqual(done.stdout, "trained\n")
        self.assertEqual(done.stderr.count("profiling is off"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
