"""``digideck barcode labels``"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from digideck.cli.options import Db, GameOption, Json
from digideck.cli.render.output import command
from digideck.cli.render.progress import Progress
from digideck.core.text import pluralize
from digideck.operations.barcodes.print_labels import LabelsAsked, print_labels


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
        asked = LabelsAsked(
            out,
            cards or (),
            query,
            decks or (),
            sheet_name,
            code,
            language,
            each,
            skip,
            force,
            game,
        )
        with Progress(quiet=json) as progress:
            done = print_labels(asked, db=db, progress=progress.show)
        report.show(done)
        report.say(
            f"{', '.join(done.files)}: {pluralize(done.labels, 'label')} on "
            f"{pluralize(done.sheets, 'sheet')} ({done.says}); {pluralize(done.new, 'new link')}"
            if done.labels
            else "no labels to print"
        )
