"""Runs the command: passes signals on to it, and ends as it ends."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping

from npuscope.language import localized
from npuscope.run.announcement import say

#: Signals that ask a program for something. The terminal's own come to every process of its group.
_FORWARDED = {
    *(signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM),
}

#: The exit codes of shells for a command that cannot be started.
_NOT_FOUND, _NOT_EXECUTABLE = 127, 126


def run(command: list[str], environment: Mapping[str, str]) -> int:
    """Run the command to its end. Returns its exit code, or 128 and the number of the signal that ended it."""
    # Blocked, so that each is received below with its sender. The command gets the mask that we had.
    waited = {*_FORWARDED, signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, waited)
    try:
        child = os.posix_spawnp(command[0], command, environment, setsigmask=before)
    except OSError as error:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        name, why = command[0], error.strerror
        say(localized(f"cannot run {name}: {why}", f"无法运行 {name}：{why}"))
        return _NOT_FOUND if isinstance(error, FileNotFoundError) else _NOT_EXECUTABLE
    while True:
        # With a limit, as a signal may arrive once for several children.
        received = signal.sigtimedwait(waited, 1.0)
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        # One that the terminal sends (its code is positive) has reached the command already.
        if received is not None and received.si_signo in _FORWARDED and received.si_code <= 0:
            os.kill(child, received.si_signo)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    sys.stdout.flush()
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
