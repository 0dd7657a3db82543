"""The statistics of a deck as an SVG picture, complete in itself: no fonts, links or scripts."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from digideck.decks.analysis.stats import UNKNOWN, Bar, Bars, DeckStats, NameCopies, Spans

_SIZE = 13  # of the letters, in pixels
_ROW = 20
_BAR = 170  # the longest
_GAP = 28  # between sections and around everything
_FONTS = (
    "'Noto Sans','Noto Sans CJK JP','Hiragino Sans','Yu Gothic',Meiryo,'DejaVu Sans',sans-serif"
)
_INK, _PALE, _FILL, _UNKNOWN_FILL = "#222222", "#666666", "#2f6fb0", "#a8a8a8"
_NARROW = frozenset("iljtfrI.,:;'!|()[] ")
_WIDE = frozenset("MWmw@%&")


@dataclass(frozen=True)
class _Section:
    """A drawn part: its size in pixels, and its elements with the origin at its corner."""

    width: float
    height: float
    elements: tuple[str, ...]


def picture(shown: DeckStats) -> str:
    """The SVG document."""
    sections = [_bars(bars.title, bars.cards, _average(bars)) for bars in shown.counts]
    sections += [_table(spans) for spans in shown.figures]
    sections.append(_copies(shown.names) if shown.names else _listed("No cards", ()))
    if shown.nothing_known:
        sections.append(_listed("Not known of any card", shown.nothing_known))
    columns = _columns(sections)
    widths = [max(section.width for section in column) for column in columns]
    heading = shown.name or shown.file
    below = f"{shown.format or shown.game}, {shown.cards} cards{shown.zones_text}"
    total = max(sum(widths) + _GAP * (len(widths) + 1), text_width(heading) * 1.6 + 2 * _GAP)
    top = 2 * _GAP + 1.5 * _ROW
    height = top + max(sum(section.height + _GAP for section in column) for column in columns)
    body = [
        _text(_GAP, _GAP + 12, heading, size=20, weight="bold"),
        _text(_GAP, _GAP + 34, below, fill=_PALE),
        *_placed(columns, widths, top),
    ]
    return _document(heading, total, height, body)


def text_width(text: str) -> float:
    """The room that ``text`` needs in any of the fonts, in pixels: an upper estimate."""
    return _SIZE * sum(map(_advance, text))


def _advance(char: str) -> float:
    """The width of a character in ems, that of a wide font."""
    if unicodedata.combining(char):
        return 0
    if char in _WIDE or not char.isascii():
        return 1
    if char in _NARROW:
        return 0.42
    return 0.78 if char.isupper() else 0.65


def _columns(sections: Sequence[_Section]) -> list[list[_Section]]:
    """The sections in two columns, each put where there is more room."""
    columns: list[list[_Section]] = [[], []]
    heights = [0.0, 0.0]
    for section in sections:
        place = 0 if heights[0] <= heights[1] else 1
        columns[place].append(section)
        heights[place] += section.height + _GAP
    return [column for column in columns if column]


def _placed(
    columns: Sequence[Sequence[_Section]], widths: Sequence[float], top: float
) -> Iterator[str]:
    left = float(_GAP)
    for column, width in zip(columns, widths, strict=True):
        down = top
        for section in column:
            yield f'<g transform="translate({left:g},{down:g})">'
            yield from section.elements
            yield "</g>"
            down += section.height + _GAP
        left += width + _GAP


def _bars(title: str, rows: Sequence[Bar], note: str = "") -> _Section:
    label_width = max(text_width(bar.value) for bar in rows)
    most = max(bar.cards for bar in rows) or 1
    elements = [_text(0, _SIZE, title, weight="bold")]
    if note:
        elements.append(_text(text_width(title) + 16, _SIZE, note, fill=_PALE))
    for place, bar in enumerate(rows, start=1):
        line = place * _ROW + 4
        length = _BAR * bar.cards / most
        fill = _UNKNOWN_FILL if bar.value == UNKNOWN else _FILL
        elements.append(_text(label_width, line + _SIZE, bar.value, anchor="end"))
        elements.append(
            f'<rect x="{label_width + 8:g}" y="{line + 2:g}" width="{length:g}" '
            f'height="{_ROW - 6}" fill="{fill}"/>'
        )
        elements.append(_text(label_width + length + 14, line + _SIZE, str(bar.cards)))
    width = max(label_width + _BAR + 45, text_width(title) + 16 + text_width(note))
    return _Section(width, (len(rows) + 1) * _ROW + 4, tuple(elements))


def _average(bars: Bars) -> str:
    return f"average {bars.average.text(ends=False)}" if bars.average else ""


def _table(spans: Spans) -> _Section:
    rows = [("", "cards", *spans.columns)]
    rows += [
        (row.value, str(row.cards), *(span.text() for span in row.figures.values()))
        for row in spans.rows
    ]
    widths = [max(map(text_width, column)) for column in zip(*rows, strict=True)]
    elements = [_text(0, _SIZE, spans.title, weight="bold")]
    for place, row in enumerate(rows, start=1):
        right = 0.0
        for cell, width in zip(row, widths, strict=True):
            right += width
            if cell:
                fill, down = _PALE if place == 1 else _INK, place * _ROW + 4 + _SIZE
                elements.append(_text(right, down, cell, anchor="end", fill=fill))
            right += 16
    total = max(sum(widths) + 16 * len(widths), text_width(spans.title))
    return _Section(total, (len(rows) + 1) * _ROW + 4, tuple(elements))


def _copies(copies: Iterable[NameCopies]) -> _Section:
    return _bars("Copies by name", [Bar(entry.name, entry.copies) for entry in copies])


def _listed(title: str, lines: Sequence[str]) -> _Section:
    elements = [_text(0, _SIZE, title, weight="bold")]
    elements += [
        _text(0, place * _ROW + 4 + _SIZE, line, fill=_PALE)
        for place, line in enumerate(lines, start=1)
    ]
    width = max(map(text_width, (title, *lines)))
    return _Section(width, (len(lines) + 1) * _ROW + 4, tuple(elements))


def _text(
    x: float,
    y: float,
    text: str,
    *,
    size: int = _SIZE,
    weight: str = "normal",
    anchor: str = "start",
    fill: str = _INK,
) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" font-weight="{weight}" '
        f'text-anchor="{anchor}" fill="{fill}">{escape(_allowed(text))}</text>'
    )


def _allowed(text: str) -> str:
    """``text`` without the characters that no XML document may hold."""
    return "".join(
        char
        for char in text
        if char in "\t\n\r" or (ord(char) >= 0x20 and not 0xD800 <= ord(char) <= 0xDFFF)
        if ord(char) not in (0xFFFE, 0xFFFF)
    )


def _document(title: str, width: float, height: float, body: Sequence[str]) -> str:
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f"aria-label={quoteattr(_allowed(title))} font-family={quoteattr(_FONTS)}>",
        f"<title>{escape(_allowed(title))}</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        *body,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"
