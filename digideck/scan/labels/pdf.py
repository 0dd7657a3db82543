"""Sheets of labels as PDF, by reportlab."""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Iterable
from itertools import groupby
from typing import Any

from digideck.scan.labels.layout import LabelPage, TextLine

_MM = 72 / 25.4
# Fonts that PDF viewers bring themselves: nothing is embedded, and no font has to ship.
# Some viewers have no Latin or Greek in their Japanese one.
_LATIN, _LATIN_BOLD, _GREEK, _JAPANESE = "Helvetica", "Helvetica-Bold", "Symbol", "HeiseiKakuGo-W5"


def as_pdf(pages: Iterable[LabelPage]) -> bytes:
    """``pages`` as one document that asks to be printed in its true size."""
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont
    from reportlab.pdfgen.canvas import Canvas

    pdfmetrics.registerFont(UnicodeCIDFont(_JAPANESE))
    made = io.BytesIO()
    canvas = Canvas(made, invariant=True)
    canvas.setTitle("Labels")
    canvas.setViewerPreference("PrintScaling", "None")
    for page in pages:
        width, height = page.size
        canvas.setPageSize((width * _MM, height * _MM))
        boxes = canvas.beginPath()
        for box in page.boxes:
            boxes.rect(
                box.x * _MM,
                (height - box.y - box.height) * _MM,
                box.width * _MM,
                box.height * _MM,
            )
        canvas.drawPath(boxes, stroke=0, fill=1)
        for line in page.texts:
            _write(canvas, line, height)
        canvas.showPage()
    canvas.save()
    return made.getvalue()


def unshown(text: str) -> str:
    """The characters of ``text`` that none of the fonts has: a plain letter stands for them."""
    return "".join(char for char in text if _family(char) is None)


def _write(canvas: Any, line: TextLine, page_height: float) -> None:
    """Write a line, each part of it in the font that has its characters."""
    from reportlab.pdfbase.pdfmetrics import stringWidth

    size = line.size * _MM
    shown = "".join(map(_shown, line.text))
    parts = [
        ("".join(part), _LATIN_BOLD if family == _LATIN and line.bold else str(family))
        for family, part in groupby(shown, key=_family)
    ]
    widths = [stringWidth(part, font, size) for part, font in parts]
    x = line.x * _MM - (sum(widths) / 2 if line.centred else 0)
    for (part, font), width in zip(parts, widths, strict=True):
        canvas.setFont(font, size)
        canvas.drawString(x, (page_height - line.y) * _MM, part)
        x += width


def _shown(char: str) -> str:
    """``char``, else its letter without the accent, else a question mark."""
    if _family(char):
        return char
    letter = unicodedata.normalize("NFKD", char)[0]
    return letter if _family(letter) else "?"


def _family(char: str) -> str | None:
    if _can(char, "cp1252"):
        return _LATIN
    if "Α" <= char <= "ω":
        return _GREEK
    return _JAPANESE if _can(char, "cp932") else None


def _can(char: str, encoding: str) -> bool:
    try:
        char.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
