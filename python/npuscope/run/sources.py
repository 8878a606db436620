"""Finds the profiler settings of a run: options, flags of the command, files that it names, the environment."""

from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional

from npuscope import _npuscope
from npuscope.guard import describe
from npuscope.language import localized
from npuscope.profiler.scheduling import UNTIL_THE_END
from npuscope.profiler.settings import Settings
from npuscope.run.options import FILE, BadSettings, cycle, toml_options, with_options
from npuscope.run.script import Script

#: Directories in which trainers with Hydra keep their YAML.
_HYDRA = ("configs", "config", "conf", ".")

#: Steps that are recorded if nothing says which: the first steps are slower than those that follow.
DEFAULT_STEPS = (5, 7)


@dataclasses.dataclass
class Found:
    """Settings, and where they are from."""

    #: A `CollectConfig` of the compiled part.
    config: dict[str, Any]
    #: A file, a variable, or words for the flags.
    source: str
    dialect: Optional[str] = None
    diagnostics: list[dict[str, Any]] = dataclasses.field(default_factory=list)

    @property
    def errors(self) -> list[dict[str, Any]]:
        return [one for one in self.diagnostics if one["severity"] == "error"]


def find(options: dict[str, Any], script: Script, iteration: int) -> tuple[Found, list[Found]]:
    """The settings to use, and those that are ignored: of better and worse places. Raises `BadSettings`."""
    world_size = script.world_size
    asked = options.get("config")
    if asked:
        return _of_file(Path(asked), [], iteration, world_size), []
    all_found = list(_everywhere(script, iteration, world_size))
    usable = [found for found in all_found if found.config["enabled"] or found.errors]
    own = toml_options(Path(FILE))
    if own is not None:
        # Options of the command line take precedence.
        options.update({name: value for name, value in own.items() if options.get(name) is None})
        usable.append(Found(_defaults(), FILE))
    if not usable:
        usable = [Found(_defaults(), "")]
    chosen = usable[0]
    return chosen, [found for found in all_found + usable if found is not chosen and found.source]


def _everywhere(script: Script, iteration: int, world_size: Optional[int]) -> Iterator[Found]:
    flags = [word for word in script.arguments if word.startswith("--training.profile")]
    if any(word == "--profile" or word.startswith("--profile-") for word in script.arguments):
        yield _found(
            _npuscope.read_flags(script.arguments, iteration, None, world_size),
            localized("flags of the command", "命令的参数"),
        )
    files = list(_files(script))
    with_settings = [file for file in files if _has_settings(file)]
    for file in with_settings:
        yield _of_file(file, _overrides(script.arguments), iteration, world_size)
    if flags and not with_settings:
        yield _found(
            _npuscope.read_flags(script.arguments, iteration, None, world_size),
            localized("flags of the command", "命令的参数"),
        )
    if script.shell and "--profile" in _text(Path(script.shell)):
        yield _of_file(Path(script.shell), [], iteration, world_size)
    text = os.environ.get("MS_PROFILER_OPTIONS", "")
    if text:
        yield from _of_environment(text, world_size)


def _of_environment(text: str, world_size: Optional[int]) -> Iterator[Found]:
    try:
        options = json.loads(text)
    except ValueError:
        options = None
    if isinstance(options, dict) and options.get("start") is not True:
        # MindSpore does not start without it.
        return
    found = _found(_npuscope.read_config(text, "mindspore", 0, None, world_size), "MS_PROFILER_OPTIONS")
    # The variable has no schedule: everything is recorded, and here also the steps are known.
    if found.config["schedule"] is None:
        found.config.update(schedule=cycle(0, 0, UNTIL_THE_END), first_step=1)
    yield found


def _of_file(file: Path, overrides: list[tuple[str, str]], iteration: int, world_size: Optional[int]) -> Found:
    try:
        text = with_overrides(file.read_text(encoding="utf-8"), overrides)
    except (OSError, UnicodeDecodeError) as error:
        why = describe(error)
        raise BadSettings(localized(f"{file} cannot be read: {why}", f"无法读取 {file}：{why}")) from error
    return _found(_npuscope.read_config(text, None, iteration, None, world_size), str(file))


def _found(text: str, source: str) -> Found:
    reading = json.loads(text)
    return Found(reading["config"], source, reading.get("dialect"), reading["diagnostics"])


def _files(script: Script) -> Iterator[Path]:
    """The YAML and JSON files that the arguments of the script name, also Hydra's."""
    places = [Path(), *([Path(script.name).parent] if script.name and not script.is_module else [])]
    named: dict[str, str] = {}
    words = list(script.arguments)
    for at, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in ("--config-name", "--config-path", "--config-dir", "-cn", "-cp", "-cd"):
            named[name.lstrip("-")[-4:]] = value if equals else "".join(words[at + 1 : at + 2])
        text = value if equals and name.startswith("-") else word
        if text.endswith((".yaml", ".yml", ".json")):
            yield from _first(place / text for place in places)
    hydra = named.get("name") or named.get("cn")
    if hydra:
        below = [path for path in (named.get("path"), named.get("-dir"), named.get("cp"), named.get("cd")) if path]
        file = hydra if hydra.endswith(".yaml") else f"{hydra}.yaml"
        yield from _first(place / directory / file for place in places for directory in (*below, *_HYDRA))


def _first(files: Iterator[Path]) -> Iterator[Path]:
    found = next((file for file in files if file.is_file()), None)
    if found is not None:
        yield found


def _has_settings(file: Path) -> bool:
    """Whether a file has settings of a profiler. Other files of the job, such as its model's, are none of ours."""
    text = _text(file)
    if file.suffix == ".json":
        try:
            keys = json.loads(text)
        except ValueError:
            return False
        return isinstance(keys, dict) and bool({"profiler_level", "start_step", "profile"} & set(keys))
    return re.search(r"^\s*(profile|profiler_config)\s*:", text, re.MULTILINE) is not None


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _overrides(arguments: list[str]) -> list[tuple[str, str]]:
    """FSDP2's flags, such as `--training.profile_level level1`, which take precedence over its file."""
    found = []
    for at, word in enumerate(arguments):
        name, equals, value = word.partition("=")
        if not name.startswith("--training.profile"):
            continue
        values = [value] if equals else []
        for following in arguments[at + 1 :] if not equals else []:
            if following.startswith("--"):
                break
            values.append(following)
        key = name[len("--training.") :]
        is_list = key == "profile_ranks"
        found.append((key, f"[{', '.join(values)}]" if is_list else "".join(values[:1]) or "true"))
    return found


def with_overrides(text: str, overrides: list[tuple[str, str]]) -> str:
    """The YAML of FSDP2 with other values of some keys below `training`."""
    for key, value in overrides:
        line = re.compile(rf"^(\s+){re.escape(key)}\s*:.*$", re.MULTILINE)
        found = line.search(text)
        if found is not None:
            text = f"{text[: found.start()]}{found[1]}{key}: {value}{text[found.end() :]}"
            continue
        section = re.search(r"^training\s*:[^\n]*\n((?:\s*(?:#[^\n]*)?\n)*)([ \t]+)", text, re.MULTILINE)
        if section is None:
            text = f"{text.rstrip()}\ntraining:\n  {key}: {value}\n"
        else:
            text = f"{text[: section.end(1)]}{section[2]}{key}: {value}\n{text[section.end(1) :]}"
    return text


def _defaults() -> dict[str, Any]:
    config = dataclasses.asdict(Settings(output="./profile", analyse="online"))
    # As the trainers' guides advise; off the NPU, levels have no effect.
    level = "level1" if os.path.exists("/dev/davinci_manager") else "level0"
    return with_options(config, {"steps": "{}-{}".format(*DEFAULT_STEPS), "level": level})
