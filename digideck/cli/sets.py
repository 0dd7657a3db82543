"""``digideck sets``"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from digideck.cli.exits import Exit
from digideck.cli.options import Db, Json
from digideck.cli.output import command, counted, table
from digideck.cli.resolve import check_game
from digideck.schema.cards import CardIndex
from digideck.schema.database import open_to_read
from digideck.schema.facts import SetFacts, game_facts, set_facts


def run(
    game: Annotated[str, typer.Argument(metavar="[GAME]", help="Only the sets of this game.")] = "",
    check: Annotated[
        bool, typer.Option("--check", help="Exit with 1 if a set is known to be incomplete.")
    ] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """The column "printed" has the number of new cards that the sources give, "+" the
    reprints beside them, "known" the cards that are known to be in the set.
    "?" is unknown, which is not none.
    """
    with command("sets", json) as report:
        connection = open_to_read(db)
        index = CardIndex(connection)
        wanted = check_game(index, game)
        sets = list(set_facts(connection, wanted))
        report.data["sets"] = [asdict(entry) for entry in sets]
        header = ("game", "set", "name", "released", "printed", "+", "known")
        for line in table(map(_row, sets), header, right=(4, 5, 6)):
            report.say(line)
        report.say(counted(len(sets), "set"))
        for fact in game_facts(connection):
            if wanted in (None, fact.code) and fact.cards_without_set:
                report.say(
                    f"{fact.code}: the set of {fact.cards_without_set:,} of "
                    f"{counted(fact.cards, 'card')} is unknown"
                )
        if check and any(entry.complete is False for entry in sets):
            report.exit_code = Exit.NO


def _row(entry: SetFacts) -> tuple[object, ...]:
    return (
        entry.game,
        entry.code,
        entry.name_en or entry.name_ja or "?",
        entry.released or "?",
        "?" if entry.printed is None else entry.printed,
        entry.reprints or "",
        entry.known,
    )
