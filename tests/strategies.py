"""Inputs for the property tests: names, numbers, deck lines and files nobody would write."""

from __future__ import annotations

import unicodedata

from hypothesis import strategies as st

from digideck.core.numbers import NumberShapes

# Every way of separating words that Unicode and copying from PDF have to offer.
SPACES = " \u00a0\u2002\u2009\u3000"
DASHES = "-‐‑‒–—−－"

HALF_KANA = {unicodedata.normalize("NFKC", chr(code)): chr(code) for code in range(0xFF61, 0xFFA0)}

names = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@st.composite
def printed_numbers(draw: st.DrawFn, shapes: NumberShapes) -> str:
    """A number of one of the game's shapes."""
    template = draw(st.sampled_from(shapes.templates))
    result = ""
    while template:
        run = len(template) - len(template.lstrip("#"))
        if run == 1:
            result += str(draw(st.integers(1, 9999)))
        elif run:
            result += str(draw(st.integers(0, 10**run - 1))).zfill(run)
        else:
            result += template[0]
        template = template[run or 1 :]
    return result


def full_width(text: str) -> str:
    """``text`` with its ASCII as the full-width forms."""
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


def half_width(text: str) -> str:
    """``text`` with half-width kana, their voicing marks behind them, and plain ASCII."""
    wide = unicodedata.normalize("NFKC", text)
    kana = (unicodedata.normalize("NFD", char) if "ァ" <= char <= "ヺ" else char for char in wide)
    return "".join(HALF_KANA.get(char, char) for char in "".join(kana))


@st.composite
def respelled(draw: st.DrawFn, text: str) -> str:
    """``text`` in other letters that mean the same: case, width, spaces."""
    for change in draw(st.lists(st.sampled_from([str.lower, str.upper, full_width]), max_size=2)):
        text = change(text)
    space = draw(st.sampled_from(SPACES))
    return draw(st.sampled_from(["", space])) + text.replace(" ", space) + space
