"""Finds out whether a parent process records this rank: a child that only helps its parent is not recorded."""

from __future__ import annotations

import os

from npuscope import rank

#: Names the recording process and its rank to the processes that it starts.
_VARIABLE = "NPUSCOPE_RECORDED_BY"


def records_this_rank() -> bool:
    """Whether a parent process records the same rank. A program that replaced this process (exec) has its id."""
    process, _, recorded = os.environ.get(_VARIABLE, "").partition(" ")
    return bool(process) and process != str(os.getpid()) and recorded == str(rank.rank())


def announce() -> None:
    """Let child processes know that this process is recorded."""
    os.environ[_VARIABLE] = f"{os.getpid()} {rank.rank()}"


def withdraw() -> None:
    """This process is not recorded any more."""
    os.environ.pop(_VARIABLE, None)
