"""``digideck sets``"""

from __future__ import annotations

import textwrap
from typing import Annotated

import typer

from digideck.cli.options import Db, Json
from digideck.cli.render.output import Report, command
from digideck.core.text import pluralize
from digideck.operations.cards.list_sets import SetList, SetRow, list_sets


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
    "inferred" for how many of these no source states it (it follows from the order of
    the numbers, and gives way to any list that states a set), "missing" how many numbers
    of its range no known card has. "?" is unknown, which is not none.

    With --gaps: the missing numbers of each set whose range is known, then those
    between the known numbers of each series. Whether the latter were all printed is
    not known.
    """
    with command("sets", json) as report:
        found = list_sets(game, check=check, gaps=gaps, db=db)
        report.show(found)
        if gaps:
            _say_gaps(report, found)
        else:
            _say_sets(report, found)


def _say_sets(report: Report, found: SetList) -> None:
    header = ("game", "set", "name", "released", "printed", "+", "known", "inferred", "missing")
    report.table(map(_row, found.sets), header, right=(4, 5, 6, 7, 8), texts=(2,))
    report.say(pluralize(len(found.sets), "set"))
    for fact in found.games:
        if fact.cards_without_set:
            report.say(
                f"{fact.code}: the set of {fact.cards_without_set:,} of "
                f"{pluralize(fact.cards, 'card')} is unknown"
            )


def _row(row: SetRow) -> tuple[object, ...]:
    entry = row.facts
    return (
        entry.game,
        entry.code,
        entry.name_en or entry.name_ja or "?",
        entry.released or "?",
        "?" if entry.printed is None else entry.printed,
        entry.reprints or "",
        entry.known,
        entry.inferred or "",
        "?" if row.missing is None else row.missing,
    )


def _say_gaps(report: Report, found: SetList) -> None:
    for title, gaps in found.gap_runs:
        total = sum(gap.count for gap in gaps)
        report.say(f"{title}: {pluralize(total, 'unknown number')}")
        listed = ", ".join(gap.shown for gap in gaps)
        for line in textwrap.wrap(listed, 92, break_long_words=False, break_on_hyphens=False):
            report.say(f"  {line}")
    if not found.gap_runs:
        report.say("no gaps between the known numbers")
