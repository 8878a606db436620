"""`npuscope run` on real torch: alone, and as four gloo ranks under torchrun, with a script that is not changed.

Run by `make test-torch`, which installs torch; elsewhere it is skipped, and says so.
"""

from __future__ import annotations

import sys
import unittest

from support import EXAMPLES, installed, needs, needs_program, npuscope_program, sql, steps
from test_run import RunCase

SCRIPT = EXAMPLES / "pretrain.py"

TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "4"]

FSDP2 = """
training:
  profile: true
  profile_step_start: 5
  profile_step_end: 7
  profile_ranks: [0]
  profile_level: level1
  profile_with_cpu: true
  profile_save_path: ./profile_dir
"""


@needs(installed("torch"), "torch is not installed; `make test-torch` installs it")
@needs_program
class TestTorchRun(RunCase):
    def numbers(self, directory: str) -> list[tuple[str, ...]]:
        return sql(self.place / directory, "SELECT rank, id FROM step ORDER BY 1, 2")

    def test_four_ranks_with_the_flags_of_mindspeed_llm(self) -> None:
        flags = [
            "--profile",
            "--profile-step-start",
            "5",
            "--profile-step-end",
            "7",
            "--profile-ranks",
            "-1",
            "--profile-level",
            "level1",
            "--profile-with-cpu",
            "--profile-record-shapes",
            "--profile-save-path",
            "./profile_dir",
        ]
        done = self.run_command("--", *TORCHRUN, SCRIPT, *flags)
        self.assertEqual((done.returncode, done.stdout.count("trained 8 steps")), (0, 4), done.stderr)
        self.assertEqual(self.numbers("profile_dir"), [(str(rank), str(step)) for rank in range(4) for step in (5, 6)])
        printed = npuscope_program("info", self.place / "profile_dir")
        self.assertIn("4 ranks", printed)
        # Whole steps: what every rank does in each of them.
        query = "SELECT rank, count(*) FROM host_op WHERE name LIKE 'Optimizer.step#%' GROUP BY 1 ORDER BY 1"
        self.assertEqual(sql(self.place / "profile_dir", query), [(str(rank), "2") for rank in range(4)])
        self.assertIn("recorded into profile_dir: rank 0, 1, 2, 3", done.stderr)

    def test_one_rank_of_four_with_the_file_of_fsdp2(self) -> None:
        (self.place / "fsdp2.yaml").write_text(FSDP2)
        done = self.run_command("--", *TORCHRUN, SCRIPT, "fsdp2.yaml", "--training.profile_ranks", "2")
        self.assertEqual((done.returncode, done.stdout.count("trained 8 steps")), (0, 4), done.stderr)
        # FSDP2 counts from 0.
        self.assertEqual(self.numbers("profile_dir"), [("2", "5"), ("2", "6")])

    def test_the_examples_for_torch_npu_record_the_step_of_the_guide(self) -> None:
        for name, output, expected in (
            ("torch_npu_with", "profiling_data", ["ProfilerStep#10"]),
            ("torch_npu_start_stop", "profiler_data", []),
        ):
            with self.subTest(name):
                done = self.run_python(EXAMPLES / f"{name}.py")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotIn("nothing is recorded", done.stderr)
                (directory,) = self.children(self.place / output)
                self.assertEqual(steps(directory), expected)
                self.assertTrue((directory / "ASCEND_PROFILER_OUTPUT" / "trace_view.json").is_file())
                # One step, whether or not it is marked.
                query = "SELECT count(*) FROM host_op WHERE name LIKE 'Optimizer.step#%'"
                self.assertEqual(sql(self.place / output, query), [("1",)])

    def test_a_rank_that_fails_ends_the_job_with_its_exit_code(self) -> None:
        script = self.script("import os, sys, torch\nsys.exit(5 if os.environ['RANK'] == '1' else 0)")
        alone = self.run_command("--", *TORCHRUN, script)
        self.assertEqual(alone.returncode, 1, alone.stderr)

    def test_alone_with_no_settings_at_all(self) -> None:
        done = self.run_command("--", sys.executable, SCRIPT)
        self.assertIn("records steps 5 to 7 of all ranks into ./profile; settings: the defaults", done.stderr)
        self.assertEqual(self.numbers("profile"), [("0", "5"), ("0", "6"), ("0", "7")])
        names = {name for (name,) in sql(self.place / "profile", "SELECT DISTINCT name FROM host_op")}
        self.assertLessEqual({"aten::linear", "Optimizer.step#AdamW.step", "dataloader"}, names)

    def test_several_optimizers_and_compiled_updates_are_left_alone(self) -> None:
        script = self.script("""
            import torch
            model = torch.nn.Linear(4, 4)
            first = torch.optim.SGD([model.weight], lr=0.1)
            class Last(torch.optim.Adam):
                def step(self, closure=None):
                    return super().step(closure)
            last = Last([model.bias], lr=0.1)
            schedule = torch.optim.lr_scheduler.StepLR(last, 2)
            compiled = torch.compile(first.step, backend="eager")
            for _ in range(6):
                model(torch.ones(2, 4)).sum().backward()
                compiled()
                last.step()
                schedule.step()
            print("trained", last.state_dict()["state"][0]["step"].item(), schedule.last_epoch)
        """)
        done = self.run_command("--steps", "2-3", "--", sys.executable, script)
        self.assertEqual(done.stdout, "trained 6.0 6\n", done.stderr)
        self.assertEqual(self.recorded(), [["ProfilerStep#2", "ProfilerStep#3"]])

    def test_a_profiler_of_the_script_is_not_disturbed(self) -> None:
        script = self.script("""
            import torch
            model = torch.nn.Linear(4, 4)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            theirs = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU])
            for step in range(8):
                if step == 5:
                    theirs.start()
                model(torch.ones(2, 4)).sum().backward()
                optimizer.step()
                if step == 6:
                    theirs.stop()
            print("trained", sum(event.name == "aten::linear" for event in theirs.events()))
        """)
        done = self.run_command("--steps", "4-8", "--", sys.executable, script)
        self.assertEqual((done.stdout, done.returncode), ("trained 2\n", 0), done.stderr)
        self.assertIn("the script records with torch.profiler", done.stderr)
        self.assertEqual(self.recorded(), [["ProfilerStep#4", "ProfilerStep#5"]])

    def test_workers_of_a_data_loader_are_not_recorded(self) -> None:
        script = self.script("""
            import torch
            from torch.utils.data import DataLoader, TensorDataset

            def main():
                model = torch.nn.Linear(4, 4)
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
                data = TensorDataset(torch.ones(12, 4))
                for (batch,) in DataLoader(data, 2, num_workers=2, multiprocessing_context="spawn"):
                    model(batch).sum().backward()
                    optimizer.step()
                print("trained")

            if __name__ == "__main__":
                main()
        """)
        done = self.run_command("--steps", "2-3", "--", sys.executable, script)
        self.assertEqual(done.stdout, "trained\n", done.stderr)
        self.assertEqual(self.recorded(), [["ProfilerStep#2", "ProfilerStep#3"]])

    def test_ranks_that_the_script_starts_itself_are_recorded(self) -> None:
        script = self.script("""
            import os
            import torch
            import torch.multiprocessing

            def train(rank):
                os.environ["RANK"] = str(rank)
                model = torch.nn.Linear(4, 4)
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
                for _ in range(4):
                    model(torch.ones(2, 4)).sum().backward()
                    optimizer.step()

            if __name__ == "__main__":
                torch.multiprocessing.spawn(train, nprocs=2)
                print("trained")
        """)
        done = self.run_command("--steps", "2", "--", sys.executable, script)
        self.assertEqual(done.stdout, "trained\n", done.stderr)
        self.assertEqual(self.numbers("profile"), [("0", "2"), ("1", "2")])

    def test_module_calls_are_recorded(self) -> None:
        self.run_command("--steps", "2", "--modules", "--", sys.executable, SCRIPT)
        (directory,) = self.children(self.place / "profile")
        self.assertEqual(steps(directory), ["ProfilerStep#2"])
        (trace,) = (directory / "FRAMEWORK").glob("*.pt.trace.json")
        self.assertIn("nn.Module: Linear", trace.read_text())


if __name__ == "__main__":
    unittest.main()
