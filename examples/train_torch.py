"""Train a small transformer with torch on CPU or CUDA, alone or as several ranks, and record some of its steps.

    python train_torch.py --config configs/fsdp2.yaml
    python train_torch.py --ranks 4 --profile --profile-step-start 5 --profile-step-end 7 --profile-ranks 0 2
    torchrun --nproc-per-node 4 train_torch.py --config configs/fsdp2.yaml
    python train_torch.py --steps 500 --dynamic ./control

Then:  npuscope doctor ./profile   and:  npuscope cluster -d ./profile -m all
"""

from __future__ import annotations

import argparse
import os
import socket
import time

import torch
import torch.distributed
import torch.multiprocessing
from torch.utils.data import DataLoader, TensorDataset

from asking import add_options, profiler_of
from npuscope import mstx

WORDS, LENGTH, WIDTH = 64, 16, 32


class Model(torch.nn.Module):
    """Predicts each next word of a text."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = torch.nn.Embedding(WORDS, WIDTH)
        layer = torch.nn.TransformerEncoderLayer(WIDTH, 4, 2 * WIDTH, dropout=0.0, batch_first=True)
        self.layers = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = torch.nn.Linear(WIDTH, WORDS)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        mask = torch.nn.Transformer.generate_square_subsequent_mask(words.shape[1])
        return self.head(self.layers(self.embedding(words), mask=mask, is_causal=True))


def texts(count: int) -> TensorDataset:
    """Texts whose words are consecutive numbers, which is easy to learn."""
    first = torch.randint(0, WORDS, (count, 1), generator=torch.Generator().manual_seed(1))
    return TensorDataset((first + torch.arange(LENGTH + 1)) % WORDS)


def step(model: torch.nn.Module, optimizer: torch.optim.Optimizer, words: torch.Tensor) -> torch.Tensor:
    """One step of training, in three ranges."""
    with mstx.annotate("forward"):
        guesses = model(words[:, :-1])
        loss = torch.nn.functional.cross_entropy(guesses.flatten(0, 1), words[:, 1:].flatten())
    with mstx.annotate("backward"):
        optimizer.zero_grad()
        loss.backward()
    with mstx.annotate("optimizer"):
        optimizer.step()
    return loss


def train(options: argparse.Namespace, others: list[str]) -> None:
    """The training loop of one rank."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    distributed = "RANK" in os.environ
    if distributed:
        torch.distributed.init_process_group("gloo")
    model: torch.nn.Module = Model()
    if distributed:
        model = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    loss = torch.tensor(float("inf"))
    with profiler_of(options, others) as prof:
        for (words,) in DataLoader(texts(options.steps * 8), batch_size=8):
            loss = step(model, optimizer, words)
            time.sleep(options.pause)
            prof.step()
    if int(os.environ.get("RANK", "0")) == 0:
        print(f"{options.steps} steps, loss {loss.item():.4f}")
    if distributed:
        torch.distributed.destroy_process_group()


def rank_main(rank: int, options: argparse.Namespace, others: list[str], port: int) -> None:
    """Start a rank as `torchrun` does."""
    os.environ.update(
        RANK=str(rank),
        LOCAL_RANK=str(rank),
        WORLD_SIZE=str(options.ranks),
        MASTER_ADDR="127.0.0.1",
        MASTER_PORT=str(port),
    )
    train(options, others)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--ranks", type=int, default=1, help="number of ranks to start, unless torchrun starts them")
    parser.add_argument("--pause", type=float, default=0.0, help="seconds to wait after each step")
    options, others = parser.parse_known_args()
    if options.ranks > 1 and "RANK" not in os.environ:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        torch.multiprocessing.spawn(rank_main, (options, others, port), nprocs=options.ranks)
    else:
        train(options, others)


if __name__ == "__main__":
    main()
