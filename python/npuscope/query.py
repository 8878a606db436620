"""Queries profiles from Python: `npuscope.open(path).sql(...)` and `.show(...)`."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

from npuscope import program
from npuscope.language import localized

if TYPE_CHECKING:
    import pyarrow


class QueryError(RuntimeError):
    """A query failed; the text is the error of the program."""


class Profile:
    """A profile that was opened with `npuscope.open`."""

    def __init__(self, path: Union[str, Path]) -> None:
        self.path = Path(path)
        if not self.path.exists():
            raise FileNotFoundError(localized(f"{self.path} does not exist", f"{self.path} 不存在"))

    def sql(self, query: str, *, df: bool = False) -> Any:
        """Run an SQL query. Returns a `pyarrow.Table`, or a `pandas.DataFrame` with `df=True`.

        Times are nanoseconds since the epoch, durations nanoseconds, sizes bytes. `tables` lists the tables.
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
        """Compute a view, a table of the viewer. Returns a `pyarrow.Table`, or a `pandas.DataFrame` with `df=True`.

        `npuscope show DIR` lists the views and their parameters.

        :param view: name of the view
        :param rank: a rank, several ranks, or a list such as "0,4-7"
        :param step: a step
        :param range: a range of time such as "100ms..200ms"
        :param at: a moment such as "1.25s", or in nanoseconds since the epoch
        :param parameters: other parameters of the view

        Times are nanoseconds since the epoch, durations nanoseconds, sizes bytes.

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
        """The names of the tables that `sql` can query."""
        query = "SELECT table_name FROM information_schema.tables WHERE table_schema <> 'information_schema' ORDER BY 1"
        return [str(name) for name in self._ask(query).column(0).to_pylist()]

    @property
    def ranks(self) -> list[int]:
        """The ranks in the profile."""
        return [int(number) for number in self._ask("SELECT rank FROM rank ORDER BY 1").column(0).to_pylist()]

    def __repr__(self) -> str:
        return f"npuscope.open({str(self.path)!r})"

    def _ask(self, query: str) -> pyarrow.Table:
        return self._run(["sql", str(self.path), "-"], query)

    def _run(self, arguments: list[str], text: Optional[str] = None) -> pyarrow.Table:
        """The program writes its result to a file, not to a pipe, so that its messages are never mixed into it."""
        try:
            import pyarrow
            import pyarrow.ipc
        except ImportError as error:
            raise QueryError(
                localized(
                    "pyarrow is not installed, and results are pyarrow tables: run `pip install pyarrow`",
                    "未安装 pyarrow，而查询结果是 pyarrow 表：请运行 `pip install pyarrow`",
                )
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
                    _without_label(done.stderr.strip())
                    or localized(
                        f"npuscope {arguments[0]} failed with exit code {done.returncode}",
                        f"npuscope {arguments[0]} 失败，退出码 {done.returncode}",
                    )
                )
            # Read into memory, because the file is removed now.
            with pyarrow.ipc.open_stream(Path(answer).read_bytes()) as reader:
                return reader.read_all()


def _without_label(text: str) -> str:
    """The error message of the program, without the label that it has on a terminal."""
    for label in ("error: ", "错误："):
        text = text.removeprefix(label)
    return text


def open(path: Union[str, Path]) -> Profile:  # noqa: A001 - `npuscope.open` is what users write
    """Open a profile: the directory of a rank, a directory with many ranks, or a single deliverable.

    >>> npuscope.open("./result").sql("SELECT name, sum(duration) FROM host_op GROUP BY 1 ORDER BY 2 DESC LIMIT 10")
    """
    return Profile(path)
