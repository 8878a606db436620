"""A script for torch_npu, ported by its import: recording one step in a `with` statement. It runs on any machine.

    python torch_npu_with.py

Then:  npuscope view ./profiling_data
"""

from __future__ import annotations

import torch
from torch.utils.data import DataLoader, TensorDataset

import npuscope as torch_npu  # instead of: import torch_npu

model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
dataloader = DataLoader(TensorDataset(torch.randn(60, 8)), batch_size=4)


def train_model_one_step(model: torch.nn.Module, data: list[torch.Tensor]) -> None:
    optimizer.zero_grad()
    model(data[0]).square().mean().backward()
    optimizer.step()


experimental_config = torch_npu.profiler._ExperimentalConfig(
    aic_metrics=torch_npu.profiler.AiCMetrics.PipeUtilization,
    profiler_level=torch_npu.profiler.ProfilerLevel.Level1,
    l2_cache=False,
)
with torch_npu.profiler.profile(
    activities=[
        torch_npu.profiler.ProfilerActivity.CPU,
        torch_npu.profiler.ProfilerActivity.NPU,
    ],
    record_shapes=True,
    profile_memory=True,
    with_stack=True,
    experimental_config=experimental_config,
    schedule=torch_npu.profiler.schedule(wait=10, warmup=0, active=1, repeat=1),
    on_trace_ready=torch_npu.profiler.tensorboard_trace_handler("./profiling_data"),
) as prof:
    for _epoch, data in enumerate(dataloader):
        train_model_one_step(model, data)
        prof.step()
