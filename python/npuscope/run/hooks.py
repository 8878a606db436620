"""Installs the hooks of a process, by the plan of the run."""

from __future__ import annotations

import multiprocessing
import os
from functools import partial
from pathlib import Path

from npuscope.profiler import profiler
from npuscope.run import function_steps, mindspore_steps, torch_steps
from npuscope.run.imports import after_import
from npuscope.run.plan import Plan
from npuscope.run.script import of_interpreter
from npuscope.run.session import Session


def install() -> None:
    """Install the hooks in this process. Without a plan in the environment, nothing happens."""
    plan = Plan.from_environment()
    if plan is None or multiprocessing.current_process().daemon:
        return
    session = Session(plan)
    profiler.observers.append(lambda _: session.give_way("npuscope"))
    if plan.is_whole or plan.function is not None:
        # Without a framework, nothing distinguishes a launcher or a helper from the process that trains.
        if not _runs(plan.script):
            return
        if plan.function is not None:
            function_steps.watch(plan.function, session)
        else:
            session.begin("none")
        return
    after_import(
        {
            "torch.optim.optimizer": partial(torch_steps.hook_optimizers, session=session),
            "torch.utils.data.dataloader": partial(torch_steps.hook_loaders, session=session),
            "torch.autograd.profiler": partial(torch_steps.hook_kineto, session=session),
            "torch_npu.profiler": partial(torch_steps.hook_profiler, session=session),
            "mindspore.train.model": partial(mindspore_steps.hook_model, session=session),
            "mindspore.nn.optim.optimizer": partial(mindspore_steps.hook_optimizer, session=session),
            "mindspore.nn.wrap.cell_wrapper": partial(mindspore_steps.hook_cells, session=session),
        }
    )


def _runs(script: str) -> bool:
    """Whether this process runs the script or module. Every process does if the script is unknown."""
    if not script:
        return True
    try:
        words = Path("/proc/self/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return True
    name = of_interpreter(words[1:])
    return name == script or os.path.realpath(name) == os.path.realpath(script)
