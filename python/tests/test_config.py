"""`from_config` and `from_args`: which steps and ranks are recorded, and what is reported about bad settings."""

from __future__ import annotations

import os
import sys
import time
import types
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import npuscope
from npuscope import mstx
from npuscope import rank as ranks
from support import Case, info, standard_error, steps

FSDP2 = """
training:
  profile: {profile}
  profile_step_start: {start}
  profile_step_end: {end}
  profile_ranks: {ranks}
  profile_level: level1
  profile_with_cpu: true
  profile_save_path: {path}
"""


#: What the examples ask of a device.
WITHOUT_NPU = "npuscope: without an NPU, these settings have no effect: profiler_level=level1"


class TestFromConfig(Case):
    def fsdp2(self, start: int = 5, end: int = 6, ranks: str = "[-1]", profile: str = "true", extra: str = "") -> Path:
        file = self.place / "fsdp2.yaml"
        file.write_text(
            FSDP2.format(profile=profile, start=start, end=end, ranks=ranks, path=self.place / "result") + extra
        )
        return file

    def train(self, prof: Any, count: int = 10) -> list[list[str]]:
        with prof:
            for _ in range(count):
                with mstx.annotate("forward"):
                    time.sleep(0.002)
                prof.step()
        return [steps(directory) for directory in self.children(self.place / "result")]

    def named(self) -> dict[str, Any]:
        return {"backend": "native"}

    def test_fsdp2_counts_from_0_and_leaves_the_end_out(self) -> None:
        self.assertEqual(
            self.train(npuscope.from_config(self.fsdp2(5, 7), **self.named())), [["ProfilerStep#5", "ProfilerStep#6"]]
        )
        (directory,) = self.children(self.place / "result")
        self.assertEqual(info(directory)["config"]["experimental_config"]["_profiler_level"], "Level1")

    def test_fsdp2_until_the_end_of_training(self) -> None:
        for total_steps in (10, None):
            with self.subTest(total_steps=total_steps), standard_error() as lines:
                prof = npuscope.from_config(self.fsdp2(8, -1), total_steps=total_steps, **self.named())
                self.assertEqual(self.train(prof)[-1], ["ProfilerStep#8", "ProfilerStep#9"])
            # Once in a process.
            self.assertEqual(lines, [WITHOUT_NPU] if total_steps else [])

    def test_ranks_that_were_not_asked_for_do_nothing(self) -> None:
        self.assertEqual(self.train(npuscope.from_config(self.fsdp2(ranks="[1, 3]"), rank=2, **self.named())), [])
        self.assertEqual(len(self.train(npuscope.from_config(self.fsdp2(ranks="[1, 3]"), rank=3, **self.named()))), 1)

    def test_settings_that_are_off_do_nothing(self) -> None:
        with standard_error() as lines:
            self.assertEqual(self.train(npuscope.from_config(self.fsdp2(profile="false"), **self.named())), [])
        self.assertEqual(lines, [])

    def test_a_typo_is_reported_before_training(self) -> None:
        with standard_error() as lines:
            npuscope.from_config(self.fsdp2(extra="  profile_with_stak: true\n"), **self.named())
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("profile_with_stack", lines[0])
        self.assertIn("profile_with_stak: ", lines[0])

    def test_only_the_first_rank_speaks_of_odd_settings(self) -> None:
        file = self.fsdp2(extra="  profile_with_stak: true\n")
        with standard_error() as lines:
            npuscope.from_config(file, rank=1, **self.named())
        self.assertEqual(lines, [])

    def test_the_rank_is_that_of_the_launcher_at_hand(self) -> None:
        for variable in ("RANK", "RANK_ID", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"):
            with mock.patch.dict(os.environ, {variable: "3"}):
                self.assertEqual(ranks.rank(), 3, variable)
        with mock.patch.dict(os.environ, {"RANK": "\u00b2", "OMPI_COMM_WORLD_SIZE": "16"}):
            self.assertEqual((ranks.rank(), ranks.world_size()), (None, 16))

    def test_ranks_of_mindspore_are_asked_for_where_it_is_imported(self) -> None:
        communication = types.SimpleNamespace(get_rank=lambda: 5, get_group_size=lambda: 8)
        with mock.patch.dict(sys.modules, {"mindspore.communication": communication}):
            self.assertEqual((ranks.rank(), ranks.world_size()), (5, 8))

    def test_a_process_of_unknown_rank_is_reported_where_only_some_are_asked_for(self) -> None:
        with standard_error() as lines:
            self.train(npuscope.from_config(self.fsdp2(ranks="[0, 1]"), **self.named()))
        self.assertEqual((len(lines), lines[1]), (2, WITHOUT_NPU), lines)
        self.assertIn("the rank of this process is unknown", lines[0])

    def test_unusable_settings_are_reported_and_training_goes_on_without(self) -> None:
        with standard_error() as lines:
            self.assertEqual(self.train(npuscope.from_config(self.fsdp2(6, 3), **self.named())), [])
        self.assertEqual(len([line for line in lines if "profiling is off" in line]), 1, lines)

    def test_strict_raises(self) -> None:
        with standard_error(), self.assertRaisesRegex(npuscope.ConfigError, r"profile_step_\w+: "):
            npuscope.from_config(self.fsdp2(6, 3), strict=True)
        with standard_error(), self.assertRaises(npuscope.ConfigError):
            npuscope.from_config(self.place / "missing.yaml", strict=True)

    def test_a_file_that_is_not_there_is_reported_and_training_goes_on_without(self) -> None:
        with standard_error() as lines:
            self.train(npuscope.from_config(self.place / "missing.yaml"))
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("profiling is off, training continues", lines[0])


class TestFromArgs(Case):
    def train(self, *flags: str, **named: Any) -> list[list[str]]:
        arguments = ["--lr", "1e-4", "--profile-save-path", str(self.place / "result"), *flags, "--bf16"]
        with npuscope.from_args(arguments, backend="native", **named) as prof:
            for _ in range(10):
                prof.step()
        return [steps(directory) for directory in self.children(self.place / "result")]

    def test_mindspeed_llm_counts_from_1_and_so_do_the_markers(self) -> None:
        self.assertEqual(
            self.train("--profile", "--profile-step-start", "5", "--profile-step-end", "7"),
            [["ProfilerStep#5", "ProfilerStep#6"]],
        )

    def test_iterations_of_a_checkpoint_are_counted(self) -> None:
        flags = ["--profile", "--profile-step-start", "103", "--profile-step-end", "104"]
        self.assertEqual(self.train(*flags, iteration=100), [["ProfilerStep#103"]])

    def test_rank_0_alone_is_recorded_by_default(self) -> None:
        flags = ["--profile", "--profile-step-start", "5", "--profile-step-end", "6"]
        self.assertEqual(self.train(*flags, rank=1), [])
        self.assertEqual(len(self.train(*flags, "--profile-ranks", "0", "1", rank=1)), 1)

    def test_without_the_switch_nothing_is_recorded(self) -> None:
        self.assertEqual(self.train("--profile-step-start", "5"), [])


if __name__ == "__main__":
    unittest.main()
