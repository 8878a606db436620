"""The profilers of torch_npu and MindSpore get what our settings say, and nothing else."""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
import types
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import npuscope
from npuscope import (
    AiCMetrics,
    ExportType,
    HostSystem,
    ProfilerActivity,
    ProfilerLevel,
    _npuscope,
    backends,
    mstx,
    schedule,
    tensorboard_trace_handler,
)
from standins import Calls, installed
from standins.fake_mindspore import mindspore
from standins.fake_torch_npu import old_torch_npu, torch_npu
from support import Case, standard_error


def everything(**named: Any) -> npuscope.profile:
    """A profiler that asks for all there is."""
    return npuscope.profile(
        activities=[ProfilerActivity.NPU],
        schedule=schedule(wait=1, warmup=2, active=3, repeat=4, skip_first=5),
        on_trace_ready=tensorboard_trace_handler("./result", worker_name="w", analyse_flag=True, async_mode=True),
        record_shapes=True,
        profile_memory=True,
        with_stack=True,
        with_modules=True,
        with_flops=True,
        experimental_config=npuscope._ExperimentalConfig(
            profiler_level=ProfilerLevel.Level2,
            aic_metrics=AiCMetrics.L2Cache,
            l2_cache=True,
            mstx=True,
            data_simplification=False,
            record_op_args=True,
            op_attr=True,
            gc_detect_threshold=3,
            export_type=[ExportType.Text, ExportType.Db],
            host_sys=[HostSystem.CPU, HostSystem.NUMA],
            mstx_domain_include=["stage"],
            sys_io=True,
            sys_interconnection=True,
        ),
        **named,
    )


class TestChoice(unittest.TestCase):
    def test_torch_npu_is_used_where_it_is_imported(self) -> None:
        with installed(torch_npu(Calls())):
            self.assertEqual(backends.choose(), "torch_npu")

    def test_mindspore_is_used_on_ascend_only(self) -> None:
        with mock.patch.dict("sys.modules"):
            for framework in ("torch", "torch_npu"):
                sys.modules.pop(framework, None)
            with installed(*mindspore(Calls(), "Ascend")):
                self.assertEqual(backends.choose(), "mindspore")
            with installed(*mindspore(Calls(), "CPU")):
                self.assertEqual(backends.choose(), "mindspore_cpu")

    def test_torch_npu_without_a_device_is_passed_over_with_one_warning(self) -> None:
        npuscope.guard._reported.clear()
        with standard_error() as lines, installed(torch_npu(Calls(), available=False)):
            chosen = backends.choose(), backends.choose()
            self.assertEqual(backends.choose("torch_npu"), "torch_npu")
        self.assertEqual(chosen, ("torch" if "torch" in sys.modules else "native",) * 2)
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("detects no NPU", lines[0])

    def test_torch_npu_that_cannot_be_imported_is_passed_over_with_one_warning(self) -> None:
        npuscope.guard._reported.clear()
        torch = types.ModuleType("torch")
        with (
            tempfile.TemporaryDirectory() as place,
            standard_error() as lines,
            installed(torch),
            mock.patch.object(sys, "path", [place, *sys.path]),
        ):
            Path(place, "torch_npu.py").write_text("raise OSError('libascendcl.so: cannot open shared object file')")
            importlib.invalidate_caches()
            self.assertEqual(backends.choose(), "native")
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("libascendcl.so", lines[0])

    def test_a_name_wins(self) -> None:
        with installed(torch_npu(Calls())):
            self.assertEqual(backends.choose("native"), "native")


class TestTorchNpu(Case):
    def test_every_setting_is_said_in_their_words(self) -> None:
        calls = Calls()
        fake = torch_npu(calls)
        with installed(fake), everything():
            pass
        self.assertEqual(
            calls.named("_ExperimentalConfig"),
            {
                "profiler_level": "Level2",
                "aic_metrics": "ACL_AICORE_L2_CACHE",
                "l2_cache": True,
                "mstx": True,
                "data_simplification": False,
                "record_op_args": True,
                "op_attr": True,
                "gc_detect_threshold": 3.0,
                "export_type": ["text", "db"],
                "host_sys": ["cpu", "numa"],
                "mstx_domain_include": ["stage"],
                "sys_io": True,
                "sys_interconnection": True,
            },
        )
        self.assertEqual(calls.named("schedule"), {"wait": 1, "warmup": 2, "active": 3, "repeat": 4, "skip_first": 5})
        self.assertIn(
            (
                "tensorboard_trace_handler",
                ("./result",),
                {"worker_name": "w", "async_mode": True},
            ),
            calls,
        )
        said = calls.named("profile")
        self.assertEqual(said["activities"], [fake.profiler.ProfilerActivity.NPU])
        self.assertTrue(
            all(said[name] for name in ("record_shapes", "profile_memory", "with_stack", "with_modules", "with_flops"))
        )
        self.assertEqual(
            (said["schedule"].kind, said["on_trace_ready"].kind, said["experimental_config"].kind),
            ("schedule", "tensorboard_trace_handler", "_ExperimentalConfig"),
        )

    def test_what_is_not_asked_for_is_not_said(self) -> None:
        calls = Calls()
        with installed(torch_npu(calls)), npuscope.profile(output=self.place):
            pass
        self.assertEqual(calls.named("_ExperimentalConfig"), {})
        self.assertEqual(sorted(calls.named("profile")), ["experimental_config", "on_trace_ready"])

    def test_an_old_version_gets_what_it_understands_and_the_rest_is_warned_of(self) -> None:
        calls = Calls()
        with standard_error() as lines, installed(old_torch_npu(calls)), everything() as prof:
            mstx.mark("now")
            mstx.mark("again", domain="net")
            with mstx.annotate("forward", domain="net"):
                pass
            prof.step()
        self.assertEqual(
            calls.named("_ExperimentalConfig"),
            {
                "profiler_level": "Level2",
                "aic_metrics": "ACL_AICORE_L2_CACHE",
                "l2_cache": True,
                "msprof_tx": True,
                "data_simplification": False,
                "record_op_args": True,
            },
        )
        self.assertEqual(calls.names[-5:], ["start", "range_start", "range_end", "step", "stop"])
        ignored = [line.split(" does not support ")[1].split(";")[0] for line in lines if " does not support " in line]
        self.assertEqual(
            sorted(ignored),
            [
                "async_mode",
                "export_type",
                "gc_detect_threshold",
                "host_sys",
                "mstx_domain_include",
                "op_attr",
                "sys_interconnection",
                "sys_io",
                "with_modules",
            ],
        )
        # The lines besides: their `mark` fails, twice, and training is too short for the schedule.
        self.assertEqual(len(lines) - len(ignored), 2, lines)
        self.assertIn("the stream is lost", lines[-2])
        self.assertIn("the schedule needs 29 steps", lines[-1])

    def test_an_old_version_that_is_asked_for_little_is_driven_without_a_word(self) -> None:
        calls = Calls()
        plan = schedule(warmup=1, active=1, repeat=1)
        options: dict[str, Any] = {"output": self.place, "schedule": plan, "with_stack": True}
        # Made where the stand-in is installed: a profiler looks for its backend when it is made.
        with standard_error() as lines, installed(old_torch_npu(calls)), npuscope.profile(**options) as prof:
            prof.step()
            prof.step()
        self.assertEqual(lines, [])
        self.assertEqual(calls.names[-4:], ["start", "step", "step", "stop"])

    def test_marks_of_two_frameworks_are_given_back_in_any_order(self) -> None:
        first, second = Calls(), Calls()
        undo_first = mstx.forward_to(torch_npu(first).npu.mstx)
        undo_second = mstx.forward_to(torch_npu(second).npu.mstx)
        npuscope.npu.mstx.mark("to the second")
        undo_first()
        mstx.mark("to the second, still")
        undo_second()
        self.assertEqual((len(first), len(second)), (0, 2))
        self.assertIs(mstx.mark, _npuscope.mark)
        self.assertIs(npuscope.npu.mstx.mark, _npuscope.mark)

    def test_rarer_methods_are_theirs(self) -> None:
        calls = Calls()
        with standard_error() as lines, installed(torch_npu(calls)):
            with npuscope.profile(output=self.place) as prof:
                prof.enable_profiler_in_child_thread(with_stack=True)
            prof.export_chrome_trace("trace.json")
            prof.export_stacks("stacks.txt")
            prof.export_memory_timeline("memory.html")
            self.assertEqual(prof.get_trace_id(), "theirs")
        self.assertIn(("enable_profiler_in_child_thread", (), {"with_stack": True}), calls)
        self.assertEqual(
            calls[-2:],
            [
                ("export_chrome_trace", ("trace.json",), {}),
                ("export_stacks", ("stacks.txt", "self_cpu_time_total"), {}),
            ],
        )
        # This version has none.
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("export_memory_timeline", lines[0])

    def test_calls_and_metadata_are_forwarded_in_order(self) -> None:
        calls = Calls()
        with installed(torch_npu(calls)):
            prof = npuscope.profile(output=self.place)
            prof.add_metadata("before", "text")
            with prof:
                prof.add_metadata_json("during", "[1]")
                prof.step()
        made = calls.names.index("profile")
        self.assertEqual(calls.names[made + 1 :], ["add_metadata_json", "start", "add_metadata_json", "step", "stop"])
        self.assertEqual(
            [json.loads(arguments[1]) for name, arguments, _ in calls if name == "add_metadata_json"], ["text", [1]]
        )

    def test_without_a_handler_the_data_is_kept_and_not_analysed(self) -> None:
        calls = Calls()
        with installed(torch_npu(calls)), npuscope.profile(output=self.place):
            pass
        self.assertIn(
            (
                "tensorboard_trace_handler",
                (str(self.place),),
                {"analyse_flag": False},
            ),
            calls,
        )

    def test_marks_are_theirs_while_their_profiler_runs(self) -> None:
        calls = Calls()
        with installed(torch_npu(calls)):
            with npuscope.profile(output=self.place):
                mstx.mark("now")
                with mstx.annotate("forward", domain="net"), npuscope.stage("actor_update"):
                    pass
            self.assertIs(mstx.range_start, _npuscope.range_start)
            mstx.mark("later")
        marked = [(name, arguments) for name, arguments, _ in calls if name in ("mark", "range_start", "range_end")]
        self.assertEqual(
            marked,
            [
                ("mark", ("now", "default")),
                ("range_start", ("forward", "net")),
                ("range_start", ("actor_update", "stage")),
                ("range_end", (41, "stage")),
                ("range_end", (41, "net")),
            ],
        )

    def test_what_they_raise_is_reported_once_and_training_goes_on(self) -> None:
        for method in ("profile", "start", "step", "stop"):
            with self.subTest(method), installed(torch_npu(Calls(), fails_at=method)):
                npuscope.guard._reported.clear()
                with standard_error() as lines, npuscope.profile(output=self.place) as prof:
                    for _ in range(3):
                        prof.step()
                self.assertEqual(len(lines), 1, lines)
                self.assertIn("the device is lost; profiling is off, training continues", lines[0])
                self.assertIs(mstx.range_start, _npuscope.range_start)

    def test_ranks_that_were_not_asked_for_do_not_touch_it(self) -> None:
        calls = Calls()
        file = self.place / "fsdp2.yaml"
        file.write_text(
            "training:\n  profile: true\n  profile_step_start: 1\n  profile_step_end: 2\n  profile_ranks: [0]\n"
        )
        with installed(torch_npu(calls)):
            with npuscope.from_config(file, rank=1) as prof:
                prof.step()
            self.assertEqual(calls, [])
            with npuscope.from_config(file, rank=0) as prof:
                prof.step()
            self.assertEqual(calls.names[-4:], ["profile", "start", "step", "stop"])


class TestMindSpore(Case):
    def test_every_setting_is_said_in_their_words(self) -> None:
        calls = Calls()
        module, profiler = mindspore(calls)
        with (
            installed(module, profiler),
            standard_error() as lines,
            everything(backend="mindspore", parallel_strategy=True),
        ):
            pass
        kinds = profiler
        self.assertEqual(
            calls.named("_ExperimentalConfig"),
            {
                "profiler_level": kinds.ProfilerLevel.Level2,
                "aic_metrics": kinds.AicoreMetrics.L2Cache,
                "l2_cache": True,
                "mstx": True,
                "data_simplification": False,
                "export_type": [kinds.ExportType.Text, kinds.ExportType.Db],
                "host_sys": [kinds.HostSystem.CPU],
                "mstx_domain_include": ["stage"],
                "sys_io": True,
                "sys_interconnection": True,
            },
        )
        self.assertEqual(calls.named("schedule"), {"wait": 1, "active": 3, "warmup": 2, "repeat": 4, "skip_first": 5})
        said = calls.named("profile")
        self.assertEqual(said["activities"], [kinds.ProfilerActivity.NPU])
        self.assertIs(said["start_profile"], False)
        self.assertTrue(
            all(said[name] for name in ("record_shapes", "profile_memory", "with_stack", "parallel_strategy"))
        )
        # with_modules, with_flops, op_attr, record_op_args, gc_detect_threshold and numa have no words there.
        self.assertEqual(len([line for line in lines if "does not support" in line]), 6, lines)

    def test_level_none_is_spelled_their_way(self) -> None:
        calls = Calls()
        module, profiler = mindspore(calls)
        asked = npuscope._ExperimentalConfig(profiler_level=ProfilerLevel.Level_none, mstx=True)
        with installed(module, profiler), npuscope.profile(backend="mindspore", experimental_config=asked):
            pass
        self.assertEqual(calls.named("_ExperimentalConfig")["profiler_level"], profiler.ProfilerLevel.LevelNone)

    def test_calls_are_forwarded_in_order_and_marks_are_theirs(self) -> None:
        calls = Calls()
        with installed(*mindspore(calls)), npuscope.profile(output=self.place, backend="mindspore") as prof:
            mstx.mark("now")
            prof.step()
        made = calls.names.index("profile")
        self.assertEqual(calls.names[made + 1 :], ["start", "mark", "step", "stop"])


if __name__ == "__main__":
    unittest.main()
