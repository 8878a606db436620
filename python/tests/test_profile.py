"""`profile`: which steps are recorded, where they go, and that nothing is raised whatever is asked for."""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
import unittest
from unittest import mock

import npuscope
from npuscope import ExportType, ProfilerActivity, ProfilerLevel, mstx, schedule, tensorboard_trace_handler
from support import Case, info, metadata, ranges, run, standard_error, steps


class TestSchedule(unittest.TestCase):
    def test_a_schedule_says_what_torch_npu_says(self) -> None:
        plan = schedule(wait=2, warmup=1, active=2, repeat=2, skip_first=1, skip_first_wait=1)
        self.assertEqual([int(plan(step)) for step in range(10)], [0, 1, 2, 3, 0, 0, 1, 2, 3, 0])

    def test_warm_up_is_warmup(self) -> None:
        self.assertEqual(schedule(wait=0, warm_up=3, active=1).warmup, 3)

    def test_nonsense_is_repaired_with_a_warning(self) -> None:
        npuscope.guard._reported.clear()
        with standard_error() as lines:
            plan = schedule(wait=-1, warmup=1, active=0, repeat="twice", skip_first=True)  # type: ignore[arg-type]
        self.assertEqual(
            plan.to_dict(), {"wait": 0, "warmup": 1, "active": 1, "repeat": 0, "skip_first": 0, "skip_first_wait": 0}
        )
        self.assertEqual(len(lines), 4, lines)


class TestUnsupported(Case):
    """Settings that a machine without an NPU cannot follow are reported when recording starts, in one line."""

    def said(self, config: dict[str, object] | None = None, **named: object) -> list[str]:
        npuscope.guard._reported.clear()
        experimental = npuscope._ExperimentalConfig(**config) if config else None  # type: ignore[arg-type]
        with standard_error() as lines:
            prof = npuscope.profile(experimental_config=experimental, output=self.place, backend="native", **named)  # type: ignore[arg-type]
            prof.start()
            prof.stop()
        return lines

    def test_the_defaults_are_followed(self) -> None:
        self.assertEqual(self.said(), [])

    def test_settings_of_the_device_are_named(self) -> None:
        (line,) = self.said({"profiler_level": ProfilerLevel.Level2, "l2_cache": True, "sys_io": True})
        self.assertTrue(
            line.endswith("without an NPU, these settings have no effect: profiler_level=level2, l2_cache, sys_io")
        )

    def test_settings_of_operators_are_named_without_a_framework(self) -> None:
        (line,) = self.said(profile_memory=True, record_shapes=True, with_stack=True)
        self.assertTrue(line.endswith("these settings have no effect: record_shapes, profile_memory"), line)

    def test_level_none_records_less_than_level0(self) -> None:
        (line,) = self.said({"profiler_level": ProfilerLevel.Level_none, "mstx": True}, with_stack=True)
        self.assertIn("level_none records only steps, ranges and marks", line)
        calls = [
            (directory / "FRAMEWORK" / "torch.python_tracer_func").exists() for directory in self.children(self.place)
        ]
        self.said({"profiler_level": ProfilerLevel.Level0}, with_stack=True)
        calls += [
            (directory / "FRAMEWORK" / "torch.python_tracer_func").exists()
            for directory in self.children(self.place)[1:]
        ]
        self.assertEqual(calls, [False, True])

    def test_data_simplification_of_a_trainer_is_named(self) -> None:
        npuscope.guard._reported.clear()
        flags = [
            "--profile",
            "--profile-data-simplification",
            "--profile-with-cpu",
            "--profile-save-path",
            str(self.place),
        ]
        with standard_error() as lines:
            prof = npuscope.from_args(flags, backend="native")
            prof.start()
            prof.stop()
        self.assertTrue(any("these settings have no effect: data_simplification" in line for line in lines), lines)


class TestCycles(Case):
    def train(self, prof: npuscope.profile, count: int) -> None:
        with prof:
            for _ in range(count):
                with mstx.annotate("forward"):
                    pass
                prof.step()

    def test_each_cycle_has_a_directory_with_its_steps_and_the_metadata(self) -> None:
        prof = npuscope.profile(
            schedule=schedule(wait=1, warmup=1, active=2, repeat=2),
            on_trace_ready=tensorboard_trace_handler(self.place, worker_name="worker", analyse_flag=False),
            backend="native",
        )
        prof.add_metadata("who", "me")
        prof.add_metadata_json("sizes", '{"hidden": 8}')
        self.train(prof, 10)
        self.assertEqual(self.children(self.place), prof.directories)
        self.assertEqual(
            [steps(directory) for directory in prof.directories],
            [["ProfilerStep#2", "ProfilerStep#3"], ["ProfilerStep#6", "ProfilerStep#7"]],
        )
        for directory in prof.directories:
            self.assertRegex(directory.name, rf"^worker_{os.getpid()}_\d{{17}}_ascend_pt$")
            self.assertEqual(ranges(directory), ["forward", "forward"])
            self.assertEqual(metadata(directory)["who"], "me")
            self.assertEqual(metadata(directory)["sizes"], {"hidden": 8})
            self.assertIn("HCCL_ALGO", metadata(directory)["ENV_VARIABLES"])
            self.assertEqual(metadata(directory)["npuscope"]["backend"], "native")

    def test_without_a_schedule_everything_is_recorded_and_no_step_marked(self) -> None:
        prof = npuscope.profile(output=self.place, backend="native")
        with standard_error() as lines:
            self.train(prof, 3)
        (directory,) = prof.directories
        self.assertEqual(steps(directory), [])
        self.assertEqual(len(ranges(directory)), 3)
        self.assertEqual(lines, [])

    def test_a_warm_up_that_nothing_follows_leaves_no_directory(self) -> None:
        prof = npuscope.profile(schedule=schedule(warmup=5, active=1), output=self.place, backend="native")
        with standard_error() as lines:
            self.train(prof, 2)
        self.assertEqual(self.children(self.place), [])
        self.assertEqual(len(lines), 1, lines)

    def test_training_that_ends_early_keeps_what_there_is_and_warns(self) -> None:
        plan = schedule(warmup=1, active=100)
        prof = npuscope.profile(schedule=plan, output=self.place, backend="native")
        with standard_error() as lines, prof:
            for _ in range(4):
                time.sleep(0.002)
                prof.step()
        # The step that the last call of `step` began is none.
        self.assertEqual(steps(prof.directories[0]), ["ProfilerStep#1", "ProfilerStep#2", "ProfilerStep#3"])
        self.assertEqual(len(lines), 1, lines)

    def test_a_loop_that_begins_with_step_keeps_its_last_step(self) -> None:
        plan = schedule(warmup=1, active=100)
        prof = npuscope.profile(schedule=plan, output=self.place, backend="native")
        with standard_error(), prof:
            for _ in range(3):
                prof.step()
                time.sleep(0.002)
        self.assertEqual(steps(prof.directories[0]), ["ProfilerStep#1", "ProfilerStep#2", "ProfilerStep#3"])

    def test_profiler_info_says_what_was_asked_for(self) -> None:
        prof = npuscope.profile(
            activities=[ProfilerActivity.CPU],
            schedule=schedule(warmup=1, active=1, repeat=1),
            record_shapes=True,
            experimental_config=npuscope._ExperimentalConfig(
                profiler_level=ProfilerLevel.Level1, export_type=[ExportType.Text, ExportType.Db]
            ),
            output=self.place,
            backend="native",
            rank=3,
        )
        self.train(prof, 3)
        self.assertTrue((prof.directories[0] / "profiler_info_3.json").exists())
        said = info(prof.directories[0])
        self.assertEqual(said["rank_id"], 3)
        common, deep = said["config"]["common_config"], said["config"]["experimental_config"]
        self.assertEqual(common["activities"], ["ProfilerActivity.CPU"])
        self.assertEqual(common["schedule"]["warmup"], 1)
        self.assertTrue(common["record_shapes"])
        self.assertEqual(deep["_profiler_level"], "Level1")
        self.assertEqual(deep["_aic_metrics"], "ACL_AICORE_PIPE_UTILIZATION")
        self.assertEqual(deep["_export_type"], ["text", "db"])

    def test_the_rank_is_taken_from_the_environment(self) -> None:
        with mock.patch.dict(os.environ, {"RANK": "5", "WORLD_SIZE": "8"}):
            prof = npuscope.profile(output=self.place, backend="native")
            self.train(prof, 1)
        self.assertTrue((prof.directories[0] / "profiler_info_5.json").exists())
        self.assertEqual(metadata(prof.directories[0])["distributed_args"], {"rank": 5, "world_size": 8})

    def test_a_schedule_of_somebody_elses_making_is_obeyed(self) -> None:
        prof = npuscope.profile(schedule=lambda step: [0, 2, 3, 0, 0][step], output=self.place, backend="native")
        self.train(prof, 4)
        self.assertEqual(steps(prof.directories[0]), ["ProfilerStep#1", "ProfilerStep#2"])

    def test_on_trace_ready_is_called_with_the_profiler_after_each_cycle(self) -> None:
        seen = []
        plan = schedule(warmup=1, active=1, repeat=2)
        self.train(
            npuscope.profile(
                schedule=plan,
                on_trace_ready=lambda prof: seen.append(prof.directory),
                output=self.place,
                backend="native",
            ),
            5,
        )
        self.assertEqual(seen, self.children(self.place))
        self.assertEqual(len(seen), 2)

    def test_hooks_are_taken_away_when_recording_ends(self) -> None:
        before = list(gc.callbacks)
        for foreign in (None, lambda *_: None):
            sys.setprofile(foreign)
            threading.setprofile(foreign)
            try:
                with standard_error():
                    self.train(npuscope.profile(output=self.place, backend="native", with_stack=True), 1)
                after = sys.getprofile(), threading._profile_hook
            finally:
                sys.setprofile(None)
                threading.setprofile(None)
            self.assertEqual(gc.callbacks, before)
            self.assertEqual(after, (foreign, foreign))

    def test_a_profiler_that_was_never_started_says_so_once_at_the_end(self) -> None:
        script = """
import sys, npuscope
prof = npuscope.profile(output=sys.argv[1], backend="native")
for _ in range(3):
    prof.step()
print("trained", file=sys.stderr)
"""
        lines = run("-c", script, self.place).stderr.splitlines()
        self.assertEqual((len(lines), lines[0]), (2, "trained"), lines)
        self.assertIn("step() was called without start(); nothing is recorded", lines[1])

    def test_a_profiler_that_starts_later_is_not_said_to_record_nothing(self) -> None:
        # The guide of msprof-analyze: `step` in every step, `start` and `stop` in one.
        script = """
import sys, npuscope
prof = npuscope.profile(output=sys.argv[1], backend="native")
for epoch in range(14):
    if epoch == 11:
        prof.start()
    with npuscope.mstx.annotate(f"step {epoch}"):
        pass
    prof.step()
    if epoch == 11:
        prof.stop()
"""
        self.assertEqual(run("-c", script, self.place).stderr, "")
        self.assertEqual([ranges(directory) for directory in self.children(self.place)], [["step 11"]])

    def test_without_a_last_cycle_no_empty_recording_is_left(self) -> None:
        # With `repeat=0`, a cycle begins whenever one ends, also after the last step.
        for active, count, expected in (
            (2, 4, [["0", "1"], ["2", "3"]]),
            (1, 2, [["0"], ["1"]]),
            (2, 3, [["0", "1"], ["2"]]),
        ):
            place = self.place / f"{active}_{count}"
            prof = npuscope.profile(
                schedule=schedule(warmup=0, active=active, repeat=0), output=place, backend="native"
            )
            with standard_error(), prof:
                for _ in range(count):
                    time.sleep(0.01)
                    prof.step()
            found = [[name.partition("#")[2] for name in steps(directory)] for directory in self.children(place)]
            self.assertEqual((found, prof.directories), (expected, self.children(place)))

    def test_a_window_that_never_begins_is_reported_with_the_numbers(self) -> None:
        # The guide of MindSpore: repeat * (wait + warmup + active) + skip_first.
        for count, outcome in ((3, "nothing was recorded"), (12, "the recording is incomplete"), (14, "")):
            npuscope.guard._reported.clear()
            plan = schedule(wait=1, warmup=1, active=2, repeat=3, skip_first=2)
            prof = npuscope.profile(schedule=plan, output=self.place / str(count), backend="native")
            with standard_error() as lines, prof:
                for _ in range(count):
                    time.sleep(0.001)
                    prof.step()
            said = [line for line in lines if "the schedule needs 14 steps" in line]
            self.assertEqual(len(said), 1 if outcome else 0, lines)
            if outcome:
                self.assertIn(f"training made {count}; {outcome}", said[0])

    def test_a_profiler_whose_steps_are_done_may_be_left_alone(self) -> None:
        script = """
import sys, npuscope
prof = npuscope.profile(
    schedule=npuscope.schedule(warmup=1, active=1, repeat=1), output=sys.argv[1], backend="native"
)
prof.start()
for _ in range(4):
    prof.step()
"""
        self.assertEqual(run("-c", script, self.place).stderr, "")
        self.assertEqual([steps(directory) for directory in self.children(self.place)], [["ProfilerStep#1"]])

    def test_calls_of_python_functions_are_recorded_when_asked_for(self) -> None:
        def looked_for() -> None:
            pass

        prof = npuscope.profile(output=self.place, backend="native", with_stack=True)
        with prof:
            looked_for()
        names = (prof.directories[0] / "FRAMEWORK" / "torch.python_tracer_hash").read_bytes()
        self.assertIn(b"looked_for", names)

    def test_long_garbage_collections_are_recorded(self) -> None:
        asked = npuscope._ExperimentalConfig(gc_detect_threshold=0)
        prof = npuscope.profile(output=self.place, backend="native", experimental_config=asked)
        with prof:
            gc.collect()
        written = (prof.directories[0] / "FRAMEWORK" / "torch.gc_record").stat().st_size
        self.assertGreaterEqual(written, 24)
        self.assertEqual(written % 24, 0)


class TestRepair(Case):
    def test_arguments_that_make_no_sense_are_repaired_each_with_a_warning(self) -> None:
        with standard_error() as lines:
            prof = npuscope.profile(
                activities=["TPU"],
                schedule="always",  # type: ignore[arg-type]
                on_trace_ready=3,  # type: ignore[arg-type]
                record_shapes="yes",  # type: ignore[arg-type]
                experimental_config=7,
                with_stak=True,
                output=self.place,
                backend="vulkan",
            )
            with prof:
                prof.step()
        self.assertEqual(len(lines), 7, lines)
        self.assertIn("Did you mean 'with_stack'?", "\n".join(lines))
        self.assertEqual(len(prof.directories), 1)

    def test_experimental_settings_are_repaired_as_torch_npu_does(self) -> None:
        with standard_error() as lines:
            asked = npuscope._ExperimentalConfig(
                profiler_level="deep",
                aic_metrics=npuscope.AiCMetrics.Memory,
                export_type="pdf",
                host_sys=["cpu", "moon"],
                gc_detect_threshold=-1,
                op_attr=True,
                mstx_domain_include=["a"],
                mstx_domain_exclude=["b"],
                l2_cache=1,  # type: ignore[arg-type]  # what a script may pass
            )
        self.assertEqual(asked.profiler_level, ProfilerLevel.Level0)
        self.assertEqual(asked.aic_metrics, npuscope.AiCMetrics.AiCoreNone)
        self.assertEqual(asked.export_type, [ExportType.Text])
        self.assertEqual(
            (asked.host_sys, asked.gc_detect_threshold, asked.op_attr, asked.l2_cache), ([], None, False, False)
        )
        self.assertEqual((asked.mstx_domain_include, asked.mstx_domain_exclude), (["a"], []))
        self.assertEqual(len(lines), 8, lines)

    def test_level_none_switches_mstx_on(self) -> None:
        with standard_error() as lines:
            asked = npuscope._ExperimentalConfig(profiler_level=ProfilerLevel.LevelNone)
        self.assertTrue(asked.mstx)
        self.assertEqual(len(lines), 1)

    def test_level1_reads_the_use_of_the_pipes_by_default(self) -> None:
        self.assertEqual(
            npuscope._ExperimentalConfig(profiler_level="Level1").aic_metrics, npuscope.AiCMetrics.PipeUtilization
        )

    def test_metadata_that_is_not_text_or_json_is_left_out(self) -> None:
        prof = npuscope.profile(output=self.place, backend="native")
        with standard_error() as lines, prof:
            prof.add_metadata("number", 3)  # type: ignore[arg-type]
            prof.add_metadata_json("half", '{"a":')
            prof.add_metadata("kept", "yes")
        self.assertEqual(len(lines), 2, lines)
        kept = metadata(prof.directories[0])
        self.assertEqual(kept["kept"], "yes")
        self.assertFalse({"number", "half"} & set(kept))


if __name__ == "__main__":
    unittest.main()
