"""Parses recordings into deliverables with `npuscope parse`, never in the training process itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any, Optional, Union

from npuscope import program
from npuscope import rank as ranks
from npuscope.guard import warn
from npuscope.language import localized
from npuscope.profiler.enums import ExportType

#: Running processes of `npuscope parse`, kept so that they can be reaped when they end, and so that `wait` can wait.
_running: list[tuple[subprocess.Popen[bytes], Path]] = []

#: The longest wait for parsing, in seconds. Parsing continues by itself; a job that has ended must release its devices.
LONGEST_WAIT = 600.0

#: Ranks that share the processors of a machine, if the launcher does not give the number.
USUAL_LOCAL_RANKS = 8


def begin(directory: Union[str, Path], file_format: Optional[str] = None, *, beside_training: bool = True) -> bool:
    """Start parsing a directory, detached from this process; False, with a warning, if the program is missing.

    The process has a session of its own, so that a signal to the process group of training does not end it. Its output
    goes to `logs/parse.log` in the directory. During training, it uses few processors at low priority.
    """
    _reap()
    directory = Path(directory)
    found = program.find()
    if found is None:
        warn(
            localized(
                "the program npuscope was not found, so the recording is not parsed; "
                f"to parse it later, run: npuscope parse {directory.parent}",
                f"未找到程序 npuscope，采集的数据未解析；如需之后解析，请运行：npuscope parse {directory.parent}",
            )
        )
        return False
    log = directory / "logs" / "parse.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    command = _command(found, directory, file_format)
    if beside_training:
        command += ["--threads", str(_spare_threads())]
        nice = shutil.which("nice")
        if nice is not None:
            command[:0] = [nice, "-n", "19"]
    with open(log, "ab") as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
    _running.append((process, directory))
    return True


def wait(directories: Optional[list[Path]] = None, limit: float = LONGEST_WAIT) -> None:
    """Wait until these directories, or all, have been parsed, for at most `limit` seconds."""
    deadline = time.monotonic() + limit
    for process, directory in _running.copy():
        if directories is None or directory in directories:
            try:
                process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                warn(
                    localized(
                        f"parsing {directory} takes longer than {limit:g} seconds; it continues in the background",
                        f"解析 {directory} 超过 {limit:g} 秒；解析在后台继续",
                    )
                )
                break
    _reap()


def cancel(directories: list[Path]) -> None:
    """End the parsing of these directories: they are removed."""
    for process, directory in _running.copy():
        if directory in directories:
            _running.remove((process, directory))
            process.kill()
            process.wait()


def _reap() -> None:
    """Forget the processes that have ended, and report those that failed."""
    for entry in _running.copy():
        process, directory = entry
        if process.poll() is None:
            continue
        _running.remove(entry)
        if process.returncode != 0:
            log = directory / "logs" / "parse.log"
            warn(
                localized(
                    f"parsing {directory} failed with exit code {process.returncode}; see {log}",
                    f"解析 {directory} 失败，退出码 {process.returncode}；请查看 {log}",
                )
            )


def _spare_threads() -> int:
    """Threads for parsing during training: half of this rank's share of the processors."""
    try:
        processors = len(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        processors = os.cpu_count() or 1
    local_ranks = ranks.number("LOCAL_WORLD_SIZE") or USUAL_LOCAL_RANKS
    return max(1, processors // (2 * local_ranks))


def analyse(
    profiler_path: Union[str, Path],
    max_process_number: Optional[int] = None,
    export_type: Any = None,
    *,
    pretty: bool = False,
    step_list: Optional[list[int]] = None,
    data_simplification: Optional[bool] = None,
) -> bool:
    """Parse recordings into deliverables, as `npuscope parse` does. Returns whether this succeeded.

    :param profiler_path: a directory ending in `_ascend_pt` or `_ascend_ms`, or one that contains such directories
    :param max_process_number: number of threads; default: one per processor
    :param export_type: `ExportType`, or a list of them; default: as set when recording
    :param pretty: accepted for compatibility and ignored, like `step_list` and `data_simplification`
    """
    try:
        command = _command(program.required(), Path(profiler_path), _format(export_type))
        if isinstance(max_process_number, int) and max_process_number > 0:
            command[1:1] = ["--threads", str(max_process_number)]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False
        )
    except (OSError, program.ProgramMissing) as error:
        warn(localized(f"analyse: {error}", f"analyse：{error}"))
        return False
    if done.returncode != 0:
        why = done.stderr.strip() or localized(
            f"npuscope parse failed with exit code {done.returncode}",
            f"npuscope parse 失败，退出码 {done.returncode}",
        )
        warn(localized(f"analyse: {why}", f"analyse：{why}"))
    return done.returncode == 0


def _command(found: str, directory: Path, file_format: Optional[str]) -> list[str]:
    return [found, "parse", os.fspath(directory), *(["--format", file_format] if file_format else [])]


def _format(asked: Any) -> Optional[str]:
    """The value of `--format`: text, db, both, or None for the setting of the recording."""
    if asked is None:
        return None
    values = asked if isinstance(asked, (list, tuple, set)) else [asked]
    kinds = {ExportType.of(value) for value in values}
    if not kinds or None in kinds:
        warn(
            localized(
                f"analyse: export_type is {asked!r}, which is not an ExportType; the setting of the recording is used",
                f"analyse：export_type 为 {asked!r}，不是 ExportType；使用采集时的设置",
            )
        )
        return None
    return "both" if len(kinds) == 2 else "db" if ExportType.Db in kinds else "text"
