"""``digideck collection progress``"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from digideck.catalog.advice import set_meant
from digideck.catalog.arguments import check_game, sets_called
from digideck.catalog.cards import CardIndex
from digideck.cli.options import Db, Json
from digideck.cli.render.exits import Exit
from digideck.cli.render.output import Report, command, table
from digideck.collection.set_progress import Progress, progress, worth_showing
from digideck.collection.wants import collected_sets
from digideck.core.codes import Code
from digideck.core.problems import input_error
from digideck.core.text import pluralize
from digideck.schema.connection import open_to_read

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
        connection = open_to_read(db)
        index = CardIndex(connection)
        game, codes = _scope(index, what)
        found = progress(connection, game)
        if codes:
            found = [entry for entry in found if (entry.game, entry.code) in codes]
        elif not everything:
            found = list(worth_showing(found, collected_sets(connection)))
        report.data["sets"] = [_as_json(index, entry, missing) for entry in found]
        if not found:
            report.say("Nothing is owned yet of what this is about; --all shows every set.")
        rows = [_row(entry) for entry in found]
        header = ("game", "set", "name", "owned", "of", "spares", "", "%")
        if found:
            for line in table(rows, header, right=(3, 4, 5, 7), texts=(2,), spare=(6,)):
                report.say(line)
        if missing:
            for entry in found:
                _say_missing(report, index, entry)
        if check and not all(entry.complete for entry in found):
            report.exit_code = Exit.NO
            if all(entry.complete is not False for entry in found):
                report.exit_code = Exit.UNDECIDED


def _scope(index: CardIndex, what: str) -> tuple[str | None, set[tuple[str, str]]]:
    """The game meant, or the sets."""
    if not what or index.game_called(what):
        return check_game(index, what), set()
    codes = set(sets_called(index, what))
    if not codes:
        known, connection = ", ".join(index.games), index.connection
        raise input_error(
            Code.UNKNOWN_SET,
            f"no game and no set is called {what!r}",
            allowed=known,
            next_step=f"a game ({known}), or a set: {set_meant(connection, what)}",
        )
    return None, codes


def _row(entry: Progress) -> tuple[Any, ...]:
    share = entry.share
    more = "+" if entry.may_be_more else ""
    bar = "" if share is None else ("#" * int(share * _BAR)).ljust(_BAR, ".")
    of = "?" if entry.out_of is None else entry.out_of
    unsure = "" if entry.printed is not None or entry.out_of is None else " known"
    return (
        entry.game,
        entry.code,
        entry.name or ("?" if entry.is_set else ""),
        "?" if share is None else f"{entry.owned}{more}",
        f"{of}{unsure}",
        entry.spares or "",
        bar,
        _percent(entry),
    )


def _percent(entry: Progress) -> str:
    share = entry.share
    if share is None:
        return "?"
    shown = "<1" if 0 < share < 0.01 else str(int(share * 100))
    return shown + ("+" if entry.may_be_more else "")


def _as_json(index: CardIndex, entry: Progress, missing: bool) -> dict[str, Any]:
    share = entry.share
    found: dict[str, Any] = {
        "game": entry.game,
        "set": entry.code if entry.is_set else None,
        "series": None if entry.is_set else entry.code,
        "name": entry.name or None,
        "printed": entry.printed,
        "known": entry.known,
        "owned": None if share is None else entry.owned,
        "copies": entry.copies,
        "spares": entry.spares,
        "share": None if share is None else round(share, 4),
        "may_be_more": entry.may_be_more,
        "complete": entry.complete,
    }
    if missing:
        found["missing"] = [card.key for card in index.by_ids(entry.missing)]
    return found


def _say_missing(report: Report, index: CardIndex, entry: Progress) -> None:
    report.say()
    unknown = (entry.printed or 0) - entry.known
    others = f"; {pluralize(unknown, 'card')} of it not known here" if unknown > 0 else ""
    report.say(
        f"{entry.game} {entry.code}: {pluralize(len(entry.missing), 'card')} missing{others}"
    )
    for card in index.by_ids(entry.missing):
        report.say(f"  {card.written_number}  {card.name}")
