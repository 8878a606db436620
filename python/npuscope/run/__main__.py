"""Records a command: `python -m npuscope.run OPTIONS COMMAND...`, with options as JSON. `npuscope run` starts it."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from npuscope.guard import describe
from npuscope.language import localized
from npuscope.run import announcement, process, summary
from npuscope.run.announcement import say
from npuscope.run.options import BadSettings, with_options
from npuscope.run.plan import COUNTS, VARIABLE, Plan
from npuscope.run.script import Script, frameworks, of_command
from npuscope.run.sources import find

#: The directory that PYTHONPATH gets.
SITE = Path(__file__).resolve().parent / "site"


def main(options: dict[str, Any], command: list[str]) -> int:
    """Announce, run and summarise; returns the exit code of the command. Invalid options end in 2, before training."""
    environment = {name: value for name, value in os.environ.items() if name not in (VARIABLE, "NPUSCOPE_RECORDED_BY")}
    if options.get("lang"):
        # Of this process only: the job keeps its locale.
        os.environ["LC_ALL"] = "zh_CN.UTF-8" if options["lang"] == "zh" else "C.UTF-8"
    try:
        plan, said = prepare(options, command)
    except BadSettings as error:
        why = str(error)
        say(localized(f"{why}; the command was not started", f"{why}；未启动命令"))
        return 2
    except Exception as error:  # noqa: BLE001 - a fault of ours must not keep the job from running
        why = describe(error)
        say(localized(f"{why}; nothing is recorded", f"{why}；不采集"))
        return process.run(command, environment)
    for text in said if plan is None or not options.get("quiet") else []:
        say(text)
    if plan is None:
        return process.run(command, environment)
    plan.reports = tempfile.mkdtemp(prefix="npuscope-run-")
    try:
        environment[VARIABLE] = plan.to_environment()
        path = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = f"{SITE}{os.pathsep}{path}" if path else str(SITE)
        # It is recorded here; MindSpore would record it a second time.
        environment.pop("MS_PROFILER_OPTIONS", None)
        code = process.run(command, environment)
        for text in summary.lines(plan) if not options.get("quiet") else []:
            say(text)
        return code
    finally:
        shutil.rmtree(plan.reports, ignore_errors=True)


def prepare(options: dict[str, Any], command: list[str]) -> tuple[Any, list[str]]:
    """The plan, and what to say before training; no plan if the settings have errors. Raises `BadSettings`."""
    script = of_command(command)
    chosen, ignored = find(options, script, int(options.get("iteration") or 0))
    said = []
    for diagnostic in chosen.diagnostics:
        line, key = diagnostic.get("line"), diagnostic.get("key")
        text = f"{key}: {diagnostic['message']}" if key else diagnostic["message"]
        if diagnostic["severity"] in ("error", "warning"):
            said.append(f"{chosen.source}{f':{line}' if line else ''}: {text}")
    if chosen.errors:
        said.append(localized("nothing is recorded because of these errors", "存在上述错误，不采集"))
        return None, said
    known = None if script.is_module or not script.name else frameworks(script.name)
    plan = Plan(
        config=with_options(chosen.config, options),
        source=chosen.source,
        suffix="ms" if chosen.dialect == "mindspore" else "pt",
        count=_count(options, known),
        function=options.get("step_function"),
        script=_name(script),
        backend=options.get("backend"),
    )
    if plan.is_whole:
        plan.config["schedule"] = None
    said += announcement.lines(plan, chosen, ignored, script, known)
    # Processes of the job may change their directory.
    plan.config["output"] = os.path.abspath(plan.config["output"] or "profiler_data")
    return plan, said


def _count(options: dict[str, Any], known: Any) -> str:
    """How to count steps: as the options say, else by what the script imports."""
    if options.get("step_function"):
        return "function"
    asked = options.get("count") or "auto"
    if asked not in ("auto", *COUNTS):
        raise BadSettings(
            localized(
                f"count is {asked!r}, expected auto, optimizer, loader or none",
                f"count 为 {asked!r}，应为 auto、optimizer、loader 或 none",
            )
        )
    return "none" if asked == "auto" and known is not None and not known else asked


def _name(script: Script) -> str:
    return script.name if script.is_module or not script.name else os.path.realpath(script.name)


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1]), sys.argv[2:]))
