"""Profilers configured by a file, by flags or by the environment: `from_config`, `from_args`, `from_env`."""

from __future__ import annotations

import atexit
import contextlib
import json
import multiprocessing
import os
import sys
from functools import partial
from pathlib import Path
from typing import Any, Optional, Union

from npuscope import _npuscope, backends, parent
from npuscope import rank as ranks
from npuscope.guard import describe, profiling_off, warn
from npuscope.language import localized
from npuscope.profiler.profiler import DEFAULT_BUDGET, profile
from npuscope.profiler.settings import Settings
from npuscope.run.imports import after_import
from npuscope.run.script import of_interpreter
from npuscope.stages import StagedProfiler


class ConfigError(ValueError):
    """Settings that cannot be used; raised only with `strict=True`."""


def from_config(
    path: Union[str, Path],
    iteration: int = 0,
    total_steps: Optional[int] = None,
    *,
    dialect: Optional[str] = None,
    strict: bool = False,
    backend: Optional[str] = None,
    rank: Optional[int] = None,
    budget: int = DEFAULT_BUDGET,
    spool: Union[str, Path, None] = None,
) -> Union[profile, StagedProfiler]:
    """Make a profiler from a settings file: YAML of FSDP2 or MindSpeed-RL, JSON of MindSpore or torch_npu.

    >>> with npuscope.from_config("fsdp2.yaml", total_steps=100) as prof:
    ...     for batch in batches:
    ...         train(batch)
    ...         prof.step()

    :param path: the settings file
    :param iteration: step number of the checkpoint that training resumes from; default 0
    :param total_steps: number of steps of this training; a window beyond the last step is then reported at once
    :param dialect: `fsdp2`, `rl`, `llm`, `mindspore` or `torch_npu`; default: detected from the content
    :param strict: raise `ConfigError` if the settings cannot be used, instead of training without a profiler
    :param backend: as in `profile`, like `rank`, `budget` and `spool`

    On ranks that the settings exclude, every call does nothing. Diagnostics go to standard error.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
        reading = json.loads(_npuscope.read_config(text, dialect, iteration, total_steps, ranks.world_size()))
    except Exception as error:
        if strict:
            raise ConfigError(f"{path}: {describe(error)}") from error
        why = describe(error)
        warn(profiling_off(localized(f"{path} cannot be read: {why}", f"无法读取 {path}：{why}")))
        return profile.of_settings(Settings(enabled=False))
    return _made(reading, str(path), strict, total_steps, backend, rank, budget, spool)


def from_args(
    argv: Optional[list[str]] = None,
    iteration: int = 0,
    total_steps: Optional[int] = None,
    *,
    strict: bool = False,
    backend: Optional[str] = None,
    rank: Optional[int] = None,
    budget: int = DEFAULT_BUDGET,
    spool: Union[str, Path, None] = None,
) -> Union[profile, StagedProfiler]:
    """Make a profiler from command-line flags: MindSpeed-LLM's `--profile …` or FSDP2's `--training.profile …`.

    :param argv: the arguments, which may include others; default: those of this process

    The other parameters are those of `from_config`.
    """
    try:
        flags = sys.argv[1:] if argv is None else [str(flag) for flag in argv]
        reading = json.loads(_npuscope.read_flags(flags, iteration, total_steps, ranks.world_size()))
    except Exception as error:
        if strict:
            raise ConfigError(describe(error)) from error
        why = describe(error)
        warn(profiling_off(localized(f"the flags cannot be read: {why}", f"无法读取命令行参数：{why}")))
        return profile.of_settings(Settings(enabled=False))
    return _made(reading, localized("flags", "命令行参数"), strict, total_steps, backend, rank, budget, spool)


def from_env(*, backend: Optional[str] = None) -> Optional[profile]:
    """Start the profiler that MS_PROFILER_OPTIONS describes, if any. It stops when the process ends.

    Importing `npuscope` calls this. MindSpore reads the variable itself, so where MindSpore is imported, it records.
    Child processes inherit the variable but do not train, so they are not recorded, unless they are another rank.
    """
    text = os.environ.get("MS_PROFILER_OPTIONS")
    if not text or multiprocessing.current_process().daemon or parent.records_this_rank() or _is_command():
        return None
    try:
        options = json.loads(text)
        if not isinstance(options, dict) or options.get("start") is not True or _is_mindspores(backend):
            return None
        reading = json.loads(_npuscope.read_config(text, "mindspore", 0, None, ranks.world_size()))
        made = _made(reading, "MS_PROFILER_OPTIONS", False, None, backend, None, DEFAULT_BUDGET, None)
    except Exception as error:  # noqa: BLE001
        why = describe(error)
        warn(
            profiling_off(
                localized(f"MS_PROFILER_OPTIONS cannot be used: {why}", f"无法使用 MS_PROFILER_OPTIONS：{why}")
            )
        )
        return None
    made.start()
    if not isinstance(made, profile) or not made.is_running:
        return None
    parent.announce()
    atexit.register(made.stop)
    if backend is None:
        give_way = partial(_give_way_to_mindspore, made)
        after_import(dict.fromkeys(_ENV_PROFILERS, give_way))
    return made


#: The modules in which versions of MindSpore read the variable.
_ENV_PROFILERS = ("mindspore.profiler.envprofiler", "mindspore.profiler.envprofiling")


def _give_way_to_mindspore(made: profile, module: Any) -> None:
    """MindSpore was imported later, and records the process by the same variable: once is enough."""
    if getattr(module.EnvProfiler, "profiler", None) is not None:
        made.discard()
        parent.withdraw()


def _is_command() -> bool:
    """Whether this process is a command of npuscope (`python -m npuscope ...`), which trains nothing."""
    if sys.argv[:1] != ["-m"]:
        return False
    with contextlib.suppress(OSError):
        words = Path("/proc/self/cmdline").read_bytes().decode(errors="replace").split("\0")
        return of_interpreter(words[1:]).partition(".")[0] == "npuscope"
    return False


def _is_mindspores(backend: Optional[str]) -> bool:
    """Whether MindSpore records, now or later: if it is imported after npuscope, it has no device yet."""
    if backend is None and any(name in sys.modules for name in _ENV_PROFILERS):
        return True
    if backends.choose(backend) == "mindspore":
        return True
    if backend is not None or not _has_npu():
        return False
    frameworks = {"torch", "torch_npu", "mindspore"}
    if frameworks & set(sys.modules):
        return False
    if backends.importable("torch_npu"):
        warn(
            localized(
                "MS_PROFILER_OPTIONS: only the host is recorded; to record the NPU, import torch_npu before npuscope",
                "MS_PROFILER_OPTIONS：只采集主机；如需采集 NPU，请在 npuscope 之前导入 torch_npu",
            )
        )
        return False
    return backends.importable("mindspore")


def _has_npu() -> bool:
    return os.path.exists("/dev/davinci_manager")


def _made(
    reading: dict[str, Any],
    source: str,
    strict: bool,
    total_steps: Optional[int],
    backend: Optional[str],
    rank: Optional[int],
    budget: int,
    spool: Union[str, Path, None],
) -> Union[profile, StagedProfiler]:
    errors = report_diagnostics(reading["diagnostics"], source, rank)
    if errors and strict:
        raise ConfigError(f"{source}: {errors[0]}")
    settings = Settings.from_config(reading["config"])
    # The default of these trainers is off.
    settings.simplify_asked = settings.simplify and reading.get("dialect") in ("llm", "fsdp2")
    if errors:
        settings.enabled = False
    if reading.get("dialect") == "rl" and settings.stages != "all":
        return StagedProfiler(settings, backend=backend, rank=rank, budget=budget, spool=spool)
    output = settings.output
    if reading.get("dialect") == "rl" and Path(output).name != "integrated":
        # MindSpeed-RL's name for a profile of all stages.
        output = str(Path(output) / "integrated")
    return profile.of_settings(
        settings,
        backend=backend,
        rank=rank,
        output=output,
        total_steps=total_steps,
        budget=budget,
        spool=spool,
        suffix="ms" if reading.get("dialect") == "mindspore" else "pt",
    )


def report_diagnostics(diagnostics: list[dict[str, Any]], source: str, rank: Optional[int] = None) -> list[str]:
    """Print the diagnostics of settings; return the errors.

    All ranks read the same file, so only the first prints warnings. Every rank prints errors.
    """
    errors = []
    this_rank = ranks.rank() if rank is None else rank
    for diagnostic in diagnostics:
        line, key = diagnostic.get("line"), diagnostic.get("key")
        said = f"{key}: {diagnostic['message']}" if key else diagnostic["message"]
        text = f"{source}{f':{line}' if line else ''}: {said}"
        if diagnostic["severity"] == "error":
            errors.append(said)
            warn(profiling_off(text) if len(errors) == 1 else text)
        elif diagnostic["severity"] == "warning" and not this_rank:
            warn(text)
    return errors
