"""Sentences of the package follow the locale, as those of the program do."""

from __future__ import annotations

import ast
import os
import unittest
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

    def test_every_warning_has_both_languages(self) -> None:
        for file in PACKAGE.rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "warn":
                    is_plain = isinstance(node.args[0], (ast.Constant, ast.JoinedStr))
                    # A value and nothing around it, as `f"{name}: {error!r}"`, has no words.
                    words = [
                        part.value for part in getattr(node.args[0], "values", []) if isinstance(part, ast.Constant)
                    ]
                    has_words = any(any(letter.isalpha() for letter in str(word)) for word in words)
                    is_sentence = isinstance(node.args[0], ast.Constant) or has_words
                    self.assertFalse(is_plain and is_sentence, f"{file}:{node.lineno} warns in one language")


if __name__ == "__main__":
    unittest.main()
