"""``digideck deck missing``"""

from __future__ import annotations

from typing import Annotated

import typer

from digideck.cli.options import Db, Encoding, Json
from digideck.cli.render.output import Report, command
from digideck.core.text import pluralize
from digideck.operations.decks.deck_request import DeckRequest
from digideck.operations.decks.missing_cards import DeckShortage, NeededCard, missing_cards


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
        request = DeckRequest(decks, format_name, encoding=encoding)
        found = missing_cards(request, exact=exact, db=db)
        report.show(found)
        for deck in found.decks:
            cards = pluralize(deck.cards, "card")
            what = f"{deck.missing} of {cards} missing" if deck.missing else "complete"
            report.say(f"{deck.file}: {what}")
            say_missing(report, deck)
        if len(found.decks) > 1:
            all_decks = pluralize(len(found.decks), "deck")
            report.say(f"{all_decks} at once: {pluralize(found.missing, 'card')} missing")


def say_missing(report: Report, deck: DeckShortage, most: int | None = None) -> None:
    """The cards that a deck is without, ``most`` lines of them."""
    lines = [line for line in deck.lines if line.missing]
    for line in lines[:most]:
        place = f", line {line.line}" if line.line else ""
        report.say(f"  {line.missing} of {line.count} x {line.card}{_others(line)}{place}")
    if len(lines) > len(lines[:most]):
        report.say(f"  and {len(lines) - len(lines[:most])} more (--limit 0 shows all)")


def _others(line: NeededCard) -> str:
    if not line.known:
        return " (not in the database)"
    if line.others > 1:
        return f" (or {line.others} other printings)"
    return " (or 1 other)" if line.others else ""
