"""``digideck collection buildable``"""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from digideck.cli.deck.missing import say_missing
from digideck.cli.options import Db, Encoding, Json
from digideck.cli.render.output import command
from digideck.cli.render.paging import MOST_NAMED, page
from digideck.core.text import pluralize
from digideck.operations.decks.deck_request import DeckRequest
from digideck.operations.decks.missing_cards import buildable_decks


def run(
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="A folder with deck files.")],
    exact: Annotated[
        bool, typer.Option("--exact", help="Only the very number serves where one is written.")
    ] = False,
    format_name: Annotated[
        str, typer.Option("--format", "-f", metavar="FORMAT", help="The format of the decks.")
    ] = "",
    limit: Annotated[
        Optional[int],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option(
            "--limit",
            metavar="N",
            min=0,
            help=f"Print N missing cards of a deck; 0: all. {MOST_NAMED} on a terminal.",
        ),
    ] = None,
    encoding: Encoding = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Each deck by itself, from all that is owned: the complete ones first, then
    those that lack the fewest cards, with what is missing. To build several at
    once: digideck deck missing.

    Exit code 1: a deck lacks cards.
    """
    with command("collection buildable", json) as report:
        request = DeckRequest((), format_name, encoding=encoding)
        found = buildable_decks(folder, request, exact=exact, db=db)
        report.show(found)
        for deck in found.decks:
            word = f"{deck.missing} of {deck.cards} missing" if deck.missing else "complete"
            report.say(f"{word}: {deck.file} ({deck.format}, {deck.cards} cards)")
            say_missing(report, deck, page(limit, report, MOST_NAMED))
        report.say(f"{found.complete} of {pluralize(len(found.decks), 'deck')} can be built")
