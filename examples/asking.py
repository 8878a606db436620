"""The three ways in which the examples take what to profile: a file, a file that may change, or flags."""

from __future__ import annotations

import argparse
from typing import Any

import npuscope


def add_options(parser: argparse.ArgumentParser) -> None:
    """Options of every example; MindSpeed-LLM's flags may stand among them."""
    parser.add_argument("--steps", type=int, default=12, help="steps to train")
    parser.add_argument("--config", help="settings of FSDP2, MindSpeed-RL, MindSpore or torch_npu")
    parser.add_argument(
        "--dynamic", metavar="DIR", help="directory of a profiler_config.json that may be edited meanwhile"
    )
    parser.add_argument("--output", default="./dyn_profile_data", help="where --dynamic writes")
    parser.add_argument("--backend", help="who records; default: the best that is available")


def profiler_of(options: argparse.Namespace, others: list[str]) -> Any:
    """The profiler that was asked for: it has `step`, and is entered and left around the training loop."""
    if options.dynamic:
        return npuscope.DynamicProfilerMonitor(
            options.dynamic, options.output, poll_interval=0.05, backend=options.backend
        )
    if options.config:
        return npuscope.from_config(options.config, total_steps=options.steps, backend=options.backend)
    return npuscope.from_args(others, total_steps=options.steps, backend=options.backend)
