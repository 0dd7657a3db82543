"""Text for people: how messages word numbers and paths, how wide text is on a terminal."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Sequence

STDIN = "-"
# Voicing marks typed behind their kana, which NFKC would set apart with a space.
_VOICING_MARKS = str.maketrans("゛゜", "\u3099\u309a")


def one_width(text: str) -> str:
    """``text`` with one width and one spelling of each letter and kana: NFKC."""
    return unicodedata.normalize("NFKC", text.translate(_VOICING_MARKS))


def pluralize(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: "1 card", "1,204 cards"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {plural or noun + 's'}"


def some_of(texts: Sequence[str], most: int = 3) -> str:
    """Several texts, or the first of them and how many more there are: "a, b, c and 2 more"."""
    shown = ", ".join(texts[:most])
    return f"{shown} and {len(texts) - most:,} more" if len(texts) > most else shown


def width(text: str) -> int:
    """Columns on a terminal: full-width characters take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def shown_path(path: str) -> str:
    """``path`` as messages name it; names that are not UTF-8 stay readable."""
    if path == STDIN:
        return "<stdin>"
    return os.fsencode(path).decode("utf-8", "backslashreplace")
