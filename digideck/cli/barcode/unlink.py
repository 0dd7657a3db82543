"""``digideck barcode unlink``"""

from __future__ import annotations

from typing import Annotated

import typer

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import CardIndex
from digideck.catalog.lookup import one_card
from digideck.cli.options import Db, GameOption, Json
from digideck.cli.render.exits import Exit
from digideck.cli.render.output import command
from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity
from digideck.core.text import pluralize
from digideck.scan.store.links import cards_of, code_named, remove_links
from digideck.schema.connection import open_to_write, transaction


def run(
    code: Annotated[
        str, typer.Argument(metavar="CODE", help="A payload, KIND:PAYLOAD or profile:NAME.")
    ],
    card: Annotated[str, typer.Argument(metavar="[CARD]", help="Only its link to this card.")] = "",
    game: GameOption = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """What was entered by way of the link stays in the collection.

    Exit codes: 1 there is no such link, 3 no such card or profile, 4 several cards
    have this number or name.
    """
    with command("barcode unlink", json) as report:
        index = CardIndex(open_to_write(db))
        found = one_card(index, card, check_game(index, game)) if card else None
        meant = code_named(index.connection, code)
        with transaction(index.connection):
            before = index.by_ids(cards_of(index.connection, meant))
            gone = remove_links(index.connection, meant, found.id if found else None)
        removed = [other.key for other in before if found is None or other.id == found.id]
        report.data = {"code": meant.written, "removed": removed}
        if gone:
            report.say(f"{pluralize(gone, 'link')} forgotten: {meant.short}, {', '.join(removed)}")
            return
        report.exit_code = Exit.NO
        report.problem(
            Problem(
                Code.NO_LINK,
                Severity.ERROR,
                f"{meant.short} is not linked" + (f" to {found.title}" if found else ""),
                next_step="digideck barcode list shows the links",
            )
        )
