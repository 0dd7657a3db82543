"""``digideck collection trades``"""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from digideck.cli.options import Db, Encoding, GameOption, Json
from digideck.cli.render.output import command
from digideck.core.text import pluralize
from digideck.operations.collection.holding_rows import shown_holdings
from digideck.operations.collection.list_trades import list_trades
from digideck.operations.decks.deck_request import DeckRequest


def run(
    decks: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option("--deck", metavar="DECK", help="Keep what this deck takes; may be repeated."),
    ] = None,
    keep: Annotated[int, typer.Option(min=0, help="Copies of every card to keep in any case.")] = 1,
    game: GameOption = "",
    encoding: Encoding = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """What is owned beyond what you want, one card of each set you collect, the
    --decks (built at once), and --keep of every card. Which copies to give away is
    yours to choose: all of a card's are listed.
    """
    with command("collection trades", json) as report:
        request = DeckRequest(decks or (), encoding=encoding)
        found = list_trades(request, keep=keep, game=game, db=db)
        report.show(found)
        rows = [
            (row.spare, row.card, row.name, row.owned, shown_holdings(row.holdings))
            for row in found.spares
        ]
        if rows:
            header = ("spare", "card", "name", "owned", "recorded")
            report.table(rows, header, right=(0, 3), texts=(2, 4))
        report.say(f"{pluralize(found.copies, 'copy', 'copies')} to spare")
