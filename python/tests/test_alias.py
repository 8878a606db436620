"""The command `msprof-analyze` that runs npuscope: written when asked for, and never over another."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import unittest
import venv
from pathlib import Path
from unittest import mock

from npuscope import alias, program
from support import PACKAGE, Case, needs_program


class TestAlias(Case):
    def setUp(self) -> None:
        super().setUp()
        # The peer may be installed where the tests run.
        absent = mock.patch("npuscope.alias._is_installed", return_value=False)
        absent.start()
        self.addCleanup(absent.stop)
        self.scripts = self.place / "my environment" / "bin"
        self.scripts.mkdir(parents=True)
        self.script = self.scripts / "msprof-analyze"
        self.install(self.scripts / "npuscope", 'echo npuscope "$@"')

    def install(self, path: Path, text: str) -> None:
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def command(self, action: str) -> tuple[int, str]:
        """What `python -m npuscope.alias` answers and prints."""
        printed = io.StringIO()
        with (
            mock.patch("npuscope.alias.scripts_directory", return_value=self.scripts),
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(printed),
        ):
            return alias.main([action]), printed.getvalue()

    def test_on_passes_every_argument_to_npuscope_msprof_analyze(self) -> None:
        self.assertEqual(self.command("on")[0], 0)
        done = subprocess.run([self.script, "-d", "a b", "--force"], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "npuscope msprof-analyze -d a b --force\n")
        # From anywhere else, too.
        link = self.place / "link"
        link.symlink_to(self.script)
        done = subprocess.run([link, "-v"], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "npuscope msprof-analyze -v\n")

    def test_on_twice_and_off_twice_are_fine(self) -> None:
        for _ in range(2):
            self.assertEqual(self.command("on")[0], 0)
            self.assertTrue(self.script.exists())
        code, printed = self.command("off")
        self.assertEqual((code, printed), (0, f"{self.script} removed\n"))
        self.assertEqual(self.command("off"), (0, f"the alias was not on; {self.script} is unchanged\n"))
        self.assertEqual([path.name for path in self.scripts.iterdir()], ["npuscope"])

    def test_another_msprof_analyze_is_neither_replaced_nor_removed(self) -> None:
        texts = ["#!/usr/bin/python\nfrom msprof_analyze.cli.entrance import msprof_analyze_cli\n", "\0\xff"]
        for text in texts:
            self.script.write_bytes(text.encode("latin-1"))
            code, printed = self.command("on")
            self.assertEqual(code, 2)
            self.assertIn("pip uninstall msprof-analyze", printed)
            self.assertEqual(self.command("off")[0], 0)
            self.assertEqual(self.command("status"), (0, f"off; {self.script} is another program\n"))
            self.assertEqual(self.script.read_bytes(), text.encode("latin-1"))

    def test_a_link_that_leads_nowhere_is_not_replaced(self) -> None:
        self.script.symlink_to(self.place / "nowhere")
        self.assertEqual(self.command("on")[0], 2)
        self.assertFalse((self.place / "nowhere").exists())

    def test_an_installed_msprof_analyze_is_left_alone_wherever_its_command_is(self) -> None:
        with mock.patch("npuscope.alias._is_installed", return_value=True):
            code, printed = self.command("on")
        self.assertEqual((code, self.script.exists()), (2, False))
        self.assertIn("it is installed in this environment", printed)

    def test_status_says_whether_a_shell_finds_it(self) -> None:
        self.assertEqual(self.command("status"), (0, "off\n"))
        with mock.patch.dict(os.environ, {"PATH": str(self.scripts)}):
            self.assertEqual(self.command("on"), (0, f"on: {self.script} runs npuscope\n"))
        with mock.patch.dict(os.environ, {"PATH": "/nowhere"}):
            self.assertIn(f"note: {self.scripts} is not in PATH\n", self.command("status")[1])
        other = self.place / "other"
        other.mkdir()
        self.install(other / "msprof-analyze", "")
        with mock.patch.dict(os.environ, {"PATH": f"{other}{os.pathsep}{self.scripts}"}):
            self.assertIn(f"note: PATH finds {other / 'msprof-analyze'} first\n", self.command("status")[1])

    def test_a_directory_that_cannot_be_written_is_an_error(self) -> None:
        with mock.patch.object(Path, "open", side_effect=PermissionError(13, "Permission denied")):
            code, printed = self.command("on")
        self.assertEqual((code, printed), (2, f"error: cannot write {self.script}: Permission denied\n"))

    def test_in_a_chinese_locale_it_answers_in_chinese(self) -> None:
        with mock.patch.dict(os.environ, {"LC_ALL": "zh_CN.UTF-8", "PATH": str(self.scripts)}):
            self.assertEqual(self.command("on"), (0, f"开启：{self.script} 运行 npuscope\n"))
            self.assertEqual(self.command("off"), (0, f"已删除 {self.script}\n"))
            self.assertEqual(self.command("status"), (0, "关闭\n"))
            self.install(self.script, "")
            code, printed = self.command("on")
        self.assertEqual(code, 2)
        self.assertTrue(printed.startswith("错误：不替换 msprof-analyze："), printed)

    def test_a_wrong_command_line_is_explained_in_chinese(self) -> None:
        printed = io.StringIO()
        with (
            mock.patch.dict(os.environ, {"LC_ALL": "zh_CN.UTF-8"}),
            contextlib.redirect_stderr(printed),
            self.assertRaises(SystemExit) as stopped,
        ):
            alias.main(["sideways"])
        self.assertEqual(stopped.exception.code, 2)
        usage, error = printed.getvalue().splitlines()
        self.assertTrue(usage.startswith("用法：python -m npuscope.alias"), usage)
        self.assertTrue(error.startswith("错误：命令行需要 on、off、status 之一（详细信息："), error)


class TestEnvironment(Case):
    """In a virtual environment, as users have it."""

    def setUp(self) -> None:
        super().setUp()
        venv.create(self.place / "environment", symlinks=True)
        self.scripts = self.place / "environment" / "bin"

    def run_alias(self, action: str) -> subprocess.CompletedProcess[str]:
        variables = {
            **os.environ,
            "PYTHONPATH": str(PACKAGE),
            "PATH": f"{self.scripts}{os.pathsep}{os.environ['PATH']}",
        }
        variables.pop("MS_PROFILER_OPTIONS", None)
        # No packages of the user, where another npuscope may be.
        variables["PYTHONUSERBASE"] = str(self.place / "user")
        command = [str(self.scripts / "python"), "-m", "npuscope.alias", action]
        return subprocess.run(command, capture_output=True, text=True, check=False, env=variables)

    def test_without_the_command_npuscope_it_says_where_it_looked(self) -> None:
        done = self.run_alias("on")
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"the command npuscope is not installed in {self.scripts}", done.stderr)

    @needs_program
    def test_it_runs_the_program_beside_it(self) -> None:
        (self.scripts / "npuscope").symlink_to(program.required())
        done = self.run_alias("on")
        self.assertEqual((done.returncode, done.stdout), (0, f"on: {self.scripts / 'msprof-analyze'} runs npuscope\n"))
        version = subprocess.run(
            [self.scripts / "msprof-analyze", "-v"], capture_output=True, text=True, check=True, env={}
        )
        self.assertTrue(version.stdout.startswith("npuscope "), version.stdout)
        self.assertEqual(self.run_alias("off").returncode, 0)
        self.assertFalse((self.scripts / "msprof-analyze").exists())


if __name__ == "__main__":
    unittest.main()
