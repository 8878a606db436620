"""A command `msprof-analyze` that runs npuscope, for scripts and habits that use that name. It is off by default.

    python -m npuscope.alias on        # msprof-analyze now runs: npuscope msprof-analyze ...
    python -m npuscope.alias status
    python -m npuscope.alias off

`on` writes a small script next to the installed command `npuscope`. It never replaces an existing `msprof-analyze`, and
`off` removes only a script that `on` wrote.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NoReturn, Optional

from npuscope.language import localized

#: The command that the alias stands in for, and the package that has it.
NAME = "msprof-analyze"

#: The line by which a script is recognised as written here.
_MARK = "# Written by `python -m npuscope.alias on`; `python -m npuscope.alias off` removes it."


class AliasError(RuntimeError):
    """The alias cannot be written or removed; the text says why and what to do."""


def scripts_directory() -> Path:
    """The directory of the installed command `npuscope`: of this environment, or of the user's packages."""
    searched = []
    for scheme in (None, "posix_user"):
        directory = Path(sysconfig.get_path("scripts", scheme) if scheme else sysconfig.get_path("scripts"))
        if (directory / "npuscope").is_file():
            return directory
        searched.append(str(directory))
    raise AliasError(
        localized(
            f"the command npuscope is not installed in {' or '.join(searched)}; install the wheel first",
            f"命令 npuscope 未安装在 {' 或 '.join(searched)} 中；请先安装 wheel",
        )
    )


def is_on(directory: Path) -> bool:
    """Whether the directory has the alias."""
    return _is_ours(directory / NAME)


def turn_on(directory: Path) -> Path:
    """Write the alias into the directory of the command `npuscope`. Raises `AliasError` if msprof-analyze is there."""
    script = directory / NAME
    if _is_ours(script):
        return script
    if script.exists() or script.is_symlink() or _is_installed():
        if script.exists() or script.is_symlink():
            why = localized(f"{script} exists", f"{script} 已存在")
        else:
            why = localized("it is installed in this environment", "当前环境中已安装")
        raise AliasError(
            localized(
                f"{NAME} is not replaced: {why}. To use the alias, run `pip uninstall {NAME}` first; "
                f"`npuscope {NAME} ...` works without the alias",
                f"不替换 {NAME}：{why}。如需使用别名，请先运行 `pip uninstall {NAME}`；"
                f"不使用别名时，可运行 `npuscope {NAME} ...`",
            )
        )
    command = directory.resolve() / "npuscope"
    # A script, not a link: an installer that writes msprof-analyze later must not write through a link into npuscope.
    text = f'#!/bin/sh\n{_MARK}\nexec {shlex.quote(str(command))} {NAME} "$@"\n'
    try:
        # Fails if the file has appeared in the meantime.
        with script.open("x", encoding="utf-8") as file:
            file.write(text)
        script.chmod(0o755)
    except OSError as error:
        raise AliasError(
            localized(f"cannot write {script}: {error.strerror}", f"无法写入 {script}：{error.strerror}")
        ) from error
    return script


def turn_off(directory: Path) -> bool:
    """Remove the alias; False if there is none. Another msprof-analyze stays."""
    script = directory / NAME
    if not _is_ours(script):
        return False
    try:
        script.unlink()
    except OSError as error:
        raise AliasError(
            localized(f"cannot remove {script}: {error.strerror}", f"无法删除 {script}：{error.strerror}")
        ) from error
    return True


class _Help(argparse.HelpFormatter):
    """The help of argparse, which has its own headings in English only."""

    def add_usage(
        self,
        usage: Optional[str],
        actions: Iterable[argparse.Action],
        groups: Iterable[argparse._MutuallyExclusiveGroup],
        prefix: Optional[str] = None,
    ) -> None:
        super().add_usage(usage, actions, groups, prefix or localized("usage: ", "用法："))


class _Parser(argparse.ArgumentParser):
    """Says in the user's language what is wrong with a command line; the words of argparse are a detail."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        line = localized(
            f"error: the command line needs one of on, off, status (details: {message})",
            f"错误：命令行需要 on、off、status 之一（详细信息：{message}）",
        )
        self.exit(2, f"{line}\n")


def main(arguments: Optional[list[str]] = None) -> int:
    """The command line; returns the exit code."""
    parser = _Parser(
        prog="python -m npuscope.alias",
        formatter_class=_Help,
        add_help=False,
        description=localized(
            f"Turn a command {NAME} on or off that runs: npuscope {NAME} ...",
            f"开启或关闭命令 {NAME}，该命令运行：npuscope {NAME} ...",
        ),
        epilog=localized(
            f"An existing {NAME} is never replaced, and off removes only what on wrote.",
            f"不会替换已有的 {NAME}；off 只删除 on 写入的文件。",
        ),
    )
    group = parser.add_argument_group(localized("arguments", "参数"))
    group.add_argument("-h", "--help", action="help", help=localized("print this help", "打印此帮助"))
    group.add_argument(
        "action",
        choices=["on", "off", "status"],
        help=localized("what to do with the alias", "对别名的操作：开启、关闭或查看状态"),
    )
    action = parser.parse_args(arguments).action
    try:
        directory = scripts_directory()
        for line in _perform(action, directory):
            print(line)
    except AliasError as error:
        print(localized(f"error: {error}", f"错误：{error}"), file=sys.stderr)
        return 2
    return 0


def _perform(action: str, directory: Path) -> Iterator[str]:
    script = directory / NAME
    if action == "off":
        if turn_off(directory):
            yield localized(f"{script} removed", f"已删除 {script}")
        else:
            yield localized(f"the alias was not on; {script} is unchanged", f"别名未开启；{script} 未更改")
        return
    if action == "on":
        turn_on(directory)
    if not is_on(directory):
        off = localized("off", "关闭")
        yield (
            localized(f"{off}; {script} is another program", f"{off}；{script} 是其他程序") if script.exists() else off
        )
        return
    yield localized(f"on: {script} runs npuscope", f"开启：{script} 运行 npuscope")
    first = shutil.which(NAME)
    if first is None:
        yield localized(f"note: {directory} is not in PATH", f"提示：{directory} 不在 PATH 中")
    elif not Path(first).samefile(script):
        yield localized(f"note: PATH finds {first} first", f"提示：按 PATH 会先找到 {first}")


def _is_ours(script: Path) -> bool:
    """Whether `turn_on` wrote the file. A program that is not text is another's."""
    try:
        return _MARK in script.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return False


def _is_installed() -> bool:
    """Whether the package of that name is in this environment, wherever its command is."""
    try:
        importlib.metadata.distribution(NAME)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
