"""``digideck collection set``"""

from __future__ import annotations

from digideck.cli.collection.copy_options import (
    Cards,
    Condition,
    Finish,
    Language,
    ListFile,
    Note,
    Place,
    SetOption,
    Variant,
)
from digideck.cli.options import Db, Encoding, GameOption, Json
from digideck.cli.render.changes import show_edit
from digideck.cli.render.output import command
from digideck.operations.collection.copy_details import CopyDetails
from digideck.operations.collection.edit_collection import CopiesAsked, set_copies


def run(
    cards: Cards = None,
    file: ListFile = "",
    set_name: SetOption = None,
    variant: Variant = None,
    condition: Condition = None,
    language: Language = None,
    finish: Finish = None,
    place: Place = None,
    note: Note = None,
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
        details = CopyDetails(set_name, variant, condition, language, finish, place, note)
        asked = CopiesAsked(cards or (), file, details, game, encoding)
        show_edit(report, set_copies(asked, db=db))
