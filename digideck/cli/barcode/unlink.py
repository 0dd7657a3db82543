"""``digideck barcode unlink``"""

from __future__ import annotations

from typing import Annotated

import typer

from digideck.cli.options import Db, GameOption, Json
from digideck.cli.render.output import command
from digideck.core.text import pluralize
from digideck.operations.barcodes.link_barcodes import unlink_barcode


def run(
    code: Annotated[
        str, typer.Argument(metavar="CODE", help="A payload, KIND:PAYLOAD or profile:NAME.")
    ],
    card: Annotated[str, typer.Argument(metavar="[CARD]", help="Only its link to this card.")] = "",
    game: GameOption = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """What was entered by way of the link stays in the collection.

    Exit codes: 1 there is no such link, 3 no such card or profile, 4 several cards
    have this number or name.
    """
    with command("barcode unlink", json) as report:
        done = unlink_barcode(code, card, game=game, db=db)
        report.show(done)
        if done.removed:
            gone = pluralize(len(done.removed), "link")
            report.say(f"{gone} forgotten: {done.shown}, {', '.join(done.removed)}")
