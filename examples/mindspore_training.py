"""The network that the examples for MindSpore train. It runs on a CPU."""

from __future__ import annotations

from collections.abc import Iterator

import mindspore
import numpy
from mindspore import nn

mindspore.set_device("CPU")


class Net(nn.Cell):
    """One dense layer."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Dense(2, 2)

    def construct(self, x: mindspore.Tensor) -> mindspore.Tensor:
        return self.layer(x)


def items() -> Iterator[tuple[numpy.ndarray, numpy.ndarray]]:
    """Twelve batches."""
    for _ in range(12):
        yield numpy.ones((4, 2), numpy.float32), numpy.ones((4, 2), numpy.float32)


def train(net: nn.Cell) -> None:
    """One step."""
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    loss = nn.MSELoss()
    x, y = (mindspore.Tensor(array) for array in next(items()))
    slopes = mindspore.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
    optimizer(slopes(x, y)[1])
