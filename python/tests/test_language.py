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
        for file, tree in sources():
            for place, message in messages(tree):
                self.assertEqual(plain_words(message), [], f"{file}:{place} has one language")

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
    for call in calls(tree, {"warn", "print", "_give_up", "_let_go", "failed"}):
        yield call.lineno, call.args[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            for argument in node.exc.args:
                yield node.lineno, argument


def plain_words(text: ast.expr) -> list[str]:
    """Words outside of `localized`. A value and nothing around it, as `f"{name}: {error!r}"`, has none."""
    if isinstance(text, ast.Constant):
        return [str(text.value)] if any(letter.isalpha() for letter in str(text.value)) else []
    if isinstance(text, ast.JoinedStr):
        return [word for part in text.values if isinstance(part, ast.Constant) for word in plain_words(part)]
    if isinstance(text, (ast.BinOp, ast.BoolOp, ast.IfExp)):
        # The condition of an `if` is no text.
        nodes = [text.body, text.orelse] if isinstance(text, ast.IfExp) else ast.iter_child_nodes(text)
        parts = [part for part in nodes if isinstance(part, ast.expr)]
        return [word for part in parts for word in plain_words(part)]
    return []


def names(text: ast.expr) -> set[str]:
    """The variables in a text."""
    return {node.id for node in ast.walk(text) if isinstance(node, ast.Name)}


if __name__ == "__main__":
    unittest.main()
