"""The options of `npuscope run`, from the command line and from npuscope.toml."""

from __future__ import annotations

import difflib
import re
import sys
from pathlib import Path
from typing import Any, Optional

from npuscope.guard import describe
from npuscope.language import localized
from npuscope.profiler.scheduling import UNTIL_THE_END

#: The options' file of a directory.
FILE = "npuscope.toml"


class BadSettings(ValueError):
    """The settings of the run itself, an option or npuscope.toml, are invalid. Training has not started."""


def toml_options(file: Path) -> Optional[dict[str, Any]]:
    """The table `[run]` of npuscope.toml: the options of `npuscope run`, with underscores. None if there is no file."""
    if not file.is_file():
        return None
    parser = _toml_parser()
    if parser is None:
        raise BadSettings(
            localized(
                f"{file} cannot be read by this Python: use Python 3.11 or later, or install tomli",
                f"当前 Python 无法读取 {file}：请使用 Python 3.11 或更高版本，或安装 tomli",
            )
        )
    try:
        content = parser.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        why = describe(error)
        raise BadSettings(localized(f"{file} cannot be read: {why}", f"无法读取 {file}：{why}")) from error
    table = content.get("run")
    if not isinstance(table, dict):
        raise BadSettings(
            localized(
                f"{file}: the table [run] is missing; it has the options of `npuscope run`",
                f"{file}：缺少表 [run]；该表包含 `npuscope run` 的选项",
            )
        )
    for name, value in table.items():
        kind = OPTIONS.get(name)
        if kind is None:
            near = difflib.get_close_matches(name, OPTIONS, 1)
            hint = localized(f"; did you mean {near[0]!r}?", f"；是否指 {near[0]!r}？") if near else ""
            raise BadSettings(localized(f"{file}: unknown key {name!r}", f"{file}：未知的键 {name!r}") + hint)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            expected = kind.__name__
            raise BadSettings(
                localized(
                    f"{file}: {name} is {value!r}, expected {expected}", f"{file}：{name} 为 {value!r}，应为 {expected}"
                )
            )
    return dict(table)


def _toml_parser() -> Any:
    if sys.version_info >= (3, 11):
        import tomllib

        return tomllib
    try:
        import tomli  # type: ignore[import-not-found]
    except ImportError:
        return None
    return tomli


#: The options of `npuscope run` that npuscope.toml may have, and their types. The program has checked their values;
#: those of the file are checked by `with_options`.
OPTIONS: dict[str, type] = {
    "output": str,
    "steps": str,
    "ranks": str,
    "level": str,
    "activities": str,
    "export": str,
    "with_stack": bool,
    "modules": bool,
    "memory": bool,
    "shapes": bool,
    "flops": bool,
    "analyse": bool,
    "count": str,
    "step_function": str,
    "backend": str,
}

#: Options whose names are those of fields.
_SWITCHES = {"with_stack": "stack", "modules": "modules", "memory": "memory", "shapes": "shapes", "flops": "flops"}

_LEVELS = ("none", "level0", "level1", "level2")


def with_options(config: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """The settings with the options of the run. Raises `BadSettings`."""
    config = dict(config)
    if options.get("steps"):
        first, last = _range(options["steps"])
        warmup = 1 if first > 1 else 0
        length = UNTIL_THE_END if last is None else last - first + 1
        # Steps count from 1 here, as in `npuscope dynamic`.
        config.update(schedule=cycle(first - 1 - warmup, warmup, length), first_step=1, enabled=True)
    if options.get("ranks"):
        config["ranks"] = _ranks(options["ranks"])
    if options.get("output"):
        config["output"] = options["output"]
    if options.get("level"):
        level = options["level"].replace("level_none", "none")
        config["level"] = _one_of("level", level, _LEVELS)
        if level in ("level1", "level2") and config["aic_metrics"] == "none":
            config["aic_metrics"] = "pipe_utilization"
    if options.get("activities"):
        chosen = [_one_of("activities", one, ("cpu", "npu")) for one in options["activities"].split(",")]
        config["cpu"], config["npu"] = "cpu" in chosen, "npu" in chosen
    if options.get("export"):
        config["export"] = [_one_of("export", one, ("text", "db")) for one in options["export"].split(",")]
    if options.get("analyse") is not None:
        config["analyse"] = "online" if options["analyse"] else "off"
    for name, field in _SWITCHES.items():
        if options.get(name) is not None:
            config[field] = options[name]
    return config


def cycle(skip_first: int, warmup: int, active: int) -> dict[str, Any]:
    """A schedule of one cycle."""
    return {"wait": 0, "warmup": warmup, "active": active, "repeat": 1, "skip_first": skip_first, "skip_first_wait": 0}


def _range(text: str) -> tuple[int, Optional[int]]:
    match = re.fullmatch(r"([1-9]\d*)(?:(-)([1-9]\d*)?)?", text, re.ASCII)
    if match is None or (match[3] and int(match[3]) < int(match[1])):
        raise BadSettings(
            localized(
                f"steps is {text!r}, expected FIRST-LAST such as 5-7, counted from 1",
                f"steps 为 {text!r}，应为 FIRST-LAST，例如 5-7，从 1 开始计数",
            )
        )
    if match[2] is None:
        return int(match[1]), int(match[1])
    return int(match[1]), int(match[3]) if match[3] else None


def _ranks(text: str) -> Any:
    if text == "all":
        return "all"
    ranks: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d+)(?:-(\d+))?\s*", part, re.ASCII)
        if match is None:
            raise BadSettings(
                localized(
                    f"ranks is {text!r}, expected a list such as 0,3-7, or all",
                    f"ranks 为 {text!r}，应为列表，例如 0,3-7，或 all",
                )
            )
        ranks.update(range(int(match[1]), int(match[2] or match[1]) + 1))
    return sorted(ranks)


def _one_of(name: str, value: str, known: tuple[str, ...]) -> str:
    if value not in known:
        among = ", ".join(known)
        raise BadSettings(
            localized(f"{name} is {value!r}, expected one of {among}", f"{name} 为 {value!r}，应为 {among} 之一")
        )
    return value
