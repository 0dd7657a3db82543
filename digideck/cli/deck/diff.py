"""``digideck deck diff``"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from digideck.cli.deck.deck_files import Decks, said_readings
from digideck.cli.options import Db, Encoding, Json
from digideck.cli.render.exits import Exit
from digideck.cli.render.output import command, pad
from digideck.core.text import STDIN, pluralize, width
from digideck.decks.analysis.diff import Change, difference
from digideck.decks.matched_deck import MatchedDeck
from digideck.decks.model import MAIN


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
        reader = Decks(db, encoding)
        decks = [reader.matched(report, path, format_name) for path in (first, second)]
        before, after = decks
        if before is None or after is None:
            report.exit_code = Exit.UNUSABLE
            return
        for deck in (before, after):
            said_readings(report, deck)
        found = difference(before, after)
        report.data = {
            "before": _deck_json(before),
            "after": _deck_json(after),
            "by_card": [_change_json(change) for change in found.cards],
            "by_name": [_change_json(change) for change in found.names],
        }
        report.say(f"{_described(before)} -> {_described(after)}")
        for title, changes in (("by card", found.cards), ("by name", found.names)):
            report.say(f"{title}:" if changes else f"{title}: the same")
            for line in _lines(changes):
                report.say(f"  {line}")
        if found.cards:
            report.say(f"{pluralize(found.taken_out, 'card')} out, {found.put_in} in")
            report.exit_code = Exit.NO


def _described(deck: MatchedDeck) -> str:
    return f"{deck.deck.file} ({deck.format}, {pluralize(_cards(deck), 'card')})"


def _cards(deck: MatchedDeck) -> int:
    return sum(entry.count for entry in deck.entries)


def _lines(changes: Sequence[Change]) -> Iterator[str]:
    titles = [
        change.title if change.zone == MAIN else f"{change.title} ({change.zone})"
        for change in changes
    ]
    columns = max(map(width, titles), default=0)
    for change, title in zip(changes, titles, strict=True):
        yield f"{change.by:+3}  {pad(title, columns)}  {change.before} -> {change.after}"


def _deck_json(deck: MatchedDeck) -> dict[str, Any]:
    return {
        "file": deck.deck.file,
        "game": deck.game.code,
        "format": deck.format,
        "cards": _cards(deck),
    }


def _change_json(change: Change) -> dict[str, Any]:
    return {
        "title": change.title,
        "zone": change.zone,
        "before": change.before,
        "after": change.after,
        "by": change.by,
    }
