"""``digideck barcode list``"""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from digideck.cli.options import Db, GameOption, Json
from digideck.cli.render.output import command, table
from digideck.core.text import pluralize
from digideck.operations.barcodes.link_barcodes import list_barcodes


def run(
    words: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads the annotation at run time
        typer.Argument(metavar="[CARD|CODE]...", help="Only the links of these."),
    ] = None,
    game: GameOption = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Exit code 1: there are no such links."""
    with command("barcode list", json) as report:
        listed = list_barcodes(*(words or ()), game=game, db=db)
        report.show(listed)
        if listed.links:
            rows = [(row.shown, row.card, row.title, row.source) for row in listed.links]
            for line in table(rows, ("code", "card", "name", "from")):
                report.say(line)
            report.say(pluralize(len(rows), "link"))
