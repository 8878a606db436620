"""MindSpore without a profiler in the script: MindSpore records it, configured by MS_PROFILER_OPTIONS.

    export MS_PROFILER_OPTIONS='{"start": true, "output_path": "./environment", "activities": ["CPU", "NPU"]}'
    python mindspore_environment.py                    # MindSpore reads the variable and records from its import on
    npuscope run -- python mindspore_environment.py    # npuscope reads it, and also records the steps

Then:  npuscope view ./environment
"""

from __future__ import annotations

from mindspore_training import Net, train

net = Net()
for _ in range(8):
    train(net)
