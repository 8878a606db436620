"""Lists what was recorded, when the command has ended."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from npuscope.language import localized
from npuscope.run.plan import Plan


def reports(plan: Plan) -> list[dict[str, Any]]:
    """What the processes have reported, in the order of their ranks."""
    found = []
    for file in Path(plan.reports).glob("*.json"):
        try:
            report = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        # Profilers of frameworks choose their directories, and a process that was killed has not reported its own.
        made = Path(plan.config["output"]).glob(f"*_{file.stem}_*_ascend_*")
        report["directories"] = report["directories"] or sorted(map(str, made))
        found.append(report)
    return sorted(found, key=lambda report: report["rank"] or 0)


def lines(plan: Plan) -> Iterator[str]:
    """The recordings and how to look at them, or why there are none."""
    found = reports(plan)
    selected = [report for report in found if report["is_selected"]]
    directories = [directory for report in selected for directory in report["directories"]]
    if directories:
        common = os.path.commonpath([os.path.dirname(directory) for directory in directories])
        ranks = ", ".join(sorted({str(report["rank"] or 0) for report in selected}, key=int))
        place = os.path.relpath(common)
        yield localized(
            f"recorded into {place}: rank {ranks}. Look at it: npuscope view {place}",
            f"已采集到 {place}：rank {ranks}。查看：npuscope view {place}",
        )
    elif selected:
        steps = max(report["steps"] for report in selected)
        yield localized(
            f"nothing was recorded: training made {steps} steps, and the steps to record were not among them, or the "
            "process was killed",
            f"未采集到数据：训练共 {steps} 个 step，其中没有需要采集的 step，或进程被强制终止",
        )
    elif found:
        count = len(found)
        yield localized(
            f"nothing was recorded: none of the {count} processes has a selected rank",
            f"未采集到数据：{count} 个进程中没有选定的 rank",
        )
    else:
        yield localized(
            "nothing was recorded: no Python process of the command made a step. Name the function of a step: "
            "--step-function NAME",
            "未采集到数据：命令的 Python 进程均未执行 step。请指定执行一个 step 的函数：--step-function NAME",
        )
