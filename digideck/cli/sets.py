"""``digideck sets``"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Annotated

import typer

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import CardIndex
from digideck.catalog.provenance import SetFacts, game_facts, set_facts
from digideck.catalog.set_gaps import Gap, series_gaps, set_gaps
from digideck.cli.options import Db, Json
from digideck.cli.render.exits import Exit
from digideck.cli.render.output import Report, command, table
from digideck.core.text import pluralize
from digideck.schema.connection import open_to_read


def run(
    game: Annotated[str, typer.Argument(metavar="[GAME]", help="Only the sets of this game.")] = "",
    check: Annotated[
        bool, typer.Option("--check", help="Exit with 1 if a set is known to be incomplete.")
    ] = False,
    gaps: Annotated[
        bool, typer.Option("--gaps", help="List the numbers that no known card has.")
    ] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """The column "printed" has the number of new cards that the sources give, "+" the
    reprints beside them, "known" the cards that are known to be in the set,
    "missing" how many numbers of its range no known card has.
    "?" is unknown, which is not none.

    With --gaps: the missing numbers of each set whose range is known, then those
    between the known numbers of each series. Whether the latter were all printed is
    not known.
    """
    with command("sets", json) as report:
        connection = open_to_read(db)
        index = CardIndex(connection)
        wanted = check_game(index, game)
        sets = list(set_facts(connection, wanted))
        missing = set_gaps(connection, wanted)
        report.data["sets"] = [
            asdict(entry) | {"missing": _missing(missing.get((entry.game, entry.code)))}
            for entry in sets
        ]
        if gaps:
            _say_gaps(report, connection, [wanted] if wanted else list(index.games), missing)
        else:
            _say_sets(report, connection, wanted, sets, missing)
        if check and any(entry.complete is False for entry in sets):
            report.exit_code = Exit.NO


def _say_sets(
    report: Report,
    connection: sqlite3.Connection,
    wanted: str | None,
    sets: list[SetFacts],
    missing: dict[tuple[str, str], list[Gap] | None],
) -> None:
    header = ("game", "set", "name", "released", "printed", "+", "known", "missing")
    rows = (_row(entry, missing.get((entry.game, entry.code))) for entry in sets)
    for line in table(rows, header, right=(4, 5, 6, 7), texts=(2,)):
        report.say(line)
    report.say(pluralize(len(sets), "set"))
    for fact in game_facts(connection):
        if wanted in (None, fact.code) and fact.cards_without_set:
            report.say(
                f"{fact.code}: the set of {fact.cards_without_set:,} of "
                f"{pluralize(fact.cards, 'card')} is unknown"
            )


def _row(entry: SetFacts, gaps: list[Gap] | None) -> tuple[object, ...]:
    missing = _missing(gaps)
    return (
        entry.game,
        entry.code,
        entry.name_en or entry.name_ja or "?",
        entry.released or "?",
        "?" if entry.printed is None else entry.printed,
        entry.reprints or "",
        entry.known,
        "?" if missing is None else missing,
    )


def _missing(gaps: list[Gap] | None) -> int | None:
    return None if gaps is None else sum(gap.count for gap in gaps)


def _say_gaps(
    report: Report,
    connection: sqlite3.Connection,
    games: list[str],
    missing: dict[tuple[str, str], list[Gap] | None],
) -> None:
    report.data["gaps"] = []
    for (game, code), found in missing.items():
        if found:
            _say_runs(report, f"{game} {code}", found)
    for game in games:
        for series, highest, found in series_gaps(connection, game):
            if found:
                _say_runs(report, f"{game} {series} up to {highest}", found)
    if not report.data["gaps"]:
        report.say("no gaps between the known numbers")


def _say_runs(report: Report, what: str, gaps: Iterable[Gap]) -> None:
    found = list(gaps)
    report.data["gaps"] += [asdict(gap) for gap in found]
    total = sum(gap.count for gap in found)
    report.say(f"{what}: {pluralize(total, 'unknown number')}")
    for line in _wrapped([gap.shown for gap in found]):
        report.say(f"  {line}")


def _wrapped(texts: list[str]) -> Iterator[str]:
    line = ""
    for text in texts:
        if line and len(line) + len(text) > 90:
            yield line
            line = ""
        line += f", {text}" if line else text
    if line:
        yield line
