"""Says before training what will be recorded, and what cannot be."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any, Optional

from npuscope.language import localized
from npuscope.profiler.scheduling import UNTIL_THE_END
from npuscope.run.plan import Plan
from npuscope.run.script import Script
from npuscope.run.sources import Found


def lines(plan: Plan, chosen: Found, ignored: list[Found], script: Script, known: Optional[set[str]]) -> Iterator[str]:
    """One sentence each: the settings and their source, how steps are counted, and the limits."""
    source = chosen.source or localized("the defaults", "默认值")
    what = _window(plan)
    ranks = _ranks(plan.config["ranks"])
    output = plan.config["output"] or "./profiler_data"
    yield localized(
        f"records {what} of {ranks} into {output}; settings: {source}",
        f"采集 {ranks} 的 {what}，输出到 {output}；设置来自：{source}",
    )
    for other in ignored:
        why = localized("profiling is off there", "其中采集为关闭") if not other.config["enabled"] else ""
        why = why or localized("the settings above take precedence", "上述设置优先")
        yield localized(f"{other.source} is ignored: {why}", f"已忽略 {other.source}：{why}")
    yield _count(plan, script, known)
    yield from _limits(plan, chosen, script)


def _window(plan: Plan) -> str:
    schedule = plan.config["schedule"]
    if plan.is_whole:
        return localized("the whole run, without steps,", "整个运行过程（无 step）")
    if schedule is None:
        return localized("all steps", "全部 step")
    lead = schedule["wait"] + schedule["warmup"]
    first = plan.config["first_step"] + schedule["skip_first"] + lead
    if schedule["skip_first_wait"]:
        first -= schedule["wait"]
    active, repeat = schedule["active"], schedule["repeat"]
    if active >= UNTIL_THE_END:
        return localized(f"step {first} to the last step", f"step {first} 至最后一个 step")
    last = first + active - 1
    what = localized(f"step {first}", f"step {first}")
    if active > 1:
        what = localized(f"steps {first} to {last}", f"step {first} 至 {last}")
    if repeat == 1:
        return what
    period = lead + active
    return what + localized(f", and again every {period} steps,", f"（每 {period} 个 step 重复）")


def _ranks(ranks: Any) -> str:
    if ranks == "all":
        return localized("all ranks", "全部 rank")
    numbers = ", ".join(map(str, ranks))
    if len(ranks) == 1:
        return localized(f"rank {numbers}", f"rank {numbers}")
    return localized(f"ranks {numbers}", f"rank {numbers}")


def _count(plan: Plan, script: Script, known: Optional[set[str]]) -> str:
    name = script.name
    if plan.is_whole and plan.count == "none" and known is not None and not known:
        return localized(
            f"{name} imports neither torch nor MindSpore, so its steps cannot be detected, and the whole run is "
            "recorded. To record steps, name the function of a step: --step-function NAME",
            f"{name} 未导入 torch 或 MindSpore，无法识别 step，因此采集整个运行过程。"
            "如需按 step 采集，请指定执行一个 step 的函数：--step-function NAME",
        )
    if plan.is_whole:
        return localized(
            "the whole run is recorded, because steps are not counted (--count none)",
            "不统计 step（--count none），采集整个运行过程",
        )
    if plan.function is not None:
        function = plan.function
        return localized(f"a step is a call of {function}", f"每次调用 {function} 为一个 step")
    if plan.count == "loader":
        return localized("a step is an item of torch's DataLoader", "torch DataLoader 的每个数据为一个 step")
    optimizer = localized(
        "a step ends when the optimizer created last has updated the parameters, or Model.train of MindSpore has "
        "finished a step",
        "最后创建的优化器更新参数后，或 MindSpore 的 Model.train 完成一个 step 后，为一个 step 结束",
    )
    if plan.count == "optimizer":
        return optimizer
    return optimizer + localized(
        "; without an optimizer, a step is an item of torch's DataLoader",
        "；没有优化器时，torch DataLoader 的每个数据为一个 step",
    )


def _limits(plan: Plan, chosen: Found, script: Script) -> Iterator[str]:
    option = script.isolated_by
    if option:
        yield localized(
            f"nothing is recorded: with {option}, Python ignores PYTHONPATH, which brings the hooks. Remove {option}",
            f"不采集：使用 {option} 时 Python 忽略 PYTHONPATH，而钩子由其引入。请去掉 {option}",
        )
    if not script.name:
        yield localized(
            "the command does not name its Python script; every Python process that trains with torch or MindSpore is "
            "recorded",
            "命令中没有 Python 脚本；采集所有使用 torch 或 MindSpore 训练的 Python 进程",
        )
    if chosen.dialect == "rl":
        if plan.config["stages"] != "all":
            stages = ", ".join(plan.config["stages"])
            yield localized(
                f"stages ({stages}) are only known to a script that marks them with npuscope.stage; all stages are "
                "recorded together",
                f"阶段（{stages}）只有在脚本用 npuscope.stage 标记后才能识别；将所有阶段一起采集",
            )
        yield localized(
            "one iteration of reinforcement learning may update the parameters several times; each update is a step. "
            "To count iterations, use --step-function",
            "强化学习的一次迭代可能多次更新参数，每次更新为一个 step；如需按迭代计数，请使用 --step-function",
        )
    if chosen.dialect == "llm" and any(word.split("=")[0] == "--load" for word in script.arguments):
        yield localized(
            "steps count from 1 at the start of this run, because the iteration of the checkpoint (--load) is unknown; "
            "set --iteration",
            "checkpoint（--load）的 iteration 未知，step 从本次运行开始时的 1 计数；可设置 --iteration",
        )
    if plan.is_whole and not plan.config["stack"]:
        yield localized(
            "without steps and operators, a recording of the host has little in it; --with-stack adds Python calls",
            "没有 step 和算子时，主机侧数据很少；--with-stack 可采集 Python 调用",
        )
    if not os.path.exists("/dev/davinci_manager") and plan.config["npu"]:
        yield localized(
            "this machine has no NPU; only the host is recorded, and a GPU if torch uses one",
            "当前机器没有 NPU；只采集主机，以及 torch 使用的 GPU（如有）",
        )


def say(text: str) -> None:
    """Print a line on standard error, where it does not mix with the output of the job."""
    print(f"npuscope: {text}", file=sys.stderr, flush=True)
