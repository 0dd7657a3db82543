"""``digideck deck show``"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Optional

import typer

from digideck.cli.options import Db, Encoding, FromForm, Json
from digideck.cli.render.output import command, pad, styled, table
from digideck.core.text import STDIN, pluralize, width
from digideck.operations.decks.deck_request import DeckRequest
from digideck.operations.decks.show_decks import ShownDeck, show_decks

_LONGEST = 40  # of a bar, in characters


def run(
    decks: Annotated[
        list[str], typer.Argument(metavar="DECK...", help="Deck files; - is standard input.")
    ],
    format_name: Annotated[
        str, typer.Option("--format", "-f", metavar="FORMAT", help="The format of the decks.")
    ] = "",
    svg: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option("--svg", metavar="FILE", help="Write a picture of the same here."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the picture if it is there already.")
    ] = False,
    from_form: FromForm = "",
    encoding: Encoding = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Cards by kind and level, the curves and groups of the game, the attacks of each
    battle type against the others, numbers by level, and copies by the name that
    they are counted by. "?" is unknown, which is left out of averages.
    """
    with command("deck show", json) as report:
        if svg and str(svg) == STDIN:
            raise typer.BadParameter("name a file to write", param_hint="--svg")
        if svg and len(decks) > 1:
            raise typer.BadParameter("a picture is of one deck", param_hint="--svg")
        request = DeckRequest(decks, format_name, from_form, encoding)
        found = show_decks(request, svg=svg, force=force, db=db)
        report.show(found)
        for deck in found.decks:
            for line in _lines(deck):
                report.say(line)
            if svg:
                report.say(f"picture: {svg}")


def _lines(shown: ShownDeck) -> Iterator[str]:
    name = f"{shown.name}, " if shown.name else ""
    cards = pluralize(shown.cards, "card")
    yield styled(f"{shown.file}: {name}{shown.format}, {cards}{shown.zones_text}", "good")
    if shown.unknown_cards:
        yield f"  not in the database: {pluralize(shown.unknown_cards, 'card')}"
    label_width = max((width(bar.value) for bars in shown.counts for bar in bars.cards), default=0)
    for bars in shown.counts:
        yield f"  {bars.title}{bars.note}"
        scale = max(1.0, max(bar.cards for bar in bars.cards) / _LONGEST)
        for bar in bars.cards:
            drawn = "#" * (max(1, round(bar.cards / scale)) if bar.cards else 0)
            yield f"    {pad(bar.value, label_width)}  {bar.cards:3}  {drawn}".rstrip()
    for spans in shown.figures:
        yield f"  {spans.title}"
        rows = [
            (row.value, row.cards, *(span.text() for span in row.figures.values()))
            for row in spans.rows
        ]
        header = ("", "cards", *spans.columns)
        for line in table(rows, header, right=range(1, len(header))):
            yield f"    {line}"
    if shown.nothing_known:
        yield f"  Not known of any card: {', '.join(shown.nothing_known)}"
    yield "  Copies by name"
    name_width = max((width(entry.name) for entry in shown.names), default=0)
    for entry in shown.names:
        parts = ", ".join(f"{card.count} {card.card}" for card in entry.cards)
        yield f"    {pad(entry.name, name_width)}  {entry.copies:2}  {parts}"
