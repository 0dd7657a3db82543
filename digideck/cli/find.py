"""``digideck find``"""

from __future__ import annotations

from typing import Annotated

import typer

from digideck.cli.exits import Exit
from digideck.cli.options import Db, GameOption, Json
from digideck.cli.output import command, counted, table
from digideck.cli.resolve import check_game
from digideck.collection.ledger import counts
from digideck.schema.cards import CardIndex
from digideck.schema.database import open_to_read
from digideck.schema.facts import card_facts
from digideck.schema.problems import Problem, Severity


def run(
    words: Annotated[
        list[str], typer.Argument(metavar="WORD...", help="Parts of a name, or a number.")
    ],
    game: GameOption = "",
    limit: Annotated[int, typer.Option(min=1, help="The most cards to print.")] = 50,
    db: Db = None,
    json: Json = False,
) -> None:
    """Every WORD must be in the card's number or in one of its names, in any
    language and spelling: "war greymon", WarGreymon and ウォーグレイモン find the same.

    Exit code 1: nothing found.
    """
    with command("find", json) as report:
        index = CardIndex(open_to_read(db))
        wanted_game = check_game(index, game)
        found = index.search(words, wanted_game)
        shown = index.by_ids(found[:limit])
        facts = [card_facts(index.connection, card) for card in shown]
        owned = counts(index.connection, found[:limit])
        report.data = {
            "total": len(found),
            "cards": [fact.as_json() | {"owned": owned.get(fact.card.id, 0)} for fact in facts],
        }
        if not found:
            report.exit_code = Exit.NO
            text = " ".join(words)
            near = index.near_misses(text, wanted_game)
            report.problem(
                Problem(
                    "nothing-found",
                    Severity.ERROR,
                    f"no card matches {text!r}",
                    next_step=f"did you mean {', '.join(near)}?"
                    if near
                    else "try fewer letters, or a number",
                )
            )
            return
        rows = [
            (
                card.key,
                card.name,
                next((name.text for name in card.names if name.language == "ja"), ""),
                card.kind or "?",
                card.level or ("?" if card.kind == "Digimon" else ""),
                " ".join(entry.set_code for entry in fact.printings) or "?",
                owned.get(card.id, ""),
            )
            for card, fact in zip(shown, facts, strict=True)
        ]
        header = ("card", "name", "Japanese", "kind", "level", "sets", "owned")
        for line in table(rows, header, right=(6,)):
            report.say(line)
        rest = len(found) - len(shown)
        more = f", {rest:,} not shown (--limit {len(found)})" if rest else ""
        report.say(f"{counted(len(found), 'card')}{more}")
