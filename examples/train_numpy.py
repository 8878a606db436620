"""Train a small network with numpy only, and record some of its steps.

    python train_numpy.py --config configs/fsdp2.yaml
    python train_numpy.py --profile --profile-step-start 5 --profile-step-end 7 --profile-with-cpu
    python train_numpy.py --steps 500 --dynamic ./control

Then:  npuscope doctor ./profile   and:  npuscope view ./profile
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator

import numpy

import npuscope
from asking import add_options, profiler_of
from npuscope import mstx


class Network:
    """Two layers with a ReLU between them."""

    def __init__(self, inputs: int, hidden: int, outputs: int) -> None:
        random = numpy.random.default_rng(0)
        self.first = random.normal(0, inputs**-0.5, (inputs, hidden))
        self.second = random.normal(0, hidden**-0.5, (hidden, outputs))

    def forward(self, batch: numpy.ndarray) -> numpy.ndarray:
        self.batch = batch
        self.active = numpy.maximum(batch @ self.first, 0)
        return self.active @ self.second

    def backward(self, slope: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
        inner = (slope @ self.second.T) * (self.active > 0)
        return self.batch.T @ inner, self.active.T @ slope


def batches(
    steps: int, size: int, inputs: int, outputs: int, read_seconds: float
) -> Iterator[tuple[numpy.ndarray, numpy.ndarray]]:
    """Batches of points and the expected output; reading a batch takes `read_seconds`."""
    random = numpy.random.default_rng(1)
    truth = random.normal(size=(inputs, outputs))
    for _ in range(steps):
        time.sleep(read_seconds)
        points = random.normal(size=(size, inputs))
        yield points, numpy.tanh(points @ truth)


@npuscope.mstx_timer_decorator
def update(network: Network, slopes: tuple[numpy.ndarray, numpy.ndarray], rate: float) -> None:
    network.first -= rate * slopes[0]
    network.second -= rate * slopes[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--hidden", type=int, default=256, help="width of the network")
    parser.add_argument("--batch", type=int, default=128, help="points per batch")
    parser.add_argument("--read-seconds", type=float, default=0.002, help="time to read a batch, in seconds")
    options, others = parser.parse_known_args()

    network = Network(64, options.hidden, 8)
    loss = numpy.inf
    with profiler_of(options, others) as prof:
        for points, wanted in npuscope.data_loader(batches(options.steps, options.batch, 64, 8, options.read_seconds)):
            with mstx.annotate("forward"):
                error = network.forward(points) - wanted
            with mstx.annotate("backward"):
                slopes = network.backward(2 * error / len(error))
            update(network, slopes, 0.005)
            loss = float((error**2).mean())
            prof.step()
    print(f"{options.steps} steps, loss {loss:.4f}")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
