"""Every Python block of the manual, and every command of the examples' page, run as a reader would run them.

A line `<!-- run -->` before a block marks it. `crates/cli/tests/cli/blocks.rs` checks that every block has a mark, and
`examples.rs` beside it runs the commands and queries of the other pages.
"""

from __future__ import annotations

import ast
import dataclasses
import os
import re
import shutil
import subprocess
import sys
import unittest
from collections.abc import Iterator
from pathlib import Path

from npuscope import program
from support import EXAMPLES, PACKAGE, REPOSITORY, Case, installed, needs, needs_program, run, steps, wait_for

#: What the blocks take for granted: a training loop of twelve steps.
READERS_SCRIPT = """
import os
import npuscope
os.chdir({place!r})
loader = range(12)
def train(batch): pass
"""

BLOCK = re.compile(
    r"^(?:<!-- (?P<mark>[^\n]*) -->\n)?```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)


@dataclasses.dataclass
class Block:
    place: str
    text: str


def blocks(page: Path, language: str) -> list[Block]:
    """The blocks of a page that are to be run."""
    content = page.read_text(encoding="utf-8")
    found = []
    for match in BLOCK.finditer(content):
        if match["language"] == language and (match["mark"] or "").split(" ")[0] == "run":
            line = content.count("\n", 0, match.start()) + 1
            found.append(Block(f"{page.relative_to(REPOSITORY)}:{line}", match["text"]))
    return found


def pages() -> Iterator[Path]:
    """Pages with Python in them."""
    alone = [*REPOSITORY.glob("README*.md"), REPOSITORY / "python" / "README.md"]
    for page in sorted([*alone, *(REPOSITORY / "docs").rglob("*.md")]):
        if blocks(page, "python"):
            yield page


class TestPython(Case):
    def test_some_pages_have_python(self) -> None:
        self.assertEqual(
            [str(page.relative_to(REPOSITORY)) for page in pages()],
            ["README.md", "README.zh.md", "docs/collect.md", "docs/collect.zh.md", "python/README.md"],
        )

    def test_the_chinese_pages_have_the_python_of_the_english_ones(self) -> None:
        def code(page: Path) -> list[str]:
            return [ast.dump(ast.parse(block.text, block.place)) for block in blocks(page, "python")]

        for page in pages():
            # The page of the package is in English only, as package indexes have one.
            if not page.name.endswith(".zh.md") and page.parent.name != "python":
                self.assertEqual(code(page), code(page.with_suffix(".zh.md")), page)

    @needs_program
    @needs(installed("pyarrow") and installed("pandas"), "pyarrow or pandas is not installed")
    def test_the_blocks_of_each_page_run_one_after_the_other(self) -> None:
        for page in pages():
            with self.subTest(str(page)):
                place = self.place / page.parent.name / page.name
                place.mkdir(parents=True)
                shutil.copy(EXAMPLES / "configs" / "fsdp2.yaml", place / "train.yaml")
                for block in blocks(page, "python"):
                    run("-c", READERS_SCRIPT.format(place=str(place)) + block.text)
                # What the settings ask for.
                (directory,) = self.children(place / "profile")
                self.assertEqual(steps(directory), ["ProfilerStep#5", "ProfilerStep#6", "ProfilerStep#7"])


@needs_program
@needs(installed("numpy"), "numpy is not installed")
class TestExamples(Case):
    """The page of the directory `examples`."""

    def setUp(self) -> None:
        super().setUp()
        self.examples = self.place / "examples"
        shutil.copytree(EXAMPLES, self.examples, ignore=shutil.ignore_patterns("__pycache__"))
        commands = self.place / "bin"
        commands.mkdir()
        (commands / "npuscope").symlink_to(program.required())
        # A link to the interpreter would not find the packages of a virtual environment.
        paths = [commands, Path(sys.executable).parent, os.environ["PATH"]]
        self.variables = {
            **os.environ,
            "PATH": os.pathsep.join(map(str, paths)),
            "PYTHONPATH": str(PACKAGE),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONWARNINGS": "ignore",
        }

    def begin(self, command: str) -> subprocess.Popen[str]:
        if command.startswith("npuscope view"):
            command += " --no-open --idle-timeout 1"
        started = subprocess.Popen(
            command,
            shell=True,
            cwd=self.examples,
            env=self.variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.addCleanup(started.kill)
        return started

    def end(self, started: subprocess.Popen[str]) -> None:
        printed, _ = started.communicate(timeout=300)
        self.assertEqual(started.returncode, 0, f"{started.args!r}\n{printed}")

    def test_the_commands_of_the_page_run_one_after_the_other(self) -> None:
        lines = [line for block in blocks(EXAMPLES / "README.md", "sh") for line in block.text.splitlines()]
        training: list[subprocess.Popen[str]] = []
        count = 0
        for line in lines:
            command, _, comment = (part.strip() for part in line.partition("#"))
            if not command:
                continue
            count += 1
            started = self.begin(command)
            if "--dynamic" in command:
                # It trains while the next command runs, which is for another terminal.
                training.append(started)
                wait_for(self.examples / "control" / "profiler_config.json")
                continue
            self.end(started)
            self.assertEqual(bool(training), comment == "in another terminal", line)
            while training:
                self.end(training.pop())
        self.assertGreaterEqual(count, 6)


if __name__ == "__main__":
    unittest.main()
