"""``digideck collection set``"""

from __future__ import annotations

from digideck.catalog.cards import CardIndex
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
    asked,
    details,
)
from digideck.cli.collection.edit_collection import change
from digideck.cli.options import Db, Encoding, GameOption, Json
from digideck.cli.render.output import command
from digideck.collection.holding_changes import Planner
from digideck.schema.connection import open_to_write


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
        index = CardIndex(open_to_write(db))
        given = details(
            set_name,
            variant=variant,
            condition=condition,
            language=language,
            finish=finish,
            place=place,
            note=note,
        )
        requests = asked(report, index, cards or [], file, encoding, game, set_name)
        change(report, index, "set", requests, given, Planner.set)
