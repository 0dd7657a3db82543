"""``digideck collection set``"""

from __future__ import annotations

from digideck.cli.collection.copy_options import Cards, ListFile, copy_options
from digideck.cli.options import Db, Encoding, GameOption, Json
from digideck.cli.render.changes import show_edit
from digideck.cli.render.output import command
from digideck.operations.collection.copy_details import NO_DETAILS, CopyDetails
from digideck.operations.collection.edit_collection import CopiesAsked, set_copies


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
    """The entries that are missing are added to the ledger, or their opposite. The
    options tell which copies are meant; without them, all copies of the card.
    A count of 0 takes them all away.

    Exit code 4: copies differ and the options leave it open which ones to change.
    """
    with command("collection set", json) as report:
        asked = CopiesAsked(cards or (), file, details, game, encoding)
        show_edit(report, set_copies(asked, db=db))
