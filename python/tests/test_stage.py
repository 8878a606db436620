"""Stages of reinforcement learning, by MindSpeed-RL's settings."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
import unittest
from pathlib import Path
from unittest import mock

import npuscope
from npuscope import stage
from support import Case, metadata, ranges, run, standard_error, steps

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
                with contextlib.suppress(ValueError):
                    update()
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

    def test_it_has_what_other_profilers_have(self) -> None:
        file = self.place / "rl.yaml"
        file.write_text(SETTINGS.format(stage="actor_update", path=self.place / "result", ranks="all"))
        prof = npuscope.from_config(file, backend="native")
        self.assertEqual((prof.is_running, prof.is_recording, prof.directory), (False, False, None))
        prof.add_metadata("before", "text")
        with standard_error() as lines, prof:
            prof.step()
            with stage("actor_update"):
                self.assertTrue(prof.is_running and prof.is_recording)
                prof.add_metadata_json("during", "[1]")
                prof.add_metadata_json("half", "[1")
                prof.drop_step()
        self.assertFalse(prof.is_running)
        assert prof.directory is not None
        kept = metadata(prof.directory)
        self.assertEqual((kept["before"], kept["during"], "half" in kept), ("text", [1], False))
        self.assertEqual(len(lines), 1, lines)

    def test_the_loop_does_not_wait_for_the_analysis_of_a_stage(self) -> None:
        program = self.place / "npuscope"
        program.write_text("#!/bin/sh\nsleep 1\ntouch $2/done\n")
        program.chmod(0o755)
        file = self.place / "rl.yaml"
        text = SETTINGS.format(stage="actor_update", path=self.place / "result", ranks="all")
        file.write_text(text.replace("profile_analysis: false", "profile_analysis: true"))
        with mock.patch.dict(os.environ, {"NPUSCOPE": str(program)}):
            with npuscope.from_config(file, backend="native") as prof:
                prof.step()
                began = time.monotonic()
                with stage("actor_update"):
                    pass
                self.assertLess(time.monotonic() - began, 1)
                assert prof.directory is not None
                self.assertFalse((prof.directory / "done").exists())
            self.assertTrue((prof.directory / "done").exists())

    def test_a_stage_that_is_recorded_when_the_process_ends_is_kept(self) -> None:
        file = self.place / "rl.yaml"
        file.write_text(SETTINGS.format(stage="actor_update", path=self.place / "result", ranks="all"))
        script = f"""
import npuscope
prof = npuscope.from_config({str(file)!r}, backend="native")
prof.start()
prof.step()
npuscope.stage("actor_update").__enter__()
npuscope.mstx.range_end(npuscope.mstx.range_start("optimizer"))
"""
        done = run("-c", script)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        (directory,) = self.children(self.place / "result" / "actor_update")
        self.assertEqual(ranges(directory), ["optimizer"])

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
