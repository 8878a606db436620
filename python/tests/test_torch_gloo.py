"""Four ranks of torch that train on the CPU with gloo: their communication, a rank that sleeps, stacks and modules.

Run by `make test-torch`, which installs torch; elsewhere it is skipped, and says so.
"""

from __future__ import annotations

import json
import unittest
from pathlib import Path

from support import Case, installed, needs, needs_program, npuscope_program, run, sql

RANKS = 4
#: Long against what ranks of a busy machine differ by.
SLEEP = 0.2

LOOP = """
import sys, time
import torch
import torch.distributed as dist

recorder, place, where, seconds = sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4])
torch.set_num_threads(1)
torch.manual_seed(0)
dist.init_process_group("gloo")
rank = dist.get_rank()
layers = [torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64)]
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(*layers))
optimizer = torch.optim.SGD(model.parameters(), 0.01)
slept = []


def sleep(here):
    if here == where and rank == 2:
        start = time.perf_counter()
        time.sleep(seconds)
        slept.append(time.perf_counter() - start)


if recorder == "npuscope":
    import npuscope as profiler
else:
    profiler = torch.profiler
with profiler.profile(
    activities=[profiler.ProfilerActivity.CPU],
    schedule=profiler.schedule(wait=1, warmup=1, active=5, repeat=1),
    on_trace_ready=profiler.tensorboard_trace_handler(place),
    record_shapes=True,
    with_stack=True,
) as prof:
    for _ in range(8):
        sleep("before the forward pass")
        loss = model(torch.ones(8, 64)).sum()
        sleep("before the backward pass")
        optimizer.zero_grad()
        loss.backward()
        sleep("before the optimizer")
        optimizer.step()
        prof.step()
if rank == 2:
    open(place + "/slept.txt", "w").write(str(sum(slept[2:7]) / 5))
dist.destroy_process_group()
"""


@needs(installed("torch"), "torch is not installed; `make test-torch` installs it")
@needs_program
class TestGloo(Case):
    def train(self, recorder: str, where: str = "nowhere") -> Path:
        script = self.place / "loop.py"
        script.write_text(LOOP)
        result = self.place / "result"
        result.mkdir()
        launch = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", RANKS]
        run(*launch, script, recorder, result, where, SLEEP, OMP_NUM_THREADS=1)
        return result

    def assert_named(self, result: Path) -> None:
        """The rank that slept is named first, with what its sleep costs."""
        cost = 1e3 * float((result / "slept.txt").read_text())
        diagnosis = json.loads(npuscope_program("diagnose", result, "--format", "json"))
        first = diagnosis["findings"][0]
        self.assertEqual((first["id"], first["ranks"]), ("host", [2]), diagnosis["findings"])
        lost = next(number["value"] for number in first["numbers"] if number["unit"] == "ms/step")
        self.assertLess(abs(lost - cost), 0.2 * cost, f"lost {lost} ms, slept {cost} ms")

    def test_a_rank_that_sleeps_before_the_forward_pass_is_named_from_traces_of_torch(self) -> None:
        self.assert_named(self.train("torch", "before the forward pass"))

    def test_a_rank_that_sleeps_before_the_optimizer_is_named_from_traces_of_torch(self) -> None:
        self.assert_named(self.train("torch", "before the optimizer"))

    def test_a_rank_that_sleeps_before_the_backward_pass_is_named_from_our_recording(self) -> None:
        self.assert_named(self.train("npuscope", "before the backward pass"))

    def test_communication_stacks_and_modules_are_those_of_the_job(self) -> None:
        for recorder in ("torch", "npuscope"):
            with self.subTest(recorder=recorder):
                result = self.train(recorder)
                # One bucket: two layers of 64 * 64 weights and 64 biases.
                found = sql(
                    result,
                    "SELECT rank, name, group_name, rank_size, dtype, count, count(*) FROM comm_op "
                    "GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1",
                )
                elements = str(2 * (64 * 64 + 64))
                of_rank = ("gloo:all_reduce", "0", str(RANKS), "Float", elements, "5")
                self.assertEqual(found, [(str(rank), *of_rank) for rank in range(RANKS)])
                ((operators, stacks),) = sql(
                    result, "SELECT count(*), count(stack) FROM host_op WHERE name = 'aten::addmm'"
                )
                self.assertEqual((operators, stacks), ("40", "40"))
                modules = sql(result, "SELECT DISTINCT modules FROM host_op WHERE name = 'aten::addmm' ORDER BY 1")
                within = "DistributedDataParallel_0/Sequential_0/Linear_"
                self.assertEqual(modules, [(f"{within}0",), (f"{within}1",)])
                npuscope_program("cluster", "-d", result, "-m", "all", "-o", self.place)
                written = self.place / "cluster_analysis_output" / "cluster_communication.json"
                (group,) = json.loads(written.read_text())
                self.assertEqual(group, "(0, 1, 2, 3)")
                result.rename(self.place / recorder)

    def test_modules_are_recorded_without_stacks_being_asked_for(self) -> None:
        script = """
import sys, torch, npuscope
with npuscope.profile(output=sys.argv[1], with_modules=True):
    torch.nn.Linear(2, 2)(torch.ones(2))
"""
        run("-c", script, self.place)
        ((modules,),) = sql(self.place, "SELECT modules FROM host_op WHERE name = 'aten::linear'")
        self.assertEqual(modules, "Linear_0")


if __name__ == "__main__":
    unittest.main()
