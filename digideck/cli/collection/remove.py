"""``digideck collection remove``"""

from __future__ import annotations

from typing import Annotated

import typer

from digideck.cli.collection.copy_options import Cards, ListFile, copy_options
from digideck.cli.options import Db, Encoding, GameOption, Json
from digideck.cli.render.changes import show_edit
from digideck.cli.render.output import command
from digideck.operations.collection.copy_details import NO_DETAILS, CopyDetails
from digideck.operations.collection.edit_collection import CopiesAsked, remove_copies


@copy_options()
def run(
    cards: Cards = None,
    file: ListFile = "",
    details: CopyDetails = NO_DETAILS,
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
        asked = CopiesAsked(cards or (), file, details, game, encoding)
        show_edit(report, remove_copies(asked, any_copies=any_copies, db=db))
