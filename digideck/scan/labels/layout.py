"""What is drawn on a sheet: boxes and lines of text, for every kind of file alike."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from digideck.scan.decode.symbologies import Symbology
from digideck.scan.labels.modules import Modules, modules
from digideck.scan.labels.sheets import Sheet

MARGIN = 1.5  # mm inside a label: sheets are fed a little askew
FINEST = 0.19  # mm a module: below it home printers and phones fail
FINE = 0.25  # below it a code wants a good printer
_LARGEST = {Symbology.CODE_128: 0.5, Symbology.QR: 0.8}  # a larger module reads no better
_BARS_HIGH = 16.0
_GAP = 1.5  # between the code and the text
_SIZES = [size / 10 for size in range(36, 18, -2)]  # mm, of text
_ONE_LINE = _SIZES[:6]  # a name that needs smaller ones is broken
_LEADING = 1.2
# The widths of letters that are not as wide as most.
_EMS = {
    char: width
    for chars, width in (
        (" !'(),-./:;[]|Ifijlt", 0.34),
        ("&ABCDEGHKNOPQRSUVXYw", 0.78),
        ("%MWm", 0.95),
        ("@", 1.02),
    )
    for char in chars
}
# What belongs to the character before it: long marks, small kana, marks that close.
_NEVER_FIRST = frozenset(
    "ーァィゥェォッャュョヮヵヶぁぃぅぇぉっゃゅょゎ゛゜ヽヾゝゞ々・"
    "）」』】〉》］｝、。，．：；！？％…)]!?,.:;%"
)
_MARK = 4.0  # the length of a cutting mark
_LINE = 0.1


@dataclass(frozen=True, slots=True)
class Label:
    """What one label carries."""

    kind: Symbology
    payload: str
    number: str
    name: str


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A black box, in mm from the upper left corner of the page."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of text on its base line; ``x`` is its left end, or its middle if ``centred``."""

    x: float
    y: float
    size: float
    text: str
    centred: bool
    bold: bool = False


@dataclass(frozen=True, slots=True)
class LabelPage:
    """A sheet to print."""

    size: tuple[float, float]
    boxes: list[Rectangle] = field(default_factory=list)
    texts: list[TextLine] = field(default_factory=list)


def pages(labels: Sequence[Label], sheet: Sheet, skip: int = 0) -> Iterator[LabelPage]:
    """The labels on as many sheets as it takes, the first ``skip`` places left empty."""
    rest = iter(labels)
    places = [(left, top) for top in sheet.tops for left in sheet.lefts]
    while some := list(islice(rest, len(places) - skip)):
        page = LabelPage(sheet.page)
        if sheet.cut:
            page.boxes.extend(_marks(sheet))
        for label, (left, top) in zip(some, places[skip:], strict=False):
            _draw(page, label, left, top, sheet.label)
        yield page
        skip = 0


def module_size(kind: Symbology, payload: str, sheet: Sheet) -> float:
    """How wide the thinnest bar of a code is printed on a label, in mm."""
    return _module(modules(kind, payload), sheet.label)


def _module(code: Modules, label: tuple[float, float]) -> float:
    """As large as the label allows, the text beside or below the code."""
    width, height = label[0] - 2 * MARGIN, label[1] - 2 * MARGIN
    across = code.size[0] + 2 * code.quiet
    if code.kind is Symbology.QR:
        width = min(width, height) if _is_wide(label) else min(width, height / 2)
    return min(width / across, _LARGEST[code.kind])


def _is_wide(label: tuple[float, float]) -> bool:
    return label[0] > label[1]


def _draw(
    page: LabelPage, label: Label, left: float, top: float, size: tuple[float, float]
) -> None:
    code = modules(label.kind, label.payload)
    module = _module(code, size)
    if code.kind is Symbology.QR and _is_wide(size):
        side = (code.size[0] + 2 * code.quiet) * module
        _put_code(page, code, module, left + MARGIN, top + (size[1] - side) / 2, module)
        x = left + MARGIN + side
        room = Rectangle(x, top + MARGIN, left + size[0] - MARGIN - x, size[1] - 2 * MARGIN)
        _put_text(page, label, room, centred=False)
        return
    code_width = (code.size[0] + 2 * code.quiet) * module
    inner = size[1] - 2 * MARGIN
    if code.kind is Symbology.QR:
        high, used = module, code_width
    else:
        high = used = min(inner * 0.6, _BARS_HIGH)
    text_high = min(inner - used - _GAP, 12.0)
    y = top + (size[1] - used - _GAP - text_high) / 2
    _put_code(page, code, module, left + (size[0] - code_width) / 2, y, high)
    room = Rectangle(left + MARGIN, y + used + _GAP, size[0] - 2 * MARGIN, text_high)
    _put_text(page, label, room, centred=True)


def _put_code(
    page: LabelPage, code: Modules, module: float, x: float, y: float, high: float
) -> None:
    """Draw a code whose corner, quiet zone and all, is at (x, y)."""
    x += code.quiet * module
    if code.kind is Symbology.QR:
        y += code.quiet * module
    page.boxes.extend(
        Rectangle(x + column * module, y + row * high, length * module, high)
        for column, row, length in code.dark
    )


def _put_text(page: LabelPage, label: Label, room: Rectangle, *, centred: bool) -> None:
    """Number and name in ``room``, as large as they fit, in its middle."""
    size, lines = _set(label, room)
    most = max(1, int(room.height / (size * _LEADING) + 1e-6))
    lines = _kept(lines, most, room.width / size)
    high = len(lines) * size * _LEADING
    x = room.x + room.width / 2 if centred else room.x
    y = room.y + (room.height - high) / 2 + size
    for place, line in enumerate(lines):
        page.texts.append(
            TextLine(x, y + place * size * _LEADING, size, line, centred, bold=place == 0)
        )


def _set(label: Label, room: Rectangle) -> tuple[float, list[str]]:
    """The size of the text and its lines: a name in one line, else broken, else as small."""
    for fits_in_one, sizes in ((True, _ONE_LINE), (False, _SIZES)):
        for size in sizes:
            ems = room.width / size
            lines = [label.number, *([label.name] if fits_in_one else _wrapped(label.name, ems))]
            high = len(lines) * size * _LEADING
            if high <= room.height and all(_ems(line) <= ems for line in lines):
                return size, lines
    return size, lines


def _ems(text: str) -> float:
    """How wide a text is at most, in its size, in Helvetica or Arial, bold or not."""
    return sum(map(_em, text))


@functools.cache
def _em(char: str) -> float:
    if unicodedata.east_asian_width(char) in "WFA":
        return 1.0
    letter = unicodedata.normalize("NFKD", char)[0]  # without its accent
    return _EMS.get(letter, 0.62 if letter.isascii() else 1.0)


def _wrapped(text: str, ems: float) -> list[str]:
    """Lines of ``text``, broken at spaces and between full-width characters."""
    lines = [""]
    for part in _parts(text):
        if lines[-1] and _ems(lines[-1] + part.rstrip()) > ems:
            lines.append("")
        lines[-1] += part
    return [line.strip() for line in lines]


def _parts(text: str) -> Iterator[str]:
    """``text`` in the parts that stay on one line."""
    part = ""
    for char in text:
        if part and _breaks(part[-1], char):
            yield part
            part = ""
        part += char
    yield part


def _breaks(before: str, after: str) -> bool:
    """Whether a line can end between two characters."""
    if before == " ":
        return True
    return unicodedata.east_asian_width(before) == "W" and after not in _NEVER_FIRST


def _kept(lines: Sequence[str], most: int, ems: float) -> list[str]:
    """The first ``most`` lines inside the width; an ellipsis for what there is no room for."""
    kept = [_cut(line, ems) for line in lines[:most]]
    if 1 < most < len(lines):  # the first is the number, which is whole
        kept[-1] = _cut(f"{lines[most - 1]}…", ems)
    return kept


def _cut(text: str, ems: float) -> str:
    """``text``, its end dropped for an ellipsis where there is no room for it."""
    if _ems(text) <= ems:
        return text
    while text and _ems(text) + 1 > ems:
        text = text[:-1]
    return text.rstrip() + "…"


def _marks(sheet: Sheet) -> Iterator[Rectangle]:
    """Short lines at the edges of the page, outside the labels, to cut along."""
    (width, height), (label_width, label_height) = sheet.page, sheet.label
    lefts, tops = sheet.lefts, sheet.tops
    right, bottom = lefts[-1] + label_width, tops[-1] + label_height
    for x in [*lefts, right]:
        for y in (tops[0] - _MARK - 1, bottom + 1):
            yield Rectangle(x - _LINE / 2, max(0.0, min(y, height - _MARK)), _LINE, _MARK)
    for y in [*tops, bottom]:
        for x in (lefts[0] - _MARK - 1, right + 1):
            yield Rectangle(max(0.0, min(x, width - _MARK)), y - _LINE / 2, _MARK, _LINE)
