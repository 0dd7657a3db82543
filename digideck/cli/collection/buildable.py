"""``digideck collection buildable``"""

from __future__ import annotations

from typing import Annotated

import typer

from digideck.cli.deck.missing import say_missing
from digideck.cli.options import Db, Encoding, Json
from digideck.cli.render.output import command
from digideck.core.text import pluralize
from digideck.operations.deck_request import DeckRequest
from digideck.operations.missing_cards import buildable_decks

_MOST_LINES = 5  # of a deck's missing cards, unless --all


def run(
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="A folder with deck files.")],
    exact: Annotated[
        bool, typer.Option("--exact", help="Only the very number serves where one is written.")
    ] = False,
    format_name: Annotated[
        str, typer.Option("--format", "-f", metavar="FORMAT", help="The format of the decks.")
    ] = "",
    everything: Annotated[
        bool, typer.Option("--all", help="Print every card that is missing.")
    ] = False,
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
            say_missing(report, deck, None if everything else _MOST_LINES)
        report.say(f"{found.complete} of {pluralize(len(found.decks), 'deck')} can be built")
