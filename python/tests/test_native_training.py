"""A real training loop without torch; what to record comes by flags, by a file and by a file edited meanwhile."""

from __future__ import annotations

import os
import subprocess
import sys
import unittest

from support import (
    EXAMPLES,
    PACKAGE,
    Case,
    edit,
    installed,
    needs,
    needs_program,
    npuscope_program,
    ranges,
    run,
    sql,
    steps,
    wait_for,
)

SCRIPT = EXAMPLES / "train_numpy.py"

#: What the loop marks in each of its steps, in the order of their ends.
MARKED = ["dataloader", "forward", "backward", "update"]


@needs(installed("numpy"), "numpy is not installed")
class TestNumpy(Case):
    def test_by_flags(self) -> None:
        result = self.place / "result"
        flags = [
            "--profile",
            "--profile-step-start",
            5,
            "--profile-step-end",
            8,
            "--profile-with-cpu",
            "--profile-with-stack",
            "--profile-save-path",
            result,
        ]
        done = run(SCRIPT, "--steps", 12, *flags, NPUSCOPE="/nowhere")
        self.assertIn("12 steps, loss ", done.stdout)
        (directory,) = self.children(result)
        self.assertEqual(steps(directory), ["ProfilerStep#5", "ProfilerStep#6", "ProfilerStep#7"])
        self.assertEqual(ranges(directory), MARKED * 3)
        self.assertIn(b"train_numpy.py", (directory / "FRAMEWORK" / "torch.python_tracer_hash").read_bytes())

    @needs_program
    def test_by_the_settings_of_fsdp2_on_two_ranks(self) -> None:
        settings = self.place / "fsdp2.yaml"
        settings.write_text(
            (EXAMPLES / "configs" / "fsdp2.yaml").read_text().replace("./profile", str(self.place / "result"))
        )
        for rank in range(2):
            run(SCRIPT, "--steps", 12, "--config", settings, RANK=rank, WORLD_SIZE=2)
        result = self.place / "result"
        self.assertEqual(len(self.children(result)), 2)
        for directory in self.children(result):
            # The settings ask for analysis, which had ended when the process did.
            self.assertTrue((directory / "ASCEND_PROFILER_OUTPUT" / "analyse.done").exists())
        self.assertEqual(sql(result, "SELECT rank FROM rank ORDER BY 1"), [("0",), ("1",)])
        self.assertEqual(sql(result, "SELECT rank, count(*) FROM step GROUP BY 1 ORDER BY 1"), [("0", "3"), ("1", "3")])
        self.assertEqual(sql(result, "SELECT DISTINCT id FROM step ORDER BY 1"), [("5",), ("6",), ("7",)])
        counted = sql(result, "SELECT name, count(*) FROM host_op WHERE kind = 'mstx' GROUP BY 1 ORDER BY 1")
        self.assertEqual(counted, [("backward", "6"), ("dataloader", "6"), ("forward", "6"), ("update", "6")])
        npuscope_program("doctor", result)
        npuscope_program("info", result)
        npuscope_program("cluster", "-d", result, "-o", self.place)
        self.assertTrue((self.place / "cluster_analysis_output").exists())

    def test_by_a_file_that_is_edited_while_training_runs(self) -> None:
        control, output = self.place / "control", self.place / "result"
        variables = {**os.environ, "PYTHONPATH": f"{PACKAGE}{os.pathsep}{EXAMPLES}", "NPUSCOPE": "/nowhere"}
        command = [
            sys.executable,
            SCRIPT,
            "--steps",
            400,
            "--read-seconds",
            0.01,
            "--dynamic",
            control,
            "--output",
            output,
            "--backend",
            "native",
        ]
        training = subprocess.Popen(
            list(map(str, command)), env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.addCleanup(training.kill)
        file = control / "profiler_config.json"
        wait_for(file)
        edit(file, start_step=100, stop_step=102)
        wait_for(output / "rank0_start100_stop102")
        edit(file, start_step=300, stop_step=300)
        said, complained = training.communicate(timeout=120)
        self.assertEqual(training.returncode, 0, complained)
        self.assertIn("400 steps", said)
        found = {path.name: [steps(directory) for directory in self.children(path)] for path in output.iterdir()}
        self.assertEqual(
            found,
            {
                "rank0_start100_stop102": [["ProfilerStep#100", "ProfilerStep#101", "ProfilerStep#102"]],
                "rank0_start300_stop300": [["ProfilerStep#300"]],
            },
        )

    def test_stages_by_the_settings_of_mindspeed_rl(self) -> None:
        settings = self.place / "rl.yaml"
        settings.write_text(
            (EXAMPLES / "configs" / "rl.yaml").read_text().replace("./profiler_data", str(self.place / "result"))
        )
        run(EXAMPLES / "train_rl.py", "--steps", 6, "--config", settings, NPUSCOPE="/nowhere")
        recorded = self.children(self.place / "result" / "actor_update")
        self.assertEqual(
            [(steps(directory), ranges(directory, "stage")) for directory in recorded],
            [(["ProfilerStep#2"], ["actor_update"]), (["ProfilerStep#3"], ["actor_update"])],
        )


if __name__ == "__main__":
    unittest.main()
