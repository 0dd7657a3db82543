"""``digideck collection remove``"""

from __future__ import annotations

from typing import Annotated

import typer

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
    any_copies: Annotated[
        bool, typer.Option("--any", help="Whichever copies; those with the fewest details first.")
    ] = False,
    game: GameOption = "",
    encoding: Encoding = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """The options tell which copies are meant; without them, any. If copies differ and
    the options leave it open which to take, nothing is (exit code 4) unless --any.
    A blank option, such as --place "", means copies of which that is not recorded.

    Exit code 1: fewer copies are held than that; nothing is changed.
    """
    with command("collection remove", json) as report:
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
        change(
            report,
            index,
            "remove",
            requests,
            given,
            lambda planner, request: planner.remove(request, any_copies=any_copies),
        )
