"""`npuscope run`: a script that knows nothing of npuscope is recorded, and runs as it does alone."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from npuscope.run.options import BadSettings, toml_options, with_options
from npuscope.run.script import Script, frameworks, of_command
from npuscope.run.sources import find, with_overrides
from support import PACKAGE, Case, needs_program, npuscope_program, ranges, sql, steps, wait_for
from support import run as run_python

LOOP = """
import sys, time

class Trainer:
    def step(self, x):
        return train_step(x)

def train_step(x):
    time.sleep(0.002)
    return x + 1

if __name__ == "__main__":
    x = 0
    for _ in range(8):
        x = Trainer().step(x)
    print("trained", x, any(place.endswith("site") for place in sys.path))
    sys.exit({code})
"""

#: Stands in for torch, as far as the hooks look: modules, optimizers, loaders.
TORCH = {
    "torch/__init__.py": "import torch.optim.optimizer, torch.utils.data.dataloader",
    "torch/optim/__init__.py": "",
    "torch/optim/optimizer.py": """
        class Optimizer:
            def __init__(self):
                self.updates = 0
            def step(self):
                self.updates += 1
        class SGD(Optimizer):
            def step(self):
                super().step()
        class Plain(Optimizer):
            pass
    """,
    "torch/utils/__init__.py": "",
    "torch/utils/data/__init__.py": "",
    "torch/utils/data/dataloader.py": """
        class _BaseDataLoaderIter:
            def __init__(self, items):
                self.items = iter(items)
            def __iter__(self):
                return self
            def __next__(self):
                return next(self.items)
    """,
}

TRAINING = """
import sys
from torch.optim.optimizer import Plain, SGD
from torch.utils.data.dataloader import _BaseDataLoaderIter as Loader

for item in Loader(range(20)):
    pass
first, last = Plain(), SGD()
for item in Loader(range(8)):
    first.step()
    last.step()
print("trained", first.updates, last.updates)
"""

ITEMS = """
import sys
from torch.utils.data.dataloader import _BaseDataLoaderIter as Loader

for _ in range(2):
    for item in Loader(range(4)):
        pass
"""


class RunCase(Case):
    def setUp(self) -> None:
        super().setUp()
        self.variables = {
            **{name: value for name, value in os.environ.items() if name not in ("RANK", "WORLD_SIZE")},
            "PYTHONPATH": str(PACKAGE),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONWARNINGS": "ignore",
        }

    def script(self, text: str, name: str = "train.py") -> Path:
        file = self.place / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text))
        return file

    def loop(self, code: int = 0) -> Path:
        return self.script(LOOP.format(code=code))

    def framework(self) -> None:
        for name, text in TORCH.items():
            self.script(text, name)

    def run_command(self, *words: Any, **environment: str) -> subprocess.CompletedProcess[str]:
        """`python -m npuscope run WORDS`, in the directory of the test."""
        command = [sys.executable, "-m", "npuscope", "run", *map(str, words)]
        return subprocess.run(
            command,
            check=False,
            capture_output=True,
            text=True,
            timeout=300,
            cwd=self.place,
            env={**self.variables, **environment},
        )

    def run_python(self, *words: Any, **environment: str) -> subprocess.CompletedProcess[str]:
        """A script that is recorded by itself, in the directory of the test."""
        return subprocess.run(
            [sys.executable, *map(str, words)],
            check=False,
            capture_output=True,
            text=True,
            timeout=300,
            cwd=self.place,
            env={**self.variables, **environment},
        )

    def recorded(self, directory: str = "profile") -> list[list[str]]:
        return [steps(child) for child in self.children(self.place / directory)]


@needs_program
class TestRun(RunCase):
    def test_the_function_of_a_step_is_named_and_the_script_is_unchanged(self) -> None:
        for function in ("train_step", "Trainer.step", "__main__:train_step"):
            with self.subTest(function):
                shutil.rmtree(self.place / "profile", ignore_errors=True)
                script = self.loop()
                done = self.run_command("--step-function", function, "--steps", "3-5", "--", sys.executable, script)
                self.assertEqual(done.stdout, "trained 8 False\n", done.stderr)
                self.assertEqual(self.recorded(), [["ProfilerStep#3", "ProfilerStep#4", "ProfilerStep#5"]])
                times = sql(self.place / "profile", 'SELECT "end" - start FROM step')
                self.assertTrue(all(2e6 <= int(time) < 200e6 for (time,) in times), times)
                # The command that the last line names.
                self.assertIn("npuscope view profile", done.stderr.splitlines()[-1])
                self.assertIn("3 steps", npuscope_program("info", self.place / "profile"))

    def test_static_and_class_methods_stay_what_they_are(self) -> None:
        for kind, first in (("staticmethod", ""), ("classmethod", "cls, ")):
            with self.subTest(kind):
                shutil.rmtree(self.place / "profile", ignore_errors=True)
                script = self.script(
                    "class Trainer:\n"
                    f"    @{kind}\n"
                    f"    def step({first}batch):\n"
                    "        return batch + 1\n"
                    "trainer = Trainer()\n"
                    "print(sum(trainer.step(batch) + Trainer.step(batch) for batch in range(4)))"
                )
                options = ("--step-function", "Trainer.step", "--steps", "3-5")
                done = self.run_command(*options, "--", sys.executable, script)
                self.assertEqual((done.returncode, done.stdout), (0, "20\n"), done.stderr)
                self.assertEqual(self.recorded(), [["ProfilerStep#3", "ProfilerStep#4", "ProfilerStep#5"]])

    def test_a_script_without_visible_steps_is_recorded_whole_and_this_is_said_before_it_starts(self) -> None:
        script = self.script("import sys\nprint('started', file=sys.stderr)")
        done = self.run_command("--", sys.executable, script)
        lines = done.stderr.splitlines()
        said = lines[: lines.index("started")]
        self.assertTrue(any("imports neither torch nor MindSpore" in line for line in said), lines)
        self.assertTrue(any("--step-function" in line for line in said), lines)
        self.assertEqual(self.recorded(), [[]])

    def test_the_exit_code_is_that_of_the_command(self) -> None:
        for code in (0, 1, 7, 255):
            done = self.run_command("--", sys.executable, self.loop(code))
            self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(self.run_command("--", "/nowhere/python", "train.py").returncode, 127)
        done = self.run_command("--", sys.executable, "-c", "import os; os.kill(os.getpid(), 9)")
        self.assertEqual(done.returncode, 128 + 9)

    def test_signals_reach_the_command_and_its_recording_is_kept(self) -> None:
        script = self.script("""
            import signal, sys, time, pathlib
            got = []
            signal.signal(signal.SIGTERM, lambda *_: got.append("SIGTERM"))
            signal.signal(signal.SIGUSR1, lambda *_: got.append("SIGUSR1"))
            pathlib.Path("ready").touch()
            while "SIGTERM" not in got:
                time.sleep(0.01)
            print(got)
            sys.exit(3)
        """)
        started = subprocess.Popen(
            [sys.executable, "-m", "npuscope", "run", "--", sys.executable, str(script)],
            cwd=self.place,
            env=self.variables,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(started.kill)
        wait_for(self.place / "ready")
        started.send_signal(signal.SIGUSR1)
        time.sleep(0.2)
        started.send_signal(signal.SIGTERM)
        printed, _ = started.communicate(timeout=60)
        self.assertEqual((printed, started.returncode), ("['SIGUSR1', 'SIGTERM']\n", 3))
        self.assertEqual(len(self.recorded()), 1)

    def test_updates_of_the_optimizer_created_last_are_the_steps(self) -> None:
        self.framework()
        script = self.script(TRAINING)
        done = self.run_command("--steps", "3-4", "--", sys.executable, script)
        self.assertEqual(done.stdout, "trained 8 8\n", done.stderr)
        # The items before the optimizer was created are no steps.
        self.assertEqual(self.recorded(), [["ProfilerStep#3", "ProfilerStep#4"]])

    def test_without_an_optimizer_an_item_of_a_loader_is_a_step(self) -> None:
        self.framework()
        done = self.run_command("--steps", "2-5", "--", sys.executable, self.script(ITEMS))
        self.assertEqual(self.recorded(), [[f"ProfilerStep#{step}" for step in range(2, 6)]], done.stderr)

    def test_the_flags_of_the_command_are_found(self) -> None:
        self.framework()
        flags = ["--profile", "--profile-step-start", 5, "--profile-step-end", 7, "--profile-save-path", "out"]
        done = self.run_command("--", sys.executable, self.script(TRAINING), *flags)
        self.assertIn("records steps 5 to 6 of rank 0 into out; settings: flags of the command", done.stderr)
        # MindSpeed-LLM counts from 1.
        self.assertEqual(self.recorded("out"), [["ProfilerStep#5", "ProfilerStep#6"]])

    def test_a_rank_that_is_not_selected_is_not_recorded(self) -> None:
        self.framework()
        words = ["--steps", "2", "--ranks", "1", "--", sys.executable, self.script(TRAINING)]
        done = self.run_command(*words, RANK="0", WORLD_SIZE="2")
        self.assertIn("none of the 1 processes has a selected rank", done.stderr)
        self.assertEqual(self.recorded(), [])
        self.run_command(*words, RANK="1", WORLD_SIZE="2")
        self.assertEqual(self.recorded(), [["ProfilerStep#2"]])

    def test_a_window_beyond_the_end_is_reported_with_the_numbers(self) -> None:
        self.framework()
        done = self.run_command("--steps", "50-51", "--", sys.executable, self.script(TRAINING))
        self.assertEqual(done.stdout, "trained 8 8\n")
        self.assertIn("the schedule needs 51 steps", done.stderr)
        self.assertIn("training made 8", done.stderr)
        self.assertEqual(self.recorded(), [])

    def test_a_process_that_is_killed_leaves_a_recording_that_is_named(self) -> None:
        self.framework()
        script = self.script(
            TRAINING.replace(
                "    last.step()\n",
                "    last.step()\n    if item == 5:\n        time.sleep(0.5)\n        os.kill(os.getpid(), 9)\n",
            ).replace("import sys", "import os, sys, time")
        )
        done = self.run_command("--steps", "3-8", "--", sys.executable, script)
        self.assertEqual(done.returncode, 128 + 9)
        self.assertIn("recorded into profile: rank 0", done.stderr)
        query = "SELECT id FROM step ORDER BY 1"
        self.assertEqual(sql(self.place / "profile", query)[:3], [("3",), ("4",), ("5",)])

    def test_settings_with_errors_do_not_keep_training_from_running(self) -> None:
        self.framework()
        flags = ["--profile", "--profile-step-start", 0, "--profile-step-end", 3]
        done = self.run_command("--", sys.executable, self.script(TRAINING), *flags)
        self.assertEqual((done.stdout, done.returncode), ("trained 8 8\n", 0))
        self.assertIn("nothing is recorded because of these errors", done.stderr)

    def test_wrong_options_end_before_the_command_starts(self) -> None:
        for words in (["--steps", "7-3"], ["--ranks", "first"], ["--config", "absent.yaml"]):
            done = self.run_command(*words, "--", sys.executable, "-c", "print('started')")
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn("the command was not started", done.stderr)

    def test_an_interpreter_that_ignores_the_path_is_reported_and_runs(self) -> None:
        done = self.run_command("--", sys.executable, "-I", "-c", "print('trained')")
        self.assertEqual((done.stdout, done.returncode), ("trained\n", 0))
        self.assertIn("nothing is recorded: with -I", done.stderr)

    def test_the_sitecustomize_of_the_environment_still_runs(self) -> None:
        self.script("import sys\nprint('theirs', sys.modules['sitecustomize'].__file__)", "site/sitecustomize.py")
        self.variables["PYTHONPATH"] += os.pathsep + str(self.place / "site")
        done = self.run_command("--step-function", "f", "--", sys.executable, self.script("print('trained')"))
        theirs = self.place / "site" / "sitecustomize.py"
        self.assertIn(f"theirs {theirs}\ntrained\n", done.stdout)

    def test_a_recorder_that_fails_leaves_training_running(self) -> None:
        self.framework()
        (self.place / "profile").write_text("a file where the directory should be")
        done = self.run_command("--steps", "2", "--", sys.executable, self.script(TRAINING))
        self.assertEqual((done.stdout, done.returncode), ("trained 8 8\n", 0), done.stderr)
        self.assertIn("training continues", done.stderr)

    def test_helpers_that_the_script_starts_are_not_recorded(self) -> None:
        self.framework()
        script = self.script(
            "import subprocess, sys\n"
            + TRAINING
            + "if len(sys.argv) == 1:\n    subprocess.run([sys.executable, __file__, 'helper'], check=True)\n"
        )
        done = self.run_command("--steps", "2", "--", sys.executable, script)
        self.assertEqual(done.stdout.count("trained 8 8"), 2, done.stderr)
        self.assertEqual(self.recorded(), [["ProfilerStep#2"]])

    def test_a_script_with_a_profiler_of_npuscope_records_as_it_says(self) -> None:
        self.framework()
        script = self.script(
            TRAINING.replace(
                "first, last",
                "import npuscope\nprof = npuscope.profile(output='own')\nprof.start()\nfirst, last",
            )
        )
        done = self.run_command("--count", "optimizer", "--steps", "2-3", "--", sys.executable, script)
        self.assertEqual(done.stdout, "trained 8 8\n")
        self.assertIn("the script records with npuscope", done.stderr)
        self.assertEqual((len(self.recorded("own")), self.recorded()), (1, []))

    def test_ranges_of_the_script_are_in_the_recording(self) -> None:
        script = self.script("from npuscope import mstx\nwith mstx.annotate('forward'):\n    pass\n")
        self.run_command("--", sys.executable, script)
        (directory,) = self.children(self.place / "profile")
        self.assertEqual(ranges(directory), ["forward"])

    def test_the_announcement_is_chinese_in_a_chinese_locale_and_the_job_keeps_its_own(self) -> None:
        script = self.script("import os\nprint(os.environ.get('LC_ALL'))")
        done = self.run_command("--lang", "zh", "--", sys.executable, script)
        self.assertIn("采集整个运行过程", done.stderr)
        self.assertEqual(done.stdout, "C.UTF-8\n")

    def test_quiet_prints_nothing(self) -> None:
        done = self.run_command(
            "-q", "--step-function", "train_step", "--steps", "2", "--", sys.executable, self.loop()
        )
        self.assertEqual(done.stderr.replace("npuscope: without an NPU", ""), "")
        self.assertEqual(self.recorded(), [["ProfilerStep#2"]])


class TestSources(RunCase):
    """Where settings are looked for, and which take precedence."""

    def setUp(self) -> None:
        super().setUp()
        before = os.getcwd()
        os.chdir(self.place)
        self.addCleanup(os.chdir, before)
        self.script("", "train.py")

    def find(self, *arguments: str, **environment: str) -> Any:
        with mock.patch.dict(os.environ, environment):
            return find({}, of_command(["python", "train.py", *arguments]), 0)[0]

    def test_flags_come_before_files_and_files_before_the_environment(self) -> None:
        self.script("training:\n  profile: true\n  profile_step_start: 2\n  profile_step_end: 4\n", "fsdp2.yaml")
        options = {"MS_PROFILER_OPTIONS": '{"start": true, "output_path": "ms"}'}
        self.script('[run]\nsteps = "9"\n', "npuscope.toml")
        self.assertEqual(self.find("fsdp2.yaml", "--profile", **options).dialect, "llm")
        self.assertEqual(self.find("fsdp2.yaml", **options).source, "fsdp2.yaml")
        self.assertEqual(self.find(**options).source, "MS_PROFILER_OPTIONS")
        self.assertEqual(self.find(MS_PROFILER_OPTIONS='{"start": false}').source, "npuscope.toml")
        (self.place / "npuscope.toml").unlink()
        self.assertEqual(self.find(MS_PROFILER_OPTIONS="").source, "")

    def test_files_that_are_off_are_passed_over(self) -> None:
        self.script("training:\n  profile: false\n", "fsdp2.yaml")
        chosen, ignored = find({}, of_command(["python", "train.py", "fsdp2.yaml"]), 0)
        self.assertEqual((chosen.source, [other.source for other in ignored]), ("", ["fsdp2.yaml"]))

    def test_hydra_names_the_file_of_mindspeed_rl(self) -> None:
        self.script("profiler_config:\n  integrated:\n    profile: true\n    stage: all\n", "configs/grpo.yaml")
        self.assertEqual(self.find("--config-name", "grpo").dialect, "rl")
        self.assertEqual(self.find("--config-name=grpo").dialect, "rl")

    def test_a_shell_script_has_the_flags_of_the_training_in_it(self) -> None:
        self.script("torchrun pretrain.py \\\n  --profile --profile-step-start 5 --profile-step-end 6\n", "run.sh")
        chosen, _ = find({}, of_command(["bash", "run.sh"]), 0)
        self.assertEqual((chosen.source, chosen.config["schedule"]["skip_first"]), ("run.sh", 3))

    def test_flags_of_fsdp2_take_precedence_over_its_file(self) -> None:
        text = "model:\n  a: 1\ntraining:\n  # profile\n  profile: true\n  profile_level: level0\n"
        self.script(text, "fsdp2.yaml")
        found = self.find("fsdp2.yaml", "--training.profile_level", "level2", "--training.profile_ranks", "0", "3")
        self.assertEqual((found.config["level"], found.config["ranks"]), ("level2", [0, 3]))
        self.assertEqual(
            with_overrides(text, [("profile_level", "level1"), ("profile_ranks", "[1]")]),
            "model:\n  a: 1\ntraining:\n  # profile\n  profile_ranks: [1]\n  profile: true\n  profile_level: level1\n",
        )

    @unittest.skipIf(sys.version_info < (3, 11), "tomllib is in Python since 3.11")
    def test_npuscope_toml_has_the_options(self) -> None:
        self.script('[run]\nsteps = "3-4"\nranks = "0,2-3"\nwith_stack = true\noutput = "out"\n', "npuscope.toml")
        options: dict[str, Any] = {"steps": "8", "ranks": None}
        chosen, _ = find(options, Script(), 0)
        config = with_options(chosen.config, options)
        # The command line takes precedence.
        self.assertEqual((config["schedule"]["skip_first"], config["ranks"]), (6, [0, 2, 3]))
        self.assertEqual((config["stack"], config["output"]), (True, "out"))
        for text, why in (
            ("[run]\nstep = '3'\n", "did you mean 'steps'"),
            ("[run]\nwith_stack = 'yes'\n", "expected bool"),
            ("[run]\nsteps = '5-3'\n", "expected FIRST-LAST"),
            ("[run\n", "cannot be read"),
            ("[training]\n", r"\[run\] is missing"),
        ):
            file = self.script(text, "npuscope.toml")
            with self.subTest(text), self.assertRaisesRegex(BadSettings, why):
                with_options(chosen.config, toml_options(file) or {})


class TestScript(RunCase):
    def test_what_a_command_runs_is_found_behind_its_launcher(self) -> None:
        train = str(self.script("", "train.py"))
        for command, expected in (
            (["python", train, "--a"], (train, "", None, ["--a"])),
            (["python3.11", "-u", "-X", "dev", "-m", "pkg.train", "--a"], ("pkg.train", "", None, ["--a"])),
            (["torchrun", "--nproc-per-node", "4", "--nnodes=2", train, "--a"], (train, "torchrun", 8, ["--a"])),
            (
                ["python", "-m", "torch.distributed.run", "--nproc_per_node=4", train],
                (train, "torch.distributed.run", 4, []),
            ),
            (["torchrun", "--nproc-per-node", "auto", "-m", "pkg.train"], ("pkg.train", "torchrun", None, [])),
            (["mpirun", "-np", "2", "python", train], (train, "mpirun", 2, [])),
            (["msrun", "--worker_num=8", train], (train, "msrun", 8, [])),
            (["nohup", "env", "A=1", "python", train], (train, "", None, [])),
        ):
            with self.subTest(command=command):
                found = of_command(command)
                self.assertEqual((found.name, found.launcher, found.world_size, found.arguments), expected)

    def test_frameworks_are_found_through_the_files_beside_a_script(self) -> None:
        script = str(self.script("import json\nfrom package import trainer\nimport helper"))
        self.script("", "package/__init__.py")
        self.script("import os", "helper.py")
        self.script("import os", "package/trainer.py")
        self.assertEqual(frameworks(script), set())
        self.script("from .model import Model", "package/trainer.py")
        self.script("import torch.nn as nn", "package/model.py")
        self.assertEqual(frameworks(script), {"torch"})
        self.assertIsNone(frameworks(str(self.place / "absent.py")))


@needs_program
class TestEnvironment(RunCase):
    def test_a_command_of_the_package_does_not_record_itself(self) -> None:
        options = json.dumps({"start": True, "output_path": str(self.place / "itself")})
        done = run_python("-m", "npuscope", "--version", MS_PROFILER_OPTIONS=options)
        self.assertIn("npuscope", done.stdout)
        self.assertFalse((self.place / "itself").exists())

    def test_the_variable_records_once(self) -> None:
        self.framework()
        options = json.dumps({"start": True, "output_path": str(self.place / "ms"), "activities": ["CPU"]})
        script = self.script("import npuscope\n" + TRAINING)
        done = self.run_command("--", sys.executable, script, MS_PROFILER_OPTIONS=options)
        self.assertEqual(done.stdout, "trained 8 8\n", done.stderr)
        self.assertEqual(self.recorded("ms"), [[f"ProfilerStep#{step}" for step in range(1, 9)]])


if __name__ == "__main__":
    unittest.main()
