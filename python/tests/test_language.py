"""Sentences of the package follow the locale, as those of the program do."""

from __future__ import annotations

import ast
import os
import unittest
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import npuscope
from npuscope.language import localized
from support import Case, standard_error

PACKAGE = Path(npuscope.__file__).parent

#: Calls that make a message of texts, which are checked themselves.
ENDINGS = {"profiling_off"}

#: Texts that are no call of `localized`, by file, and why both languages have them all the same.
ELSEWHERE = {
    "__main__.py": {"str(error)": "ProgramMissing makes it with localized"},
    "alias.py": {"line": "_perform makes it with localized"},
    "backends/cann.py": {"diagnostic": "the compiled part makes it in the user's language"},
    "backends/foreign.py": {"one.name": "the name of an attribute"},
    "data.py": {"name": "the name of an attribute"},
    "from_trainer.py": {
        "describe(error)": "the text of another exception",
        "path": "a file",
        "source": "a file, a variable, or made with localized",
        "errors[0]": "the compiled part makes it in the user's language",
        "text": "the compiled part makes the message in the user's language",
    },
    "guard.py": {"line": "warn prints the text that it is given", "why": "_give_up reports the text that it is given"},
    "profiler/driver.py": {
        "error": "the compiled part makes it in the user's language",
        "self.missing": "the compiled part makes it in the user's language",
        "warning": "the compiled part makes it in the user's language",
    },
    "profiler/dynamic.py": {"text": "a warning of DynamicControl, whose sentences are made with localized"},
    "profiler/dynamic_control.py": {"why": "callers make it with localized"},
    "profiler/settings.py": {"did_you_mean": "made with localized above"},
    "profiler/torch_methods.py": {"name": "the name of a method", "error": "an exception of torch_npu"},
    "query.py": {"_without_label(done.stderr.strip())": "the program writes it in the user's language"},
    "run/__main__.py": {"text": "announcement and summary make it with localized, or the compiled part"},
    "run/announcement.py": {"'npuscope: '": "the name of the program", "text": "callers make it with localized"},
    "run/options.py": {"hint": "made with localized above"},
    "run/session.py": {"describe(error)": "the text of another exception"},
    "run/site/sitecustomize.py": {
        "'npuscope: '": "the name of the program",
        "what": "by the locale, as the package may be missing there",
        "error": "the text of another exception",
    },
}


class TestLanguage(Case):
    def test_the_first_variable_that_is_set_decides(self) -> None:
        for variables, expected in (
            ({"LC_ALL": "zh_CN.UTF-8"}, "中文"),
            ({"LC_ALL": "", "LC_MESSAGES": "zh_CN", "LANG": "en_US"}, "中文"),
            ({"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}, "English"),
        ):
            with self.subTest(variables=variables), mock.patch.dict(os.environ, variables):
                self.assertEqual(localized("English", "中文"), expected)

    def test_what_fails_is_reported_in_chinese(self) -> None:
        with mock.patch.dict(os.environ, {"LC_ALL": "zh_CN.UTF-8"}), standard_error() as lines:
            prof = npuscope.from_config(self.place / "absent.yaml")
            prof.step()
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("无法读取", lines[0])
        self.assertIn("采集已关闭，训练继续", lines[0])

    def test_every_message_has_both_languages(self) -> None:
        met = set()
        for file, tree in sources():
            name = file.relative_to(PACKAGE).as_posix()
            for line, message in messages(tree):
                for text in not_localized(message):
                    met.add((name, text))
                    self.assertIn(text, ELSEWHERE.get(name, {}), f"{name}:{line}: call localized(english, chinese)")
        self.assertEqual(met, {(name, text) for name, texts in ELSEWHERE.items() for text in texts}, "left over")

    def test_a_text_that_is_not_localized_is_found(self) -> None:
        for source, expected in (
            ("warn('a file')", ["'a file'"]),
            ("text = 'a file'\nwarn(text)", ["text"]),
            ("warn(f'{path} is a file')", ["' is a file'", "path"]),
            ("warn(profiling_off('a file'))", ["'a file'"]),
            ("warn(localized('a file', '文件') + '!' if is_file else name)", ["name"]),
            ("raise ValueError(localized('a file', '文件') or text)", ["text"]),
            ("warn(profiling_off(localized('a file', '文件')))", []),
        ):
            with self.subTest(source):
                found = [text for _, message in messages(ast.parse(source)) for text in not_localized(message)]
                self.assertEqual(sorted(found), expected)

    def test_both_languages_have_the_same_values(self) -> None:
        for file, tree in sources():
            for call in calls(tree, {"localized"}):
                if not any(isinstance(argument, ast.Starred) for argument in call.args):
                    english, chinese = (names(argument) for argument in call.args)
                    self.assertEqual(english, chinese, f"{file}:{call.lineno}")


def sources() -> Iterator[tuple[Path, ast.AST]]:
    for file in sorted(PACKAGE.rglob("*.py")):
        yield file, ast.parse(file.read_text(encoding="utf-8"))


def calls(tree: ast.AST, wanted: set[str]) -> Iterator[ast.Call]:
    """Calls of functions and methods by their names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", None) or getattr(node.func, "attr", None)
            if name in wanted:
                yield node


def messages(tree: ast.AST) -> Iterator[tuple[int, ast.expr]]:
    """The texts that users see: of warnings, on the terminal and in exceptions."""
    for call in calls(tree, {"warn", "print", "_give_up", "_let_go", "failed", "say"}):
        yield call.lineno, call.args[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            for argument in node.exc.args:
                yield node.lineno, argument


def not_localized(text: ast.expr) -> list[str]:
    """The parts of a text outside of `localized`, as they are in the source. Signs such as ": " need no translation."""
    parts: list[ast.expr] = []
    if isinstance(text, ast.Call):
        name = getattr(text.func, "id", None)
        if name == "localized":
            return []
        parts = text.args if name in ENDINGS else []
    elif isinstance(text, ast.Constant):
        if not any(letter.isalpha() for letter in str(text.value)):
            return []
    elif isinstance(text, ast.JoinedStr):
        parts = text.values
    elif isinstance(text, ast.FormattedValue):
        parts = [text.value]
    elif isinstance(text, ast.BinOp):
        parts = [text.left, text.right]
    elif isinstance(text, ast.BoolOp):
        parts = text.values
    elif isinstance(text, ast.IfExp):
        parts = [text.body, text.orelse]
    return [found for part in parts for found in not_localized(part)] if parts else [ast.unparse(text)]


def names(text: ast.expr) -> set[str]:
    """The variables in a text."""
    return {node.id for node in ast.walk(text) if isinstance(node, ast.Name)}


if __name__ == "__main__":
    unittest.main()
