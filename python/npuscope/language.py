"""Sentences in the language of the process's locale, as those of the command line."""

from __future__ import annotations

from npuscope import _npuscope


def localized(english: str, chinese: str) -> str:
    """One of two texts: the Chinese one if LC_ALL, LC_MESSAGES or LANG is Chinese."""
    return chinese if _npuscope.is_chinese() else english
