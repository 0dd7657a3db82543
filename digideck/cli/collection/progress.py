"""``digideck collection progress``"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from digideck.cli.options import Db, Json
from digideck.cli.render.output import Report, command
from digideck.core.text import pluralize
from digideck.operations.collection.measure_progress import ProgressRow, measure_progress

_BAR = 20


def run(
    what: Annotated[
        str, typer.Argument(metavar="[GAME|SET]", help="Only this game, or only this set.")
    ] = "",
    everything: Annotated[
        bool, typer.Option("--all", help="Also sets of which nothing is owned.")
    ] = False,
    missing: Annotated[
        bool, typer.Option("--missing", help="List the cards that are missing.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Exit with 1 if a set shown is not complete.")
    ] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Each set in which something is owned or that is being collected: distinct cards
    owned of those printed, and the copies beyond one of each. Cards whose set is
    unknown are counted by the series of their number.

    A copy whose set is recorded counts in that set, another one in every set its
    card is in. "?" is unknown, which is not none; "+" means that cards are owned
    which may be of the set as well.
    """
    with command("collection progress", json) as report:
        found = measure_progress(what, everything=everything, missing=missing, check=check, db=db)
        report.show(found)
        if not found.sets:
            report.say("Nothing is owned yet of what this is about; --all shows every set.")
            return
        header = ("game", "set", "name", "owned", "of", "spares", "", "%")
        rows = map(_cells, found.sets)
        report.table(rows, header, right=(3, 4, 5, 7), texts=(2,), spare=(6,))
        for row in found.sets if missing else ():
            _say_missing(report, row)


def _cells(row: ProgressRow) -> tuple[Any, ...]:
    entry = row.counted
    share = entry.share
    more = "+" if entry.may_be_more else ""
    percent = "<1" if share and share < 0.01 else str(int((share or 0) * 100))
    unsure = "" if entry.printed is not None or entry.out_of is None else " known"
    return (
        entry.game,
        entry.code,
        entry.name or ("?" if entry.is_set else ""),
        "?" if share is None else f"{entry.owned}{more}",
        f"{'?' if entry.out_of is None else entry.out_of}{unsure}",
        entry.spares or "",
        "" if share is None else ("#" * int(share * _BAR)).ljust(_BAR, "."),
        "?" if share is None else percent + more,
    )


def _say_missing(report: Report, row: ProgressRow) -> None:
    report.say()
    unknown = (row.printed or 0) - row.known
    others = f"; {pluralize(unknown, 'card')} of it not known here" if unknown > 0 else ""
    missing = pluralize(len(row.missing_cards), "card")
    report.say(f"{row.game} {row.set or row.series}: {missing} missing{others}")
    for card in row.missing_cards:
        report.say(f"  {card.full_number}  {card.name}")
