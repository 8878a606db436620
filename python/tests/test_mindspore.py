"""The real MindSpore, on a CPU, where it is installed."""

from __future__ import annotations

import json
import unittest

from support import Case, installed, needs, run, steps


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
assert npuscope.backends.choose() == "native", npuscope.backends.choose()
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


if __name__ == "__main__":
    unittest.main()
