"""``digideck barcode enrol``"""

from __future__ import annotations

from typing import Annotated

import typer

from digideck.cli.options import Db, GameOption, Json
from digideck.cli.render.output import command
from digideck.core.results import Answer
from digideck.operations.barcodes.enrol_barcode import enrol_barcode


def run(
    photo: Annotated[str, typer.Argument(metavar="PHOTO", help="A sharp picture of the bars.")],
    card: Annotated[str, typer.Argument(metavar="CARD", help="A number or a name.")],
    game: GameOption = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """For bars that no reader decodes, as those for the D-Scanner: keeps what they look
    like, so that scan photos proposes the card where it sees them again. Several photos
    of one card are better than one. A profile that is too like that of another card is
    refused, and so are bars that can be read. barcode export and import carry profiles
    as lines of text.

    Exit codes: 1 too like another card's, 3 no such card, no picture, no sharp bars in
    it or bars that can be read, 4 several cards have this number or name.
    """
    with command("barcode enrol", json) as report:
        done = enrol_barcode(photo, card, game=game, db=db)
        report.show(done)
        if done.answer is Answer.OK:
            before = "" if done.new else ", as it was before"
            report.say(
                f"{done.shown} is {done.card}  {done.name}{before}; "
                f"profiles of this card: {done.profiles}"
            )
