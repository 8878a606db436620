"""Finds out what a command runs: which script or module, with which arguments, in how many processes."""

from __future__ import annotations

import ast
import dataclasses
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Optional

#: Options of the interpreter that take the next word.
_WITH_VALUE = {"-W", "-X", "--check-hash-based-pycs"}

#: Options that hide PYTHONPATH or `sitecustomize` from the interpreter, and so the hooks.
_ISOLATING = set("EIS")

#: Modules that start other scripts.
_LAUNCHERS = {"torch.distributed.run", "torch.distributed.launch", "accelerate.commands.launch", "deepspeed"}

#: Programs that start other scripts, each in a Python of its own choice.
_LAUNCHING_PROGRAMS = {"torchrun", "torch_npu_run", "accelerate", "deepspeed", "msrun", "mpirun", "mpiexec", "srun"}

#: Libraries that train with torch or MindSpore. A script that imports one has steps that the hooks see.
_FRAMEWORKS = {
    *(
        "torch",
        "torch_npu",
        "torchvision",
        "torchtitan",
        "lightning",
        "pytorch_lightning",
        "transformers",
        "accelerate",
    ),
    *("deepspeed", "megatron", "mindspeed", "mindspeed_llm", "mindspeed_mm", "mindspeed_rl", "trl", "verl", "peft"),
    *("mindspore", "mindformers", "mindnlp", "mindone"),
}

#: More files than a training script has of its own; the search must not take long.
_MOST_FILES = 500


@dataclasses.dataclass
class Script:
    """What a command runs. Empty where it is unknown."""

    #: The file, or the name of a module.
    name: str = ""
    is_module: bool = False
    arguments: list[str] = dataclasses.field(default_factory=list)
    #: The program or module that starts it in several processes.
    launcher: str = ""
    #: The number of processes, if the command says it.
    world_size: Optional[int] = None
    #: The option of the interpreter that keeps the hooks out.
    isolated_by: str = ""
    #: A shell script, which may have the command line of the training in it.
    shell: str = ""


def of_command(command: list[str]) -> Script:
    """What this command runs."""
    script = Script()
    at = 0
    while at < len(command) and not script.name:
        word = command[at]
        base = os.path.basename(word)
        at += 1
        if is_python(base):
            at = _interpreter(command, at, script)
        elif base in _LAUNCHING_PROGRAMS:
            script.launcher = base
        elif word in ("-m", "--module") and script.launcher and at < len(command):
            script.name, script.is_module = command[at], True
            at += 1
        elif word.endswith(".py") and os.path.isfile(word):
            script.name = word
        elif word.endswith(".sh") and os.path.isfile(word):
            script.shell = word
    if script.launcher:
        script.world_size = _world_size(command[:at])
    script.arguments = command[at:] if script.name else command[1:]
    return script


def is_python(base: str) -> bool:
    """Whether a program of this name is a Python interpreter."""
    return re.fullmatch(r"python[\d.]*", base) is not None


def of_interpreter(words: list[str]) -> str:
    """The script or module of an interpreter's command line, without the interpreter."""
    script = Script()
    _interpreter(words, 0, script)
    return script.name or script.launcher


def _interpreter(command: list[str], at: int, script: Script) -> int:
    """Read the interpreter's options; returns where the arguments of its script begin."""
    while at < len(command):
        word = command[at]
        at += 1
        if word == "-m" and at < len(command):
            module = command[at]
            at += 1
            if module in _LAUNCHERS:
                script.launcher = module
            else:
                script.name, script.is_module = module, True
            return at
        if word in ("-c", "-"):
            # Its text is no script that could be read here.
            return len(command)
        if word in _WITH_VALUE:
            at += 1
        elif not word.startswith("-"):
            if os.path.basename(word) in _LAUNCHING_PROGRAMS:
                script.launcher = os.path.basename(word)
            else:
                script.name = word
            return at
        elif not word.startswith("--") and _ISOLATING & set(word[1:]) and word[1:2] not in ("W", "X"):
            script.isolated_by = word
    return at


def _world_size(words: list[str]) -> Optional[int]:
    """The number of processes that a launcher starts, from its options."""

    def number(*names: str) -> Optional[int]:
        for at, word in enumerate(words):
            name, equals, value = word.partition("=")
            if name.replace("_", "-") in names:
                text = value if equals else "".join(words[at + 1 : at + 2])
                return int(text) if text.isascii() and text.isdigit() else None
        return None

    total = number("-n", "-np", "--num-processes", "--worker-num", "--ntasks")
    if total is not None:
        return total
    each = number("--nproc-per-node", "--num-gpus")
    nodes = number("--nnodes", "--num-nodes")
    if each is None:
        return None
    return each * (1 if nodes is None and not any("nnodes" in word for word in words) else nodes or 0) or None


def frameworks(path: str) -> Optional[set[str]]:
    """The training frameworks that a script imports, itself or through files beside it; None if it cannot be read."""
    if not os.path.isfile(path):
        return None
    roots = [Path(path).resolve().parent, Path.cwd()]
    found: set[str] = set()
    seen: set[Path] = set()
    waiting = [Path(path).resolve()]
    while waiting and len(seen) < _MOST_FILES:
        file = waiting.pop()
        if file in seen:
            continue
        seen.add(file)
        try:
            tree = ast.parse(file.read_text(encoding="utf-8"))
        except (OSError, SyntaxError, ValueError):
            continue
        for module in _imported(tree):
            if module.split(".")[0] in _FRAMEWORKS:
                found.add(module.split(".")[0])
            else:
                waiting += _files(module, [file.parent, *roots])
    return found


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            # `from . import model` and `from package import model` name modules, too.
            yield from (f"{node.module}.{name.name}" if node.module else name.name for name in node.names)


def _files(module: str, roots: list[Path]) -> list[Path]:
    """The files of a module that is beside the script."""
    parts = [part for part in module.split(".") if part]
    if not parts or not all(part.isidentifier() for part in parts):
        return []
    for root in roots:
        base = root.joinpath(*parts)
        files = [file for file in (base.with_suffix(".py"), base / "__init__.py") if file.is_file()]
        if files:
            return files
    return []
