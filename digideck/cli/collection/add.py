"""``digideck collection add``"""

from __future__ import annotations

from digideck.cli.collection.copy_options import Cards, ListFile, copy_options
from digideck.cli.options import Db, Encoding, GameOption, Json
from digideck.cli.render.changes import show_edit
from digideck.cli.render.output import command
from digideck.operations.collection.copy_details import NO_DETAILS, CopyDetails
from digideck.operations.collection.edit_collection import CopiesAsked, add_copies


@copy_options()
def run(
    cards: Cards = None,
    file: ListFile = "",
    details: CopyDetails = NO_DETAILS,
    game: GameOption = "",
    encoding: Encoding = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Every CARD is a number (St-1, BT1-003_P1), a name, or game/number@edition, and
    may be followed by a COUNT: digideck collection add St-1 3 Bo-12 --condition NM.
    All of them are added in one batch, or none if one is refused.

    Exit codes: 3 a card is unknown, 4 a text can be any of several cards.
    """
    with command("collection add", json) as report:
        asked = CopiesAsked(cards or (), file, details, game, encoding)
        show_edit(report, add_copies(asked, db=db))
