"""How wide text is where every character has one column, or two."""

from __future__ import annotations

import unicodedata


def width(text: str) -> int:
    """Columns on a terminal: full-width characters take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )
