"""A script for torch_npu, ported by its import: recording one step between `start` and `stop`, and parsing it later.

    python torch_npu_start_stop.py

Then:  npuscope view ./profiler_data
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


prof = torch_npu.profiler.profile(
    activities=[
        torch_npu.profiler.ProfilerActivity.CPU,
        torch_npu.profiler.ProfilerActivity.NPU,
    ],
    record_shapes=True,
    with_stack=True,
    on_trace_ready=torch_npu.profiler.tensorboard_trace_handler("./profiler_data", analyse_flag=False),
)
for epoch, data in enumerate(dataloader):
    if epoch == 11:
        prof.start()
    train_model_one_step(model, data)
    prof.step()
    if epoch == 11:
        prof.stop()

# Parsing offline, as in the guide of MindSpeed-RL: the directory may contain several recordings.
torch_npu.profiler.profiler.analyse(profiler_path="./profiler_data")
