"""Stages of reinforcement learning, by MindSpeed-RL's settings."""

from __future__ import annotations

import asyncio
import unittest
from pathlib import Path

from support import Case, ranges, standard_error, steps

import npuscope
from npuscope import stage

SETTINGS = """
profiler_config:
  integrated:
    profile: true
    mstx: true
    stage: {stage}
    profile_save_path: {path}
    profile_step_start: 2
    profile_step_end: 4
    profile_level: level_none
    profile_analysis: false
    profile_ranks: {ranks}
"""


class TestStages(Case):
    def train(self, stages: str, ranks: str = "all", fails: bool = False) -> Path:
        """Five iterations of generating and updating, counted from 1."""
        result = self.place / "result"
        file = self.place / "rl.yaml"
        file.write_text(SETTINGS.format(stage=stages, path=result, ranks=ranks))

        @stage("actor_update")
        def update() -> None:
            with npuscope.mstx.annotate("optimizer"):
                if fails:
                    raise ValueError("inside a stage")

        with npuscope.from_config(file, backend="native", rank=0) as prof:
            for _ in range(5):
                with stage("actor_generate"), npuscope.mstx.annotate("sample"):
                    pass
                try:
                    update()
                except ValueError:
                    pass
                prof.step()
        return result

    def test_one_stage_is_recorded_in_its_iterations_only(self) -> None:
        result = self.train("actor_update")
        self.assertEqual([path.name for path in result.iterdir()], ["actor_update"])
        recorded = self.children(result / "actor_update")
        self.assertEqual([steps(directory) for directory in recorded], [["ProfilerStep#2"], ["ProfilerStep#3"]])
        for directory in recorded:
            self.assertEqual(ranges(directory), ["optimizer"])
            self.assertEqual(ranges(directory, "stage"), ["actor_update"])

    def test_a_list_of_stages_has_a_directory_each(self) -> None:
        result = self.train("[actor_update, actor_generate]")
        self.assertEqual(sorted(path.name for path in result.iterdir()), ["actor_generate", "actor_update"])
        self.assertEqual(
            [ranges(directory) for directory in self.children(result / "actor_generate")], [["sample"], ["sample"]]
        )

    def test_all_stages_are_recorded_as_one(self) -> None:
        result = self.train("all")
        self.assertEqual([path.name for path in result.iterdir()], ["integrated"])
        (directory,) = self.children(result / "integrated")
        self.assertEqual(steps(directory), ["ProfilerStep#2", "ProfilerStep#3"])
        self.assertEqual(ranges(directory, "stage"), ["actor_generate", "actor_update"] * 2)

    def test_ranks_that_were_not_asked_for_record_nothing(self) -> None:
        self.assertFalse(self.train("actor_update", ranks="[1]").exists())

    def test_an_exception_inside_a_stage_ends_its_range_and_its_recording(self) -> None:
        recorded = self.children(self.train("actor_update", fails=True) / "actor_update")
        self.assertEqual([ranges(directory, "stage") for directory in recorded], [["actor_update"]] * 2)

    def test_a_stage_within_a_recorded_stage_is_a_range_of_it(self) -> None:
        file = self.place / "rl.yaml"
        file.write_text(SETTINGS.format(stage="[actor_update, critic_update]", path=self.place / "result", ranks="all"))
        with npuscope.from_config(file, backend="native") as prof:
            prof.step()
            with stage("actor_update"), stage("critic_update"):
                pass
        (directory,) = prof.directories
        self.assertEqual(directory.parent.name, "actor_update")
        self.assertEqual(ranges(directory, "stage"), ["critic_update", "actor_update"])

    def test_stages_without_settings_are_ranges_only(self) -> None:
        @stage("actor_generate")
        async def generate() -> int:
            return 3

        with standard_error() as lines, npuscope.profile(output=self.place, backend="native") as prof:
            self.assertEqual(asyncio.run(generate()), 3)
        self.assertEqual(ranges(prof.directories[0], "stage"), ["actor_generate"])
        self.assertEqual(lines, [])


if __name__ == "__main__":
    unittest.main()
