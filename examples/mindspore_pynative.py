"""MindSpore in PyNative mode: a schedule selects the first two steps.

    python mindspore_pynative.py

Then:  npuscope view ./data
"""

from __future__ import annotations

from mindspore_training import Net, train
from npuscope import Profiler  # instead of: from mindspore import Profiler
from npuscope.profiler import schedule, tensor_board_trace_handler  # instead of: from mindspore.profiler import ...

STEP_NUM = 15
net = Net()
with Profiler(
    schedule=schedule(wait=0, warm_up=0, active=2, repeat=1, skip_first=0), on_trace_ready=tensor_board_trace_handler
) as prof:
    for _ in range(STEP_NUM):
        train(net)
        prof.step()
