"""``digideck barcode labels``"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, takewhile
from pathlib import Path
from typing import Annotated, Optional

import typer

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import Card, CardIndex
from digideck.cli.barcode.label_cards import wanted_cards
from digideck.cli.options import Db, GameOption, Json
from digideck.cli.render.exits import Exit
from digideck.cli.render.output import Report, command
from digideck.cli.render.progress import Progress
from digideck.collection.vocabulary import normalize
from digideck.core.codes import Code
from digideck.core.optional_deps import needed
from digideck.core.problems import Problem, RowError, Severity, input_error
from digideck.core.suggestions import nearest
from digideck.core.text import pluralize, shown_path
from digideck.files.atomic_write import form_by_ending, refuse_unwritable, write_file
from digideck.scan.decode.symbologies import Symbology
from digideck.scan.labels.layout import FINE, Label, Page, module_size, pages
from digideck.scan.labels.payload import label_code
from digideck.scan.labels.sheets import SHEETS, Sheet
from digideck.scan.store.links import Barcode, Link, add_links
from digideck.schema.connection import open_to_write, transaction

CODES = {"qr": Symbology.QR, "code128": Symbology.CODE_128}
LANGUAGES = {"en": "English", "ja": "Japanese", "dub": "dub"}
MOST_LABELS = 20_000  # at once, a minute's work: more is a slip
PDF, SVG = ".pdf", ".svg"


def run(
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="The file: .pdf or .svg.")
    ],
    cards: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads the annotation at run time
        typer.Argument(metavar="[CARD]...", help="Numbers or names."),
    ] = None,
    query: Annotated[
        str, typer.Option("--query", metavar="QUERY", help="Also what find finds.")
    ] = "",
    decks: Annotated[
        Optional[list[str]],  # noqa: UP045 - as above
        typer.Option("--deck", metavar="DECK", help="Also a deck's cards; may be repeated."),
    ] = None,
    sheet_name: Annotated[
        str, typer.Option("--sheet", metavar="SHEET", help="The sheet of labels.")
    ] = "l7160",
    code: Annotated[str, typer.Option("--code", metavar="KIND", help="qr or code128.")] = "qr",
    language: Annotated[
        str, typer.Option("--language", metavar="LANGUAGE", help="Of the names: en, ja or dub.")
    ] = "en",
    each: Annotated[int, typer.Option("--each", min=1, help="Labels for each card.")] = 1,
    skip: Annotated[
        int, typer.Option("--skip", min=0, help="Labels of the first sheet that are used up.")
    ] = 0,
    force: Annotated[bool, typer.Option("--force", help="Overwrite FILE.")] = False,
    game: GameOption = "",
    db: Db = None,
    json: Json = False,
) -> None:
    r"""\b
    Sheets of labels to buy, and plain paper to cut:
      l7160   21 on A4        5160    30 on Letter    sleeve, sleeve-letter  card backs
      l7651   65 on A4        5167    80 on Letter    binder, binder-letter  9 pockets

    The code is the card's key, such as alpha/DM-013, and is linked to the card at
    once. Each card gets one label, however many copies a deck has. A PDF has a page
    a sheet; SVG is a file a sheet: labels-1.svg, labels-2.svg. Print in true size.

    Exit codes: 1 a label is left out, as its code is another card's or does not fit,
    or nothing matches the query; 3 no such card, or no such deck; 4 several cards
    have this number or name, and nothing is printed.
    """
    with command("barcode labels", json) as report:
        _check_name(SHEETS, sheet_name, "sheet")
        _check_name(CODES, code, "code")
        language = _language(language)
        sheet, kind = SHEETS[sheet_name], CODES[code]
        _check_skip(skip, sheet)
        ending = _ending(out)
        index = CardIndex(open_to_write(db))
        wanted = wanted_cards(
            report,
            index,
            named=cards or [],
            query=query,
            decks=decks or [],
            game=check_game(index, game),
            db=db,
        )
        if not wanted and not report.problems:
            raise input_error(
                Code.NO_CARDS, "no cards are named", next_step="name some, or --query"
            )
        codes = dict(_usable(report, index, wanted, kind, sheet))
        _check_count(len(codes) * each)
        labels = [
            Label(kind, codes[card].payload, card.written_number, _name(card, language))
            for card in codes
            for _ in range(each)
        ]
        _say_other_names(report, list(codes), language)
        if ending == PDF:
            _say_unshown(report, labels)
        sheets = math.ceil((skip + len(labels)) / sheet.labels) if labels else 0
        progress = Progress(quiet=json)
        drawn = _watched(pages(labels, sheet, skip), sheets, progress)
        try:
            files = _write(out, ending, drawn, sheets, force) if labels else []
        finally:
            progress.clear()
        if files and ending == SVG:
            _say_left_over(report, out, sheets)
        with transaction(index.connection):
            new = add_links(
                index.connection,
                [Link(code, card.id, "printed") for card, code in codes.items()],
            )
        report.data = {
            "files": files,
            "sheet": sheet.name,
            "sheets": sheets,
            "labels": len(labels),
            "cards": [{"card": card.key, "code": code.written} for card, code in codes.items()],
            "new": new,
        }
        report.say(
            f"{', '.join(files)}: {pluralize(len(labels), 'label')} on "
            f"{pluralize(sheets, 'sheet')} ({sheet.says}); {pluralize(new, 'new link')}"
            if labels
            else "no labels to print"
        )


_NOT_CALLED_SO = {"sheet": Code.UNKNOWN_SHEET, "code": Code.UNKNOWN_CODE}


def _check_name(known: Iterable[str], name: str, what: str) -> None:
    if name not in known:
        names = ", ".join(known)
        near = nearest(name, known)
        raise input_error(
            _NOT_CALLED_SO.get(what, Code.UNKNOWN_LANGUAGE),
            f"no {what} is called {name!r}",
            allowed=names,
            next_step=f"did you mean {', '.join(near)}?" if near else f"one of: {names}",
        )


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
        needed("reportlab", "labels", shown_path(str(out)), "writing PDF")
    return ending


def _usable(
    report: Report, index: CardIndex, cards: Sequence[Card], kind: Symbology, sheet: Sheet
) -> Iterator[tuple[Card, Barcode]]:
    """The cards whose codes are free and fit, with these; of the others is said why not."""
    fine: list[Card] = []
    for card in cards:
        code = label_code(index, card, kind, sheet)
        if isinstance(code, Problem):
            report.problem(code)
            report.ended(Exit.NO)
            continue
        if module_size(kind, code.payload, sheet) < FINE:
            fine.append(card)
        yield card, code
    if fine:
        report.problem(
            Problem(
                Code.CODE_FINE,
                Severity.WARNING,
                f"{pluralize(len(fine), 'code')} with bars below {FINE:g} mm, "
                f"such as that of {fine[0].key}",
                have=len(fine),
                next_step="print at 600 dpi or more, or with --code qr",
            )
        )


def _name(card: Card, language: str) -> str:
    named = [name.text for name in card.names if name.language == language]
    return named[0] if named else card.name


def _say_other_names(report: Report, cards: Sequence[Card], language: str) -> None:
    without = [
        card
        for card in cards
        if card.names and not any(name.language == language for name in card.names)
    ]
    if without:
        others = sorted({LANGUAGES[card.names[0].language] for card in without})
        report.problem(
            Problem(
                Code.NO_SUCH_NAME,
                Severity.NOTE,
                f"{pluralize(len(without), 'card')} without the {LANGUAGES[language]} name, "
                f"such as {without[0].key}: the {' or '.join(others)} one is on the label",
                have=len(without),
            )
        )


def _say_unshown(report: Report, labels: Sequence[Label]) -> None:
    from digideck.scan.labels.pdf import unshown

    chars = sorted(set(unshown("".join(label.number + label.name for label in labels))))
    if chars:
        report.problem(
            Problem(
                Code.NOT_SHOWN,
                Severity.WARNING,
                f"no font of a PDF has {' '.join(chars)}: plain letters or ? are in their place",
                have="".join(chars),
                next_step="write SVG: its viewer chooses the fonts",
            )
        )


def _watched(drawn: Iterable[Page], sheets: int, progress: Progress) -> Iterator[Page]:
    """The pages, with a bar that grows with them."""
    for place, page in enumerate(drawn):
        progress.show(pluralize(sheets, "sheet"), place / sheets)
        yield page


def _write(out: Path, ending: str, drawn: Iterable[Page], sheets: int, force: bool) -> list[str]:
    """Write the sheets; the names of the files."""
    paths = [out]
    if ending == SVG and sheets > 1:
        paths = [_sheet_path(out, place) for place in range(1, sheets + 1)]
    for path in paths:  # all of them before the first is replaced
        refuse_unwritable(path, force=force)
    if ending == PDF:
        from digideck.scan.labels.pdf import as_pdf

        write_file(out, as_pdf(drawn), force=force)
        return [shown_path(str(out))]
    from digideck.scan.labels.svg import as_svg

    for path, page in zip(paths, drawn, strict=True):
        write_file(path, as_svg(page), force=force)
    return [shown_path(str(path)) for path in paths]


def _sheet_path(out: Path, place: int) -> Path:
    """The file of one sheet of several."""
    return out.with_stem(f"{out.stem}-{place}")


def _say_left_over(report: Report, out: Path, sheets: int) -> None:
    """Sheets of an earlier and larger run would be printed with the new ones."""
    later = (_sheet_path(out, place) for place in count(sheets + 1 if sheets > 1 else 1))
    left = list(takewhile(os.path.lexists, later))
    if sheets > 1 and os.path.lexists(out):
        left.insert(0, out)
    if left:
        names = list(dict.fromkeys(shown_path(str(path)) for path in (left[0], left[-1])))
        report.problem(
            Problem(
                Code.SHEETS_LEFT_OVER,
                Severity.NOTE,
                f"{pluralize(len(left), 'file')} of another run beside these: {' to '.join(names)}",
                have=len(left),
                next_step="delete what is old before you print",
            )
        )
