"""``digideck collection add``"""

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
from digideck.operations.collection.edit_collection import CopiesAsked, add_copies


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
        details = CopyDetails(set_name, variant, condition, language, finish, place, note)
        asked = CopiesAsked(cards or (), file, details, game, encoding)
        show_edit(report, add_copies(asked, db=db))
