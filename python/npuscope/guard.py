"""Keeps failures of profiling away from training: a failure is reported once, and recording is switched off."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import threading
from typing import Any, Callable, TypeVar

from npuscope.language import localized

_Method = TypeVar("_Method", bound=Callable[..., Any])

_reported: set[str] = set()
_lock = threading.Lock()


def warn(text: str) -> None:
    """Print one line to standard error, and the same line never again in this process.

    A training loop calls `step` a million times, so a warning that may repeat would bury the loop's own output.
    """
    line = "npuscope: " + " ".join(str(text).split())
    with _lock:
        if line in _reported:
            return
        _reported.add(line)
    # Standard error may be closed or full; then there is nowhere to report it.
    with contextlib.suppress(OSError, ValueError, AttributeError):
        print(line, file=sys.stderr, flush=True)


def profiling_off(why: str) -> str:
    """The message about a failure: the reason, and what becomes of profiling and training."""
    return localized(f"{why}; profiling is off, training continues", f"{why}；采集已关闭，训练继续")


def describe(error: BaseException) -> str:
    """The text of an exception, with its type where the text alone does not explain what happened."""
    text = str(error)
    if isinstance(error, (OSError, RuntimeError)) and text:
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


class Guarded:
    """Base of objects that a training loop calls: after a failure, and in a forked child, every call does nothing.

    A child of `fork` has a copy of the object but none of the threads behind it, and would write into its parent's
    files.
    """

    def __init__(self) -> None:
        self._off = False
        self._process = os.getpid()

    def _abandon(self) -> None:
        """Release what is held, as far as possible; may raise."""

    def _give_up(self, why: str) -> None:
        """Report the reason once, and do nothing from now on."""
        if self._off:
            return
        self._off = True
        warn(profiling_off(why))
        # The reason has been reported; a failed cleanup adds nothing to it.
        with contextlib.suppress(Exception):
            self._abandon()

    @property
    def _silent(self) -> bool:
        return self._off or self._process != os.getpid()


def guarded(method: _Method) -> _Method:
    """Make a method of a `Guarded` swallow every `Exception`. Interrupts and exits pass through."""

    @functools.wraps(method)
    def call(self: Guarded, *arguments: Any, **named: Any) -> Any:
        if self._silent:
            return None
        try:
            return method(self, *arguments, **named)
        except Exception as error:  # noqa: BLE001 - whatever it is, the training loop must not see it
            name = method.__name__.strip("_")
            self._give_up(localized(f"{name}() failed: {describe(error)}", f"{name}() 失败：{describe(error)}"))
            return None

    return call  # type: ignore[return-value]
