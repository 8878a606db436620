"""Asking a profile questions from Python: `npuscope.open(path).sql(...)`."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

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
                "sql",
                str(self.path),
                "-",
                "--format",
                "arrow",
                "--output",
                answer,
                "--quiet",
                "--color",
                "never",
            ]
            done = subprocess.run(command, input=query, capture_output=True, text=True)
            if done.returncode != 0:
                raise QueryError(
                    done.stderr.strip().replace("error: ", "", 1) or f"npuscope sql ended with {done.returncode}"
                )
            # Read into memory, since the file is about to be removed.
            with pyarrow.ipc.open_stream(Path(answer).read_bytes()) as reader:
                return reader.read_all()


def open(path: Union[str, Path]) -> Profile:  # noqa: A001 - `npuscope.open` is what users write
    """Open a profile: a directory that a profiler wrote, or one with many of them.

    >>> npuscope.open("./result").sql("SELECT name, sum(duration) FROM host_op GROUP BY 1 ORDER BY 2 DESC LIMIT 10")
    """
    return Profile(path)
