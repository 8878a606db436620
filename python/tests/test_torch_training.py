"""Real training with torch, alone and as four ranks, by a settings file, by flags and by a file edited meanwhile.

Run by `make test-torch`, which installs torch; elsewhere it is skipped, and says so.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path
from urllib.request import urlopen

from npuscope import program
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

SCRIPT = EXAMPLES / "train_torch.py"

MARKED = ["dataloader", "forward", "backward", "optimizer"]


@needs(installed("torch"), "torch is not installed; `make test-torch` installs it")
@needs_program
class TestTorch(Case):
    def fsdp2(self, **changes: str) -> Path:
        text = (EXAMPLES / "configs" / "fsdp2.yaml").read_text().replace("./profile", str(self.place / "result"))
        for key, value in changes.items():
            before = next(line for line in text.splitlines() if line.strip().startswith(f"{key}:"))
            text = text.replace(before, f"  {key}: {value}")
        file = self.place / "fsdp2.yaml"
        file.write_text(text)
        return file

    def test_alone_by_the_settings_of_fsdp2(self) -> None:
        done = run(SCRIPT, "--steps", 12, "--config", self.fsdp2(profile_with_stack="true"))
        self.assertIn("12 steps, loss ", done.stdout)
        self.assertNotIn("profiling is off", done.stderr)
        (directory,) = self.children(self.place / "result")
        self.assertEqual(steps(directory), ["ProfilerStep#5", "ProfilerStep#6", "ProfilerStep#7"])
        self.assertEqual(ranges(directory), MARKED * 3)
        self.assertEqual(len(list((directory / "FRAMEWORK").glob("*.pt.trace.json"))), 1)
        self.assertTrue((directory / "ASCEND_PROFILER_OUTPUT" / "analyse.done").exists())
        self.assertEqual(sql(directory, "SELECT id FROM step ORDER BY 1"), [("5",), ("6",), ("7",)])
        ((operators,),) = sql(directory, "SELECT count(*) FROM host_op WHERE name = 'aten::addmm'")
        self.assertGreater(int(operators), 0)
        ((shapes,),) = sql(directory, "SELECT count(*) FROM host_op WHERE name = 'aten::addmm' AND shapes IS NOT NULL")
        self.assertEqual(shapes, operators)
        counted = sql(
            directory,
            "SELECT name, count(*) FROM host_op WHERE kind = 'mstx' AND name NOT LIKE '%#%' GROUP BY 1 ORDER BY 1",
        )
        self.assertEqual(counted, [("backward", "3"), ("dataloader", "3"), ("forward", "3"), ("optimizer", "3")])
        npuscope_program("doctor", directory)

    def test_four_ranks_by_the_settings_of_fsdp2(self) -> None:
        result = self.place / "result"
        run(SCRIPT, "--steps", 10, "--ranks", 4, "--config", self.fsdp2())
        self.assertEqual(len(self.children(result)), 4)
        self.assertEqual(sql(result, "SELECT rank FROM rank ORDER BY 1"), [("0",), ("1",), ("2",), ("3",)])
        expected = [(str(rank), str(step)) for rank in range(4) for step in (5, 6, 7)]
        self.assertEqual(sql(result, "SELECT rank, id FROM step ORDER BY 1, 2"), expected)
        self.assertEqual(
            sql(
                result,
                "SELECT rank, count(*) FROM host_op WHERE kind = 'mstx' AND name = 'forward' GROUP BY 1 ORDER BY 1",
            ),
            [(str(rank), "3") for rank in range(4)],
        )
        npuscope_program("doctor", result)
        npuscope_program("cluster", "-d", result, "-o", self.place)
        self.assertTrue((self.place / "cluster_analysis_output").exists())
        self.view(result)

    def test_two_of_four_ranks_by_flags(self) -> None:
        result = self.place / "result"
        flags = [
            "--profile",
            "--profile-step-start",
            5,
            "--profile-step-end",
            7,
            "--profile-ranks",
            0,
            2,
            "--profile-with-cpu",
            "--profile-save-path",
            result,
        ]
        run(SCRIPT, "--steps", 9, "--ranks", 4, *flags)
        self.assertEqual(
            sql(result, "SELECT rank, id FROM step ORDER BY 1, 2"), [("0", "5"), ("0", "6"), ("2", "5"), ("2", "6")]
        )

    def test_by_a_file_that_is_edited_while_training_runs(self) -> None:
        control, output = self.place / "control", self.place / "result"
        variables = {**os.environ, "PYTHONPATH": f"{PACKAGE}{os.pathsep}{EXAMPLES}"}
        command = [sys.executable, SCRIPT, "--steps", 300, "--pause", 0.02, "--dynamic", control, "--output", output]
        training = subprocess.Popen(
            list(map(str, command)), env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.addCleanup(training.kill)
        file = control / "profiler_config.json"
        wait_for(file)
        edit(file, start_step=150, stop_step=152)
        said, complained = training.communicate(timeout=240)
        self.assertEqual(training.returncode, 0, complained)
        self.assertIn("300 steps", said)
        (collection,) = output.iterdir()
        self.assertEqual(collection.name, "rank0_start150_stop152")
        self.assertEqual(
            [steps(directory) for directory in self.children(collection)],
            [["ProfilerStep#150", "ProfilerStep#151", "ProfilerStep#152"]],
        )

    def view(self, result: Path) -> None:
        """The viewer opens it and answers; it prints where."""
        command = [program.required(), "view", str(result), "--no-open", "--port", "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as viewer:
            try:
                assert viewer.stdout is not None
                address = ""
                while not address:
                    line = viewer.stdout.readline()
                    self.assertTrue(line, "the viewer ended")
                    address = next((word for word in line.split() if word.startswith("http://")), "")
                with urlopen(address, timeout=60) as answer:
                    self.assertEqual(answer.status, 200)
            finally:
                viewer.terminate()


@needs(installed("torch"), "torch is not installed; `make test-torch` installs it")
class TestTorchBackend(Case):
    def run_here(self, script: str) -> str:
        """Run a script with torch imported and a place to write; answers what it prints."""
        return run("-c", f"import sys, torch, npuscope\nplace = sys.argv[1]\n{script}", self.place).stdout

    def test_torch_is_chosen_where_it_is_imported(self) -> None:
        self.assertEqual(self.run_here("print(npuscope.backends.choose())"), "torch\n")

    def test_importing_us_does_not_import_torch(self) -> None:
        self.assertEqual(run("-c", "import npuscope, sys; print('torch' in sys.modules)").stdout, "False\n")

    def test_the_data_loader_is_given_back(self) -> None:
        script = """
from torch.utils.data import dataloader
before = dataloader._BaseDataLoaderIter.__next__
with npuscope.profile(output=place):
    during = dataloader._BaseDataLoaderIter.__next__
print(during is before, dataloader._BaseDataLoaderIter.__next__ is before)
"""
        self.assertEqual(self.run_here(script), "False True\n")

    def test_schedules_of_torch_are_obeyed_and_every_cycle_has_its_trace(self) -> None:
        script = """
plan = torch.profiler.schedule(wait=1, warmup=1, active=1, repeat=2)
with npuscope.profile(schedule=plan, output=place, activities=[torch.profiler.ProfilerActivity.CPU]) as prof:
    for _ in range(6):
        torch.ones(3).sum()
        prof.step()
"""
        self.run_here(script)
        recorded = self.children(self.place)
        self.assertEqual([steps(directory) for directory in recorded], [["ProfilerStep#2"], ["ProfilerStep#5"]])
        for directory in recorded:
            (trace,) = (directory / "FRAMEWORK").glob("*.pt.trace.json")
            events = json.loads(trace.read_text())["traceEvents"]
            self.assertEqual([event["name"] for event in events].count("aten::ones"), 1)

    def test_a_warm_up_that_nothing_follows_leaves_kineto_usable(self) -> None:
        script = """
for _ in range(2):
    with npuscope.profile(schedule=npuscope.schedule(warmup=5, active=1), output=place) as prof:
        prof.step()
with npuscope.profile(output=place) as prof:
    torch.ones(3).sum()
print(len(prof.directories))
"""
        self.assertEqual(self.run_here(script), "1\n")
        self.assertEqual(len(self.children(self.place)), 1)

    def test_a_profiler_of_torch_within_ours_ends_neither_the_process_nor_our_recording(self) -> None:
        script = """
with npuscope.profile(output=place) as prof:
    try:
        with torch.profiler.profile():
            torch.ones(3).sum()
    except RuntimeError:
        pass
    npuscope.mstx.range_end(npuscope.mstx.range_start("forward"))
with npuscope.profile(output=place):
    torch.ones(3).sum()
print("finished")
"""
        self.assertEqual(self.run_here(script), "finished\n")
        first, second = self.children(self.place)
        self.assertEqual(ranges(first), ["forward"])
        self.assertEqual(len(list((second / "FRAMEWORK").glob("*.pt.trace.json"))), 1)

    def test_stopping_in_another_thread_does_not_end_the_process(self) -> None:
        script = """
import threading
prof = npuscope.profile(output=place, schedule=npuscope.schedule(active=5, repeat=1))
prof.start()
torch.ones(3).sum()
prof.step()
npuscope.mstx.range_end(npuscope.mstx.range_start("forward"))
thread = threading.Thread(target=prof.stop)
thread.start()
thread.join()
with npuscope.profile(output=place):
    torch.ones(3).sum()
print("finished", len(prof.directories))
last = npuscope.profile(output=place)
last.start()
thread = threading.Thread(target=last.stop)
thread.start()
thread.join()
"""
        done = run("-c", f"import sys, torch, npuscope\nplace = sys.argv[1]\n{script}", self.place)
        self.assertEqual(done.stdout, "finished 1\n")
        self.assertIn("in another thread than start()", done.stderr)
        first, second, _ = self.children(self.place)
        self.assertEqual(ranges(first), ["forward"])
        self.assertEqual(len(list((second / "FRAMEWORK").glob("*.pt.trace.json"))), 1)

    def test_a_running_profiler_of_torch_keeps_its_trace(self) -> None:
        script = """
import json
plan = npuscope.schedule(warmup=1, active=1, repeat=1)
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as theirs:
    torch.ones(3).sum()
    for named in ({}, {"schedule": plan}):
        with npuscope.profile(output=place, **named) as prof:
            for _ in range(3):
                with npuscope.mstx.annotate("forward"):
                    torch.ones(3).sum()
                prof.step()
    torch.zeros(3)
theirs.export_chrome_trace(place + "/theirs.json")
names = [event["name"] for event in json.load(open(place + "/theirs.json"))["traceEvents"]]
print(names.count("aten::ones"), names.count("aten::zeros"))
"""
        done = run("-c", f"import sys, torch, npuscope\nplace = sys.argv[1]\n{script}", self.place)
        self.assertEqual(done.stdout, "7 1\n")
        self.assertEqual(done.stderr.count("npuscope: "), 1, done.stderr)
        self.assertEqual([ranges(directory) for directory in self.children(self.place)], [["forward"] * 3, ["forward"]])

    @needs_program
    def test_a_step_that_is_none_is_none_in_the_analysis(self) -> None:
        script = """
import time
with npuscope.profile(schedule=npuscope.schedule(warmup=1, active=1_000_000), output=place) as prof:
    for _ in range(4):
        torch.ones(3).sum()
        time.sleep(0.01)
        prof.step()
"""
        self.run_here(script)
        self.assertEqual(sql(self.children(self.place)[0], "SELECT id FROM step ORDER BY 1"), [("1",), ("2",), ("3",)])


if __name__ == "__main__":
    unittest.main()
