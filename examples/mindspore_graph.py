"""MindSpore in graph mode: a callback starts and stops `Profiler`.

    python mindspore_graph.py

Then:  npuscope view ./profiler_data
"""

from __future__ import annotations

from typing import Any

import mindspore as ms
from mindspore import nn
from mindspore.dataset import GeneratorDataset

from mindspore_training import Net, items
from npuscope import Profiler  # instead of: from mindspore import Profiler


class StopAtStep(ms.Callback):
    def __init__(self, start_step: int, stop_step: int) -> None:
        super().__init__()
        self.start_step = start_step
        self.stop_step = stop_step
        self.profiler = Profiler(start_profile=False, output_path="./profiler_data")

    def on_train_step_begin(self, run_context: Any) -> None:
        cb_params = run_context.original_args()
        step_num = cb_params.cur_step_num
        if step_num == self.start_step:
            self.profiler.start()

    def on_train_step_end(self, run_context: Any) -> None:
        cb_params = run_context.original_args()
        step_num = cb_params.cur_step_num
        if step_num == self.stop_step:
            self.profiler.stop()
            self.profiler.analyse()


if __name__ == "__main__":
    ms.set_context(mode=ms.GRAPH_MODE)
    net = Net()
    model = ms.train.Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.1, 0.9))
    model.train(1, GeneratorDataset(items, ["x", "y"]), callbacks=[StopAtStep(3, 5)], dataset_sink_mode=False)
