"""``digideck deck missing``"""

from __future__ import annotations

from typing import Annotated

import typer

from digideck.catalog.cards import CardIndex
from digideck.cli.deck.deck_files import deck_paths
from digideck.cli.deck.needs import DeckReader, card_keys, dealt, deck_json, say_missing
from digideck.cli.options import Db, Encoding, Json
from digideck.cli.render.exits import Exit
from digideck.cli.render.output import command
from digideck.core.text import pluralize
from digideck.schema.connection import open_to_read


def run(
    decks: Annotated[
        list[str],
        typer.Argument(metavar="DECK...", help="Deck files or folders; - is standard input."),
    ],
    exact: Annotated[
        bool, typer.Option("--exact", help="Only the very number serves where one is written.")
    ] = False,
    format_name: Annotated[
        str, typer.Option("--format", "-f", metavar="FORMAT", help="The format of the decks.")
    ] = "",
    encoding: Encoding = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Several decks are built at once: they share no copies, and these are dealt out
    so that the fewest are missing. Where the format counts copies by name, any
    card printed with the name serves; where it counts by number, the number.

    Exit code 1: something is missing.
    """
    with command("deck missing", json) as report:
        index = CardIndex(open_to_read(db))
        reader = DeckReader(report, index, format_name=format_name, encoding=encoding, exact=exact)
        found = reader.read(deck_paths(decks))
        supply = dealt(index, found)
        names = card_keys(found)
        report.data["decks"] = []
        first = total = 0
        for deck in found:
            entry = deck_json(deck, supply, first, names)
            report.data["decks"].append(entry)
            missing = entry["missing"]
            total += missing
            what = (
                f"{missing} of {pluralize(deck.cards, 'card')} missing" if missing else "complete"
            )
            report.say(f"{deck.deck.file}: {what}")
            say_missing(report, deck, supply, first)
            first += len(deck.needs)
        report.data["missing"] = total
        if len(found) > 1:
            report.say(
                f"{pluralize(len(found), 'deck')} at once: {pluralize(total, 'card')} missing"
            )
        if total:
            report.ended(Exit.NO)
