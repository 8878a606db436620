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
from collections.abc import Iterator
from pathlib import Path
from typing import Optional

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
    raise AliasError(f"the command npuscope is not installed in {' or '.join(searched)}; install the wheel first")


def is_on(directory: Path) -> bool:
    """Whether the directory has the alias."""
    return _is_ours(directory / NAME)


def turn_on(directory: Path) -> Path:
    """Write the alias into the directory of the command `npuscope`. Raises `AliasError` if msprof-analyze is there."""
    script = directory / NAME
    if _is_ours(script):
        return script
    if script.exists() or script.is_symlink() or _is_installed():
        where = f"{script} exists" if script.exists() or script.is_symlink() else "it is installed in this environment"
        raise AliasError(
            f"{NAME} is not replaced: {where}. To use the alias, run `pip uninstall {NAME}` first; "
            f"`npuscope {NAME} ...` works without the alias"
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
        raise AliasError(f"cannot write {script}: {error.strerror}") from error
    return script


def turn_off(directory: Path) -> bool:
    """Remove the alias; False if there is none. Another msprof-analyze stays."""
    script = directory / NAME
    if not _is_ours(script):
        return False
    try:
        script.unlink()
    except OSError as error:
        raise AliasError(f"cannot remove {script}: {error.strerror}") from error
    return True


def main(arguments: Optional[list[str]] = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m npuscope.alias",
        description=f"Turn a command {NAME} on or off that runs: npuscope {NAME} ...",
        epilog=f"An existing {NAME} is never replaced, and off removes only what on wrote.",
    )
    parser.add_argument("action", choices=["on", "off", "status"], help="what to do with the alias")
    action = parser.parse_args(arguments).action
    try:
        directory = scripts_directory()
        for line in _perform(action, directory):
            print(line)
    except AliasError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _perform(action: str, directory: Path) -> Iterator[str]:
    script = directory / NAME
    if action == "off":
        yield f"{script} removed" if turn_off(directory) else f"the alias was not on; {script} is unchanged"
        return
    if action == "on":
        turn_on(directory)
    if not is_on(directory):
        yield f"off; {script} is another program" if script.exists() else "off"
        return
    yield f"on: {script} runs npuscope"
    first = shutil.which(NAME)
    if first is None:
        yield f"note: {directory} is not in PATH"
    elif not Path(first).samefile(script):
        yield f"note: PATH finds {first} first"


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
