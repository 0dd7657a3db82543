"""``digideck deck lines``"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from digideck.catalog.evolution import Evolution, Tristate
from digideck.cli.deck.deck_files import Decks
from digideck.cli.options import Db, Encoding, Json
from digideck.cli.render.exits import Exit
from digideck.cli.render.output import Report, command, print_exactly, printable
from digideck.decks.analysis.lines import Lines, Member, evolution_lines, graphviz, mermaid, tree

GRAPHS = {"mermaid": mermaid, "dot": graphviz}


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
        if graph and graph not in GRAPHS:
            raise typer.BadParameter(f"one of: {', '.join(GRAPHS)}", param_hint="--graph")
        table = Decks(db, encoding)
        report.data["decks"] = []
        for path in decks:
            matched = table.matched(report, path, format_name)
            if matched is None:
                report.exit_code = Exit.UNUSABLE
                continue
            lines = evolution_lines(matched, Evolution(matched.game))
            report.data["decks"].append({"file": matched.deck.file, **_as_json(lines)})
            if graph:
                if not report.as_json:
                    drawn = "".join(f"{line}\n" for line in GRAPHS[graph](lines))
                    print_exactly(printable(drawn))
            else:
                _say(report, matched.deck.file, lines)


def _say(report: Report, file: str, lines: Lines) -> None:
    report.say(f"{file}:")
    for line in tree(lines):
        report.say(f"  {line}")
    for known, heading in (
        (Tristate.NO, "never comes into play, as far as the lists of requirements go"),
        (Tristate.UNKNOWN, "cannot tell"),
    ):
        found = [member for member in lines.members if member.playable is known]
        if found:
            report.say(f"  {heading}:")
            for member in found:
                report.say(f"    {member.count} {member.card.title}: {member.reason}")


def _as_json(lines: Lines) -> dict[str, Any]:
    return {
        "cards": [_member_json(member) for member in lines.members],
        "steps": [
            {
                "from": lines.members[step.source].card.key,
                "to": lines.members[step.target].card.key,
                "way": step.way.text,
                "kind": step.way.kind,
                "lacking": list(step.lacking),
            }
            for step in lines.steps
        ],
    }


def _member_json(member: Member) -> dict[str, Any]:
    return {
        "card": member.card.key,
        "name": member.card.name,
        "level": member.card.level,
        "count": member.count,
        "playable": member.playable.name.lower(),
        "reason": member.reason or None,
        "evolves_from": [way.text for way in member.ways],
    }
