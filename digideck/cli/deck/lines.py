"""``digideck deck lines``"""

from __future__ import annotations

from typing import Annotated

import typer

from digideck.cli.options import Db, Encoding, Json
from digideck.cli.render.output import Report, command, print_exactly, printable
from digideck.operations.decks.deck_request import DeckRequest
from digideck.operations.decks.trace_lines import TracedLines, trace_lines


def run(
    decks: Annotated[
        list[str], typer.Argument(metavar="DECK...", help="Deck files; - is standard input.")
    ],
    format_name: Annotated[
        str, typer.Option("--format", "-f", metavar="FORMAT", help="The format of the decks.")
    ] = "",
    graph: Annotated[
        str, typer.Option(help="Print the lines for a drawing program: mermaid or dot.")
    ] = "",
    encoding: Encoding = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """For each Digimon of a deck: what in the deck it can evolve from, by the
    requirements on the card; and what can never come into play. That is advice,
    not a rule. What the data gives only as a phrase is listed as "cannot tell".
    """
    with command("deck lines", json) as report:
        if graph not in ("", "mermaid", "dot"):
            raise typer.BadParameter("one of: mermaid, dot", param_hint="--graph")
        found = trace_lines(DeckRequest(decks, format_name, encoding=encoding), db)
        report.show(found)
        if not graph:
            _say(report, found)
        for deck in found.decks if graph and not json else ():
            drawn = deck.dot() if graph == "dot" else deck.mermaid()
            print_exactly(printable("".join(f"{line}\n" for line in drawn)))


def _say(report: Report, lines: TracedLines) -> None:
    for deck in lines.decks:
        report.say(f"{deck.file}:")
        for line in deck.tree():
            report.say(f"  {line}")
        for playable, heading in (
            ("no", "never comes into play, as far as the lists of requirements go"),
            ("unknown", "cannot tell"),
        ):
            found = [card for card in deck.cards if card.playable == playable]
            if found:
                report.say(f"  {heading}:")
            for card in found:
                report.say(f"    {card.count} {card.title}: {card.reason}")
