"""Sheets of labels: what is on them is on the paper, and on its own label."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest

from digideck.catalog.cards import Card, CardIndex
from digideck.core.problems import Problem
from digideck.scan.decode.symbologies import Symbology
from digideck.scan.labels.layout import MARGIN, Label, LabelPage, TextLine, pages
from digideck.scan.labels.payload import label_code
from digideck.scan.labels.pdf import unshown
from digideck.scan.labels.sheets import SHEETS, Sheet
from digideck.scan.labels.svg import as_svg
from digideck.scan.store.links import Barcode

LONG = "Omnimon: Merciful Mode of the Very Long & Winding Name"
LABELS = [
    Label(Symbology.QR, "alpha/Dα-001", "Dα-001", "アグモン（２００６アニメ版）"),
    Label(Symbology.QR, "dcg/BT1-010", "BT1-010", LONG),
]
ALL = pytest.mark.parametrize("sheet", SHEETS.values(), ids=SHEETS)


@ALL
def test_labels_lie_on_the_page_and_not_on_each_other(sheet: Sheet) -> None:
    for starts, size, page in zip((sheet.lefts, sheet.tops), sheet.label, sheet.page, strict=True):
        assert starts[0] >= 0
        assert starts[-1] + size <= page
        assert all(after - before >= size - 1e-6 for before, after in pairwise(starts))


@ALL
def test_what_is_drawn_stays_on_its_label(sheet: Sheet) -> None:
    for label in LABELS:
        (page,) = pages([label], sheet)
        left, top = sheet.lefts[0], sheet.tops[0]
        right, bottom = left + sheet.label[0], top + sheet.label[1]
        code = [box for box in page.boxes if box.height != 4 and box.width != 4]  # no cutting marks
        assert code
        assert page.texts
        for box in code:
            assert left <= box.x <= box.x + box.width <= right
            assert top <= box.y <= box.y + box.height <= bottom
        for text in page.texts:
            assert top < text.y - text.size * 0.8
            assert text.y <= bottom
            assert left <= text.x <= right


def printed_width(text: TextLine) -> float:
    """How wide a PDF prints a line, in mm; what is in no Latin font is one em wide at most."""
    from reportlab.pdfbase.pdfmetrics import stringWidth

    font = "Helvetica-Bold" if text.bold else "Helvetica"
    latin = "".join(char for char in text.text if char.encode("cp1252", "ignore"))
    return stringWidth(latin, font, text.size) + text.size * (len(text.text) - len(latin))


def shipped(sheet: Sheet, index: CardIndex, language: str = "%") -> Iterator[tuple[str, LabelPage]]:
    """Every name that ships, on a label beside its code and on one below it."""
    rows = index.connection.execute(
        """SELECT number, name FROM card JOIN card_name ON card_id = id
           WHERE language LIKE ? GROUP BY name""",
        (language,),
    ).fetchall()
    assert len(rows) > (3_000 if language == "%" else 500)
    for kind in Symbology.QR, Symbology.CODE_128:
        for number, name in rows:
            # The same code for all: it is the text that is looked at.
            (page,) = pages([Label(kind, "A", number, name)], sheet)
            yield name, page


@ALL
def test_no_name_that_ships_is_printed_beyond_its_label(sheet: Sheet, index: CardIndex) -> None:
    left, right = sheet.lefts[0], sheet.lefts[0] + sheet.label[0]
    for name, page in shipped(sheet, index):
        for text in page.texts:
            width = printed_width(text)
            begin = text.x - width / 2 if text.centred else text.x
            assert left + MARGIN <= begin + 1e-6, name
            assert begin + width <= right - MARGIN + 1e-6, name


@ALL
def test_where_a_name_that_ships_is_cut_is_an_ellipsis(sheet: Sheet, index: CardIndex) -> None:
    for name, page in shipped(sheet, index):
        number, *lines = (text.text for text in page.texts)
        assert number, name
        if lines:  # there is room for more than the number
            whole = "".join("".join(lines).split()) == "".join(name.split())
            assert whole or any(line.endswith("…") for line in lines), name
            last = "".join(lines[-1].split())
            assert last.endswith("…") or "".join(name.split()).endswith(last), name


@ALL
def test_no_line_of_a_japanese_name_begins_with_what_belongs_to_the_one_before(
    sheet: Sheet, index: CardIndex
) -> None:
    for name, page in shipped(sheet, index, "ja"):
        for text in page.texts:
            assert text.text[0] not in "ーッャュョァィゥェォヮ゛゜）」、。：！)", name


@ALL
def test_every_label_of_a_full_sheet_is_there(sheet: Sheet) -> None:
    drawn = list(pages(LABELS * sheet.labels, sheet, skip=1))
    assert len(drawn) == 3
    numbers = [text.text for page in drawn for text in page.texts if text.bold]
    assert numbers == [label.number for label in LABELS] * sheet.labels


def test_a_for_alpha_is_refused_where_it_is_another_card(index: CardIndex) -> None:
    (alpha,) = index.by_number("Dα-001", "alpha")
    sheet = SHEETS["l7160"]
    code = label_code(index, alpha, Symbology.CODE_128, sheet)
    assert isinstance(code, Barcode)
    assert code.payload == "alpha/Da-001"
    twin = Twins(index.connection, replace(alpha, id=0, number="Da-001"))
    problem = label_code(twin, alpha, Symbology.CODE_128, sheet)
    assert isinstance(problem, Problem)
    assert "alpha/Da-001 is another card" in problem.message
    kana = replace(alpha, number="ア-001")
    problem = label_code(index, kana, Symbology.CODE_128, sheet)
    assert isinstance(problem, Problem)
    assert problem.next_step == "add --code qr"
    code = label_code(index, kana, Symbology.QR, sheet)
    assert isinstance(code, Barcode)
    assert code.payload == "alpha/ア-001"


class Twins(CardIndex):
    """Cards, and one more of some number."""

    def __init__(self, connection: sqlite3.Connection, twin: Card) -> None:
        super().__init__(connection)
        self.twin = twin

    def by_number(self, number: str, game: str | None = None) -> list[Card]:
        return [self.twin] if number == self.twin.number else super().by_number(number, game)


def test_names_are_text_not_markup() -> None:
    (page,) = pages(LABELS[1:], SHEETS["sleeve"])
    assert "&amp; Winding" in as_svg(page)


def test_what_no_font_of_a_pdf_has_is_known() -> None:
    assert unshown("Dα-001 Agumon ＆ アグモン（Ⅲ）é") == ""
    assert unshown("Rā 가") == "ā가"
