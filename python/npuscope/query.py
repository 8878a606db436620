"""Asking a profile questions from Python: `npuscope.open(path).sql(...)` and `.show(...)`."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

from npuscope import program

if TYPE_CHECKING:
    import pyarrow


class QueryError(RuntimeError):
    """A question that could not be answered: its text is what the program says."""


class Profile:
    """A profile that was opened with `npuscope.open`."""

    def __init__(self, path: Union[str, Path]) -> None:
        self.path = Path(path)
        if not self.path.exists():
            raise FileNotFoundError(f"{self.path} does not exist")

    def sql(self, query: str, *, df: bool = False) -> Any:
        """The answer to a query in SQL, as a `pyarrow.Table`, or as a `pandas.DataFrame` with `df=True`.

        Times are nanoseconds since the epoch, durations nanoseconds, sizes bytes; `tables` says what may be asked for.
        """
        table = self._ask(query)
        return table.to_pandas() if df else table

    def show(
        self,
        view: str,
        *,
        rank: Union[int, str, Iterable[int], None] = None,
        step: Optional[int] = None,
        range: Optional[str] = None,  # noqa: A002 - named as the option of the program
        at: Union[int, str, None] = None,
        df: bool = False,
        **parameters: Union[str, int],
    ) -> Any:
        """A table of the viewer's pages, as a `pyarrow.Table`, or as a `pandas.DataFrame` with `df=True`.

        `npuscope show DIR` lists the views and their parameters. `rank` is a rank, several, or a list such as "0,4-7";
        `range` a time such as "100ms..200ms"; `at` a time such as "1.25s", or in nanoseconds since the epoch. Times in
        the table are nanoseconds since the epoch, durations nanoseconds, sizes bytes.

        >>> npuscope.open("./result").show("overall", rank=0, step=12)
        """
        options: list[str] = []
        if rank is not None:
            ranks = str(rank) if isinstance(rank, (int, str)) else ",".join(str(number) for number in rank)
            options += ["--rank", ranks]
        named = {"step": step, "range": range, "at": at}
        options += [f"--{name}={value}" for name, value in named.items() if value is not None]
        options += [f"--set={name}={value}" for name, value in parameters.items()]
        table = self._run(["show", str(self.path), view, *options])
        return table.to_pandas() if df else table

    def tables(self) -> list[str]:
        """The names of the tables there are."""
        query = "SELECT table_name FROM information_schema.tables WHERE table_schema <> 'information_schema' ORDER BY 1"
        return [str(name) for name in self._ask(query).column(0).to_pylist()]

    @property
    def ranks(self) -> list[int]:
        """The ranks of the job that are in the profile."""
        return [int(number) for number in self._ask("SELECT rank FROM rank ORDER BY 1").column(0).to_pylist()]

    def __repr__(self) -> str:
        return f"npuscope.open({str(self.path)!r})"

    def _ask(self, query: str) -> pyarrow.Table:
        return self._run(["sql", str(self.path), "-"], query)

    def _run(self, arguments: list[str], text: Optional[str] = None) -> pyarrow.Table:
        """The program answers into a file, not a pipe: what it has to say meanwhile is then never in the way."""
        try:
            import pyarrow
            import pyarrow.ipc
        except ImportError as error:
            raise QueryError(
                "answers are pyarrow tables, and pyarrow is not installed: pip install 'npuscope[pyarrow]'"
            ) from error
        with tempfile.TemporaryDirectory(prefix="npuscope-") as directory:
            answer = os.path.join(directory, "answer.arrow")
            command = [
                program.required(),
                *arguments,
                "--format",
                "arrow",
                "--output",
                answer,
                "--quiet",
                "--color",
                "never",
            ]
            done = subprocess.run(command, check=False, input=text, capture_output=True, text=True)
            if done.returncode != 0:
                raise QueryError(
                    done.stderr.strip().replace("error: ", "", 1)
                    or f"npuscope {arguments[0]} ended with {done.returncode}"
                )
            # Read into memory, since the file is about to be removed.
            with pyarrow.ipc.open_stream(Path(answer).read_bytes()) as reader:
                return reader.read_all()


def open(path: Union[str, Path]) -> Profile:  # noqa: A001 - `npuscope.open` is what users write
    """Open a profile: a directory that a profiler wrote, or one with many of them.

    >>> npuscope.open("./result").sql("SELECT name, sum(duration) FROM host_op GROUP BY 1 ORDER BY 2 DESC LIMIT 10")
    """
    return Profile(path)
