"""The real MindSpore, on a CPU, where it is installed."""

from __future__ import annotations

import json
import sys
import unittest

from support import EXAMPLES, Case, installed, needs, needs_program, records, run, sql, steps
from test_run import RunCase

TRAINING = """
import sys
import mindspore
from mindspore import nn, dataset
import numpy
mindspore.set_device("CPU")
def items():
    for _ in range(6):
        yield numpy.ones((2, 2), numpy.float32), numpy.ones((2, 1), numpy.float32)
net = nn.Dense(2, 1)
optimizer = nn.SGD(net.trainable_params(), 0.1)
model = mindspore.train.Model(net, nn.MSELoss(), optimizer)
data = dataset.GeneratorDataset(items, ["x", "y"])
"""

MODEL = """
model.train(1, data, dataset_sink_mode=False)
print("trained")
"""

LOOP = """
loss = nn.MSELoss()
slopes = mindspore.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
for x, y in data.create_tuple_iterator():
    _, found = slopes(x, y)
    optimizer(found)
print("trained")
"""

CELL = """
cell = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
for x, y in data.create_tuple_iterator():
    cell(x, y)
print("trained")
"""


@needs(installed("mindspore"), "MindSpore is not installed")
class TestRealMindSpore(Case):
    def test_a_monitor_is_a_callback_of_the_real_model(self) -> None:
        script = f"""
import json, pathlib, mindspore, npuscope
from mindspore import nn, dataset
import numpy
control = pathlib.Path({str(self.place)!r}) / "control"
control.mkdir()
asked = {{"start_step": 2, "stop_step": 3, "profiler_level": "Level0"}}
(control / "profiler_config.json").write_text(json.dumps(asked))
mindspore.set_device("CPU")
def items():
    for _ in range(4):
        yield numpy.ones((2, 2), numpy.float32), numpy.ones((2, 1), numpy.float32)
net = nn.Dense(2, 1)
model = mindspore.train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1), metrics={{"loss"}})
data = dataset.GeneratorDataset(items, ["x", "y"])
monitor = npuscope.DynamicProfilerMonitor(str(control), {str(self.place / "result")!r}, backend="native")
assert isinstance(monitor, npuscope.DynamicProfilerMonitor) and isinstance(monitor, mindspore.train.Callback)
model.train(1, data, callbacks=[monitor], dataset_sink_mode=False)
print("trained", npuscope.rank.rank())
"""
        done = run("-c", script, NPUSCOPE="/nowhere")
        self.assertIn("trained", done.stdout)
        self.assertNotIn("npuscope: ", done.stderr)
        self.assertNotIn("eprecat", done.stderr)
        (directory,) = self.children(self.place / "result" / "rank0_start2_stop3")
        self.assertEqual(steps(directory), ["ProfilerStep#2", "ProfilerStep#3"])

    def test_the_real_profiler_takes_what_we_say(self) -> None:
        script = f"""
import json, mindspore, npuscope
mindspore.set_device("CPU")
assert npuscope.backends.choose() == "mindspore_cpu", npuscope.backends.choose()
asked = npuscope._ExperimentalConfig(
    profiler_level=npuscope.ProfilerLevel.Level1,
    aic_metrics=npuscope.AiCMetrics.Memory,
    export_type=npuscope.ExportType.Db,
)
with npuscope.profile(
    backend="mindspore",
    schedule=npuscope.schedule(warmup=1, active=1, repeat=1),
    on_trace_ready=npuscope.tensorboard_trace_handler({str(self.place)!r}, analyse_flag=False),
    experimental_config=asked,
    with_stack=True,
) as prof:
    print(json.dumps(prof._running._profiler._prof_context.original_params, default=str))
    for _ in range(3):
        prof.step()
print("trained")
"""
        done = run("-c", script)
        self.assertIn("trained", done.stdout)
        self.assertNotIn("profiling is off", done.stderr)
        taken = json.loads(done.stdout.splitlines()[0])
        said = {name: taken[name] for name in ("profiler_level", "aic_metrics", "export_type", "with_stack")}
        self.assertEqual(
            said, {"profiler_level": "Level1", "aic_metrics": "Memory", "export_type": ["db"], "with_stack": True}
        )

    def test_our_profiler_records_the_operators_that_mindspores_records(self) -> None:
        script = (
            TRAINING
            + """
import npuscope
class Steps(mindspore.train.Callback):
    def on_train_step_end(self, run_context):
        prof.step()
prof = npuscope.Profiler(
    output_path=sys.argv[1] + "/ours",
    schedule=npuscope.schedule(warmup=1, active=2, repeat=2),
    profile_memory=True,
    record_shapes=True,
)
model.train(1, data, callbacks=[Steps()], dataset_sink_mode=False)
prof.stop()
theirs = mindspore.Profiler(output_path=sys.argv[1] + "/theirs", profile_memory=True)
model.train(1, data, dataset_sink_mode=False)
theirs.analyse()
"""
        )
        done = run("-c", script, self.place)
        self.assertNotIn("profiling is off", done.stderr)
        (theirs,) = (self.place / "theirs").glob("*/FRAMEWORK/cpu_op_execute_timestamp_0.txt")
        known = {line.partition(";")[0].rpartition("/")[2] for line in theirs.read_text().splitlines()}
        directories = self.children(self.place / "ours")
        self.assertEqual(
            [steps(one) for one in directories],
            [["ProfilerStep#1", "ProfilerStep#2"], ["ProfilerStep#4", "ProfilerStep#5"]],
        )
        for directory in directories:
            operators = [texts for _, _, texts in records(directory / "FRAMEWORK" / "torch.op_range")]
            names = {texts[2].rpartition("/")[2] for texts in operators}
            self.assertLessEqual(known, names)
            self.assertTrue((directory / "FRAMEWORK" / "torch.memory_usage").stat().st_size > 0)

    @needs_program
    def test_operators_lie_within_the_steps_that_run_them(self) -> None:
        done = run(
            "-m",
            "npuscope",
            "run",
            "--steps",
            "2-3",
            "-o",
            self.place / "out",
            "--",
            sys.executable,
            "-c",
            TRAINING + MODEL,
            "/",
        )
        self.assertIn("trained", done.stdout)
        query = (
            "SELECT step.id, count(*) FROM host_op JOIN step ON host_op.start >= step.start "
            'AND host_op.start < step."end" '
            "WHERE host_op.name = 'MatMul' GROUP BY 1 ORDER BY 1"
        )
        # One in the forward pass and one in the backward pass.
        self.assertEqual(sql(self.place / "out", query), [("2", "2"), ("3", "2")])

    @needs_program
    def test_model_train_and_loops_are_recorded_without_a_change(self) -> None:
        for mode in ("GRAPH_MODE", "PYNATIVE_MODE"):
            # The function of LOOP is none that a graph can have.
            trainings = {"model": MODEL, "cell": CELL, **({"loop": LOOP} if mode == "PYNATIVE_MODE" else {})}
            for name, training in trainings.items():
                with self.subTest(mode=mode, training=name):
                    script = self.place / f"{mode}_{name}.py"
                    script.write_text(
                        TRAINING.replace(
                            "import mindspore\n", f"import mindspore\nmindspore.set_context(mode=mindspore.{mode})\n"
                        )
                        + training
                    )
                    place = self.place / f"{mode}_{name}"
                    done = run("-m", "npuscope", "run", "--steps", "2-4", "-o", place, "--", sys.executable, script)
                    self.assertIn("trained", done.stdout)
                    self.assertEqual(
                        [steps(one) for one in self.children(place)],
                        [[f"ProfilerStep#{step}" for step in (2, 3, 4)]],
                        done.stderr,
                    )

    def test_the_variable_records_once_whichever_is_imported_first(self) -> None:
        for first, last in (("mindspore", "npuscope"), ("npuscope", "mindspore")):
            place = self.place / first
            options = json.dumps({"start": True, "output_path": str(place), "activities": ["CPU"]})
            script = f"import {first}\nimport {last}\nmindspore.set_device('CPU')\none = mindspore.Tensor([1.0])\n"
            script += "print('trained', mindspore.ops.add(one, one).shape)"
            done = run("-c", script, MS_PROFILER_OPTIONS=options)
            self.assertIn("trained", done.stdout)
            self.assertEqual(len(list(place.iterdir())), 1, done.stderr)


@needs(installed("mindspore"), "MindSpore is not installed")
@needs_program
class TestExamples(RunCase):
    """The examples of the guide, as they are."""

    def run_example(self, name: str, **environment: str) -> None:
        done = self.run_python(EXAMPLES / f"{name}.py", **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("npuscope: profiling is off", done.stderr)

    def test_graph_mode(self) -> None:
        self.run_example("mindspore_graph")
        (directory,) = self.children(self.place / "profiler_data")
        # Three steps, without markers.
        self.assertEqual(sql(directory, "SELECT count(*) FROM host_op WHERE name LIKE '%ApplyMomentum-op0'")[0][0], "3")

    def test_pynative_mode_has_the_steps_0_and_1(self) -> None:
        self.run_example("mindspore_pynative")
        (directory,) = self.children(self.place / "data")
        self.assertEqual(steps(directory), ["ProfilerStep#0", "ProfilerStep#1"])

    def test_dynamic_has_the_folders_of_the_guide(self) -> None:
        self.run_example("mindspore_dynamic")
        found = {
            folder.name: [name.partition("#")[2] for one in self.children(folder) for name in steps(one)]
            for folder in sorted((self.place / "output_path").iterdir())
        }
        self.assertEqual(found, {"rank0_start2_stop5": ["2", "3", "4", "5"], "rank0_start8_stop10": ["8", "9", "10"]})

    def test_the_environment_records_once_alone_and_with_run(self) -> None:
        options = json.dumps({"start": True, "output_path": "./environment", "activities": ["CPU", "NPU"]})
        self.run_example("mindspore_environment", MS_PROFILER_OPTIONS=options)
        self.assertEqual(len(self.children(self.place / "environment")), 1)
        script = EXAMPLES / "mindspore_environment.py"
        self.run_command("-o", "by_run", "--", sys.executable, script, MS_PROFILER_OPTIONS=options)
        self.assertEqual(self.recorded("by_run"), [[f"ProfilerStep#{step}" for step in range(1, 9)]])


if __name__ == "__main__":
    unittest.main()
