"""A trainer that knows nothing of npuscope: `npuscope run` records it. It ignores the flags and files of a profiler.

    npuscope run -- torchrun --nproc-per-node 4 pretrain.py --profile --profile-step-start 5 --profile-step-end 6
    npuscope run -- torchrun --nproc-per-node 4 pretrain.py configs/fsdp2.yaml
    npuscope run --steps 5-6 -- python pretrain.py

Then:  npuscope view ./profile_dir   (or the directory that the last line names)
"""

import argparse
import os

import torch
from torch.utils.data import DataLoader, TensorDataset


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--train-iters", type=int, default=8)
    options, _ = parser.parse_known_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
    distributed = "RANK" in os.environ
    if distributed:
        torch.distributed.init_process_group("gloo")
        model = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    data = DataLoader(TensorDataset(torch.randn(options.train_iters * 4, 8)), batch_size=4)
    for (batch,) in data:
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
    print(f"trained {options.train_iters} steps")
    if distributed:
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
