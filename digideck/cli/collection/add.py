"""``digideck collection add``"""

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
    """Every CARD is a number (St-1, BT1-003_P1), a name, or game/number@edition, and
    may be followed by a COUNT: digideck collection add St-1 3 Bo-12 --condition NM.
    All of them are added in one batch, or none if one is refused.

    Exit codes: 3 a card is unknown, 4 a text can be any of several cards.
    """
    with command("collection add", json) as report:
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
        change(report, index, "add", requests, given, Planner.add)
