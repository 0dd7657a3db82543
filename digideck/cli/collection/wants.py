"""``digideck collection wants``"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Optional

import typer

from digideck.cli.options import Db, Encoding, GameOption, Json
from digideck.cli.render.output import Report, command
from digideck.core.text import pluralize
from digideck.operations.collection.want_cards import Wants, change_wants, list_wants
from digideck.operations.decks.deck_request import DeckRequest


def run(
    cards: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Argument(metavar="[CARD [COUNT]...]", help="Want so many of a card; 0: none."),
    ] = None,
    collect_sets: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--collect", metavar="SET", help="Want every card of this set."),
    ] = None,
    drop_sets: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--drop", metavar="SET", help="Collect this set no more."),
    ] = None,
    decks: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--deck", metavar="DECK", help="Also what this deck takes; may be repeated."),
    ] = None,
    game: GameOption = "",
    encoding: Encoding = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Without arguments: what is wanted and not owned, from what you said you want,
    from the sets you collect (one of each card), and from --deck (decks that are
    built at once). The count of a want is what you want to own in all.
    """
    with command("collection wants", json) as report:
        if not (cards or collect_sets or drop_sets):
            found = list_wants(DeckRequest(decks or (), encoding=encoding), game=game, db=db)
            report.show(found)
            _say_wants(report, found)
            return
        done = change_wants(
            cards or (),
            collect_sets=collect_sets or (),
            drop_sets=drop_sets or (),
            game=game,
            db=db,
        )
        if not decks or done.problems:
            report.show(done)
            _say_changes(report, done)
            return
        found = list_wants(DeckRequest(decks, encoding=encoding), game=game, db=db)
        report.show(replace(found, changes=done.changes))
        _say_changes(report, done)
        _say_wants(report, found)


def _say_changes(report: Report, done: Wants) -> None:
    if done.problems:
        report.say("Nothing was changed.")
    for change in done.changes:
        report.say(
            f"{change.card}  {change.name}: {change.wanted} wanted (before: {change.before})"
        )
    for entry in done.sets:
        kept = "collected" if entry.collected else "collected no more"
        report.say(f"{entry.game} {entry.set}: {kept}")


def _say_wants(report: Report, found: Wants) -> None:
    rows = [
        (row.missing, row.card, row.name, f"{row.owned} of {row.wanted}", ", ".join(row.why))
        for row in found.wants
    ]
    if rows:
        report.table(rows, ("get", "card", "name", "owned", "why"), right=(0,), texts=(2, 4))
    of_decks = [(row.missing, row.card, row.file) for row in found.decks]
    if of_decks:
        report.table(of_decks, ("get", "card or its like", "for deck"), right=(0,))
    report.say(f"{pluralize(found.copies or 0, 'copy', 'copies')} to get")
