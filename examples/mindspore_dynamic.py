"""MindSpore: steps 2 to 5 are recorded, then the control file is changed, and steps 8 to 10 are recorded, too.

    python mindspore_dynamic.py

Then:  npuscope view ./output_path
"""

from __future__ import annotations

import json
import time
from pathlib import Path

from mindspore_training import Net, train
from npuscope.profiler import DynamicProfilerMonitor  # instead of: from mindspore.profiler import ...

CONTROL = Path("./cfg_path/profiler_config.json")


def select(start_step: int, stop_step: int) -> None:
    """Write the control file; while training runs, an editor or `npuscope dynamic set` does this."""
    settings = {
        "start_step": start_step,
        "stop_step": stop_step,
        "aicore_metrics": -1,
        "profiler_level": 0,
        "activities": 0,
        "analyse_mode": -1,
        "parallel_strategy": False,
        "with_stack": False,
        "data_simplification": True,
    }
    CONTROL.parent.mkdir(exist_ok=True)
    CONTROL.write_text(json.dumps(settings))


select(2, 5)
dp = DynamicProfilerMonitor(cfg_path="./cfg_path", output_path="./output_path", poll_interval=0.05)
STEP_NUM = 15
net = Net()
for step in range(STEP_NUM):
    train(net)
    dp.step()
    if step == 5:
        select(8, 10)
        # Until the monitor has looked at the file again.
        time.sleep(0.5)
dp.stop()
