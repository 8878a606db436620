"""Profiler settings of the examples: from a settings file, from a control file that may change, or from flags."""

from __future__ import annotations

import argparse
from typing import Any

import npuscope


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of every example. Flags of MindSpeed-LLM may be mixed with them."""
    parser.add_argument("--steps", type=int, default=12, help="number of steps to train")
    parser.add_argument("--config", help="settings file of FSDP2, MindSpeed-RL, MindSpore or torch_npu")
    parser.add_argument(
        "--dynamic", metavar="DIR", help="directory of a profiler_config.json that can be edited during training"
    )
    parser.add_argument("--output", default="./dyn_profile_data", help="output directory of --dynamic")
    parser.add_argument("--backend", help="backend that records; default: the best available one")


def profiler_of(options: argparse.Namespace, others: list[str]) -> Any:
    """The selected profiler: use it in a `with` statement around the training loop, and call its `step`."""
    if options.dynamic:
        return npuscope.DynamicProfilerMonitor(
            options.dynamic, options.output, poll_interval=0.05, backend=options.backend
        )
    if options.config:
        return npuscope.from_config(options.config, total_steps=options.steps, backend=options.backend)
    return npuscope.from_args(others, total_steps=options.steps, backend=options.backend)
