"""Labels with codes of cards printed, and the codes linked to the cards."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, takewhile
from pathlib import Path

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import Card, CardIndex
from digideck.collection.vocabulary import normalize
from digideck.core.codes import Code
from digideck.core.optional_deps import require
from digideck.core.problems import Problem, RowError, Severity, input_error
from digideck.core.results import Answer, Result, json_field, worst
from digideck.core.suggestions import no_such
from digideck.core.text import pluralize, shown_path
from digideck.files.atomic_write import form_by_ending, refuse_unwritable, write_file
from digideck.operations.barcodes.label_cards import CardsToLabel
from digideck.operations.barcodes.share_links import NewLink
from digideck.scan.decode.symbologies import Symbology
from digideck.scan.labels.layout import FINE, Label, LabelPage, module_size, pages
from digideck.scan.labels.payload import label_code
from digideck.scan.labels.pdf import as_pdf, unshown
from digideck.scan.labels.sheets import SHEETS, Sheet
from digideck.scan.labels.svg import as_svg
from digideck.scan.store.links import Barcode, Link, add_links
from digideck.schema.connection import closing_connections, open_to_write, transaction

CODES = {"qr": Symbology.QR, "code128": Symbology.CODE_128}
LANGUAGES = {"en": "English", "ja": "Japanese", "dub": "dub"}
MOST_LABELS = 20_000  # at once, a minute's work: more is a slip
PDF, SVG = ".pdf", ".svg"


@dataclass(frozen=True, slots=True)
class LabelsAsked:
    """The file to write, .pdf or .svg, the cards, and how their labels are made.

    ``each``: labels for a card; ``skip``: labels of the first sheet that are used up.
    """

    out: Path
    cards: Sequence[str] = ()
    query: str = ""
    decks: Sequence[str] = ()
    sheet: str = "l7160"
    code: str = "qr"
    language: str = "en"
    each: int = 1
    skip: int = 0
    force: bool = False
    game: str = ""


@dataclass(frozen=True, slots=True)
class PrintedLabels(Result):
    """The files, what is on them, and how many links are new. ``says``: what the sheet is."""

    files: tuple[str, ...]
    sheet: str
    sheets: int
    labels: int
    cards: tuple[NewLink, ...]
    new: int
    says: str = json_field(None)
    answers: tuple[Answer, ...] = json_field(None)

    @property
    def answer(self) -> Answer:
        """No where a label is left out or nothing was found; the worst of all that is."""
        return worst(self.answers)


@closing_connections()
def print_labels(
    asked: LabelsAsked,
    *,
    db: Path | None = None,
    progress: Callable[[str, float | None], None] | None = None,
) -> PrintedLabels:
    """Write sheets of labels, and link each code to its card.

    Where a text can be any of several cards, nothing is printed.
    """
    _check_name(SHEETS, asked.sheet, "sheet")
    _check_name(CODES, asked.code, "code")
    language = _language(asked.language)
    sheet, kind = SHEETS[asked.sheet], CODES[asked.code]
    _check_skip(asked.skip, sheet)
    ending = _ending(asked.out)
    index = CardIndex(open_to_write(db))
    wanted = CardsToLabel(index, check_game(index, asked.game))
    wanted.add_named(asked.cards)
    if asked.query:
        wanted.add_found(asked.query)
    if asked.decks:
        wanted.add_decks(asked.decks)
    if not wanted.cards and not wanted.problems:
        raise input_error(Code.NO_CARDS, "no cards are named", next_step="name some, or --query")
    codes, left_out = _usable(index, wanted.cards, kind, sheet)
    _check_count(len(codes) * asked.each)
    labels = [
        Label(kind, code.payload, card.full_number, _name(card, language))
        for card, code in codes.items()
        for _ in range(asked.each)
    ]
    problems = [*wanted.problems, *left_out, *_fine(codes, kind, sheet)]
    problems += _other_names(list(codes), language)
    if ending == PDF:
        problems += _unshown(labels)
    sheets = math.ceil((asked.skip + len(labels)) / sheet.labels) if labels else 0
    drawn = _watched(pages(labels, sheet, asked.skip), sheets, progress)
    files = _write(asked, ending, drawn, sheets) if labels else []
    if files and ending == SVG:
        problems += _left_over(asked.out, sheets)
    with transaction(index.connection):
        links = [Link(code, card.id, "printed") for card, code in codes.items()]
        new = add_links(index.connection, links)
    return PrintedLabels(
        files=tuple(files),
        sheet=sheet.name,
        sheets=sheets,
        labels=len(labels),
        cards=tuple(NewLink(code.written, card.key) for card, code in codes.items()),
        new=new,
        says=sheet.says,
        answers=(*wanted.answers, *(Answer.NO for _ in left_out)),
        problems=tuple(problems),
    )


_NOT_CALLED_SO = {"sheet": Code.UNKNOWN_SHEET, "code": Code.UNKNOWN_CODE}


def _check_name(known: Iterable[str], name: str, what: str) -> None:
    if name not in known:
        code = _NOT_CALLED_SO.get(what, Code.UNKNOWN_LANGUAGE)
        raise no_such(code, f"no {what} is called {name!r}", name, known)


def _language(named: str) -> str:
    """The language of names that is called so; "jp" as for a collection."""
    try:
        language = normalize("language", named)
    except RowError:  # such as "dub", in which there are names but no cards
        language = named
    _check_name(LANGUAGES, language, "language")
    return language


def _check_count(labels: int) -> None:
    if labels > MOST_LABELS:
        raise input_error(
            Code.TOO_MANY_LABELS,
            f"{labels:,} labels at once, {MOST_LABELS:,} are the most",
            have=labels,
            allowed=MOST_LABELS,
            next_step="ask for fewer with --each, or for fewer cards",
        )


def _check_skip(skip: int, sheet: Sheet) -> None:
    if skip >= sheet.labels:
        raise input_error(
            Code.SHEET_USED_UP,
            f"the sheet {sheet.name} has {sheet.labels} labels, of which {skip} are to be skipped",
            have=skip,
            allowed=f"at most {sheet.labels - 1}",
            next_step="take a fresh sheet, without --skip",
        )


def _ending(out: Path) -> str:
    ending = form_by_ending(out, {PDF: PDF, SVG: SVG})
    if ending == PDF:
        require("reportlab", "labels", shown_path(str(out)), "writing PDF")
    return ending


def _usable(
    index: CardIndex, cards: Sequence[Card], kind: Symbology, sheet: Sheet
) -> tuple[dict[Card, Barcode], list[Problem]]:
    """The cards whose codes are free and fit, with these; what is wrong with the others."""
    found = {card: label_code(index, card, kind, sheet) for card in cards}
    codes = {card: code for card, code in found.items() if isinstance(code, Barcode)}
    return codes, [problem for problem in found.values() if isinstance(problem, Problem)]


def _fine(codes: dict[Card, Barcode], kind: Symbology, sheet: Sheet) -> Iterator[Problem]:
    fine = [card for card, code in codes.items() if module_size(kind, code.payload, sheet) < FINE]
    if fine:
        yield Problem(
            Code.CODE_FINE,
            Severity.WARNING,
            f"{pluralize(len(fine), 'code')} with bars below {FINE:g} mm, "
            f"such as that of {fine[0].key}",
            have=len(fine),
            next_step="print at 600 dpi or more, or with --code qr",
        )


def _name(card: Card, language: str) -> str:
    named = [name.text for name in card.names if name.language == language]
    return named[0] if named else card.name


def _other_names(cards: Sequence[Card], language: str) -> Iterator[Problem]:
    without = [
        card
        for card in cards
        if card.names and not any(name.language == language for name in card.names)
    ]
    if without:
        others = sorted({LANGUAGES[card.names[0].language] for card in without})
        yield Problem(
            Code.NO_SUCH_NAME,
            Severity.NOTE,
            f"{pluralize(len(without), 'card')} without the {LANGUAGES[language]} name, "
            f"such as {without[0].key}: the {' or '.join(others)} one is on the label",
            have=len(without),
        )


def _unshown(labels: Sequence[Label]) -> Iterator[Problem]:
    chars = sorted(set(unshown("".join(label.number + label.name for label in labels))))
    if chars:
        yield Problem(
            Code.NOT_SHOWN,
            Severity.WARNING,
            f"no font of a PDF has {' '.join(chars)}: plain letters or ? are in their place",
            have="".join(chars),
            next_step="write SVG: its viewer chooses the fonts",
        )


def _watched(
    drawn: Iterable[LabelPage], sheets: int, progress: Callable[[str, float | None], None] | None
) -> Iterator[LabelPage]:
    """The pages, each told before it is written."""
    for place, page in enumerate(drawn):
        if progress:
            progress(pluralize(sheets, "sheet"), place / sheets)
        yield page


def _write(asked: LabelsAsked, ending: str, drawn: Iterable[LabelPage], sheets: int) -> list[str]:
    """Write the sheets; the names of the files."""
    paths = [asked.out]
    if ending == SVG and sheets > 1:
        paths = [_sheet_path(asked.out, place) for place in range(1, sheets + 1)]
    for path in paths:  # all of them before the first is replaced
        refuse_unwritable(path, force=asked.force)
    if ending == PDF:
        write_file(asked.out, as_pdf(drawn), force=asked.force)
    else:
        for path, page in zip(paths, drawn, strict=True):
            write_file(path, as_svg(page), force=asked.force)
    return [shown_path(str(path)) for path in paths]


def _sheet_path(out: Path, place: int) -> Path:
    """The file of one sheet of several."""
    return out.with_stem(f"{out.stem}-{place}")


def _left_over(out: Path, sheets: int) -> Iterator[Problem]:
    """Sheets of an earlier and larger run would be printed with the new ones."""
    later = (_sheet_path(out, place) for place in count(sheets + 1 if sheets > 1 else 1))
    left = list(takewhile(os.path.lexists, later))
    if sheets > 1 and os.path.lexists(out):
        left.insert(0, out)
    if left:
        names = list(dict.fromkeys(shown_path(str(path)) for path in (left[0], left[-1])))
        yield Problem(
            Code.SHEETS_LEFT_OVER,
            Severity.NOTE,
            f"{pluralize(len(left), 'file')} of another run beside these: {' to '.join(names)}",
            have=len(left),
            next_step="delete what is old before you print",
        )
