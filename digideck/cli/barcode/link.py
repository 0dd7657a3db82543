"""``digideck barcode link``"""

from __future__ import annotations

from typing import Annotated

import typer

from digideck.cli.options import Db, GameOption, Json
from digideck.cli.render.output import command
from digideck.core.results import Answer
from digideck.operations.barcodes.link_barcodes import link_barcode


def run(
    code: Annotated[str, typer.Argument(metavar="CODE", help="A payload, or KIND:PAYLOAD.")],
    card: Annotated[str, typer.Argument(metavar="CARD", help="A number or a name.")],
    game: GameOption = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """KIND is EAN-13, EAN-8, UPC-A, UPC-E, Code 128, Code 39, Code 93, ITF, Codabar or
    QR, in any spelling (ean13, code128), or profile: bars that were enrolled, with
    the name that barcode list gives them. It may be left out of a code that was read;
    else 13, 12 or 8 digits are an EAN-13, UPC-A or EAN-8, and all else a Code 128.
    A code can be on several cards, and a card can have several codes.

    Exit codes: 1 a profile of bars is too like another card's, 3 no such card or code,
    4 several cards have this number or name.
    """
    with command("barcode link", json) as report:
        done = link_barcode(code, card, game=game, db=db)
        report.show(done)
        if done.answer is Answer.OK:
            report.say(f"{done.shown} is {done.title}{'' if done.new else ', as it was before'}")
