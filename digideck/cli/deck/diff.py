"""``digideck deck diff``"""

from __future__ import annotations

from typing import Annotated

import typer

from digideck.cli.options import Db, Encoding, Json
from digideck.cli.render.output import command, pad
from digideck.core.text import STDIN, pluralize, width
from digideck.operations.decks.compare_decks import ComparedDeck, compare_decks
from digideck.operations.decks.deck_request import DeckRequest


def run(
    first: Annotated[str, typer.Argument(metavar="A", help="A deck file; - is standard input.")],
    second: Annotated[str, typer.Argument(metavar="B", help="The deck to compare it with.")],
    format_name: Annotated[
        str, typer.Option("--format", "-f", metavar="FORMAT", help="The format of both decks.")
    ] = "",
    encoding: Encoding = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """What makes B of A, by card and by the name that copies are counted by. The two
    may be written in different ways: the cards are compared, not the lines.

    Exit codes: 0 the same cards, 1 different ones, 3 a file that cannot be read.
    """
    with command("deck diff", json) as report:
        if first == second == STDIN:
            raise typer.BadParameter("only one of the decks can be standard input", param_hint="B")
        request = DeckRequest((first, second), format_name, encoding=encoding)
        found = compare_decks(request, db)
        report.show(found)
        report.say(f"{_described(found.before)} -> {_described(found.after)}")
        for title, changes in (("by card", found.by_card), ("by name", found.by_name)):
            report.say(f"{title}:" if changes else f"{title}: the same")
            columns = max((width(change.shown) for change in changes), default=0)
            for change in changes:
                counts = f"{change.before} -> {change.after}"
                report.say(f"  {change.by:+3}  {pad(change.shown, columns)}  {counts}")
        if found.by_card:
            out = sum(-change.by for change in found.by_card if change.by < 0)
            put_in = sum(change.by for change in found.by_card if change.by > 0)
            report.say(f"{pluralize(out, 'card')} out, {put_in} in")


def _described(deck: ComparedDeck) -> str:
    return f"{deck.file} ({deck.format}, {pluralize(deck.cards, 'card')})"
