"""How much of each set is owned."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from digideck.catalog.advice import set_meant
from digideck.catalog.arguments import check_game, sets_called, the_game
from digideck.catalog.cards import Card, CardIndex
from digideck.collection.set_progress import SetProgress, progress, worth_showing
from digideck.collection.wants import collected_sets
from digideck.core.codes import Code
from digideck.core.problems import input_error
from digideck.core.results import Answer, Result, json_field
from digideck.schema.connection import closing_connections, open_to_read
from digideck.schema.games.game import games_meant


@dataclass(frozen=True, slots=True)
class ProgressRow:
    """A set, or a series of numbers whose set is unknown. ``missing`` are the cards that are
    not owned, where they were asked for; None elsewhere is unknown.
    """

    game: str
    set: str | None
    series: str | None
    name: str | None
    printed: int | None
    known: int
    owned: int | None
    copies: int
    spares: int
    share: float | None
    may_be_more: bool
    complete: bool | None
    missing: tuple[str, ...] | None = json_field("missing", optional=True)
    counted: SetProgress = json_field(None)
    missing_cards: tuple[Card, ...] = json_field(None)


@dataclass(frozen=True, slots=True)
class CollectionProgress(Result):
    """The sets and series asked about."""

    sets: tuple[ProgressRow, ...]
    answer: Answer = json_field(None, default=Answer.OK, kw_only=True)


@closing_connections()
def measure_progress(
    what: str = "",
    *,
    everything: bool = False,
    missing: bool = False,
    check: bool = False,
    db: Path | None = None,
) -> CollectionProgress:
    """The sets of a game, one set, or all in which something is owned (``everything``: also
    the others). With ``check`` the answer is no if one of them is not complete.
    """
    index = CardIndex(open_to_read(db))
    game, codes = _scope(index, what)
    found = progress(index.connection, game)
    if codes:
        found = [entry for entry in found if (entry.game, entry.code) in codes]
    elif not everything:
        found = list(worth_showing(found, collected_sets(index.connection)))
    rows = tuple(_row(index, entry, missing=missing) for entry in found)
    return CollectionProgress(rows, answer=_answer(found) if check else Answer.OK)


def _answer(found: list[SetProgress]) -> Answer:
    complete = {entry.complete for entry in found}
    return Answer.NO if False in complete else Answer.UNDECIDED if None in complete else Answer.OK


def _scope(index: CardIndex, what: str) -> tuple[str | None, set[tuple[str, str]]]:
    """The game meant, or the sets."""
    if not what or index.game_called(what):
        return check_game(index, what), set()
    codes = set(sets_called(index, what))
    if not codes and games_meant(index.games.values(), what):
        return the_game(index, what), set()
    if not codes:
        known = ", ".join(index.games)
        raise input_error(
            Code.SET_UNKNOWN,
            f"no game and no set is called {what!r}",
            allowed=known,
            next_step=f"a game ({known}), or a set: {set_meant(index.connection, what)}",
        )
    return None, codes


def _row(index: CardIndex, entry: SetProgress, *, missing: bool) -> ProgressRow:
    share = entry.share
    cards = tuple(index.by_ids(entry.missing)) if missing else ()
    return ProgressRow(
        entry.game,
        entry.code if entry.is_set else None,
        None if entry.is_set else entry.code,
        entry.name or None,
        entry.printed,
        entry.known,
        None if share is None else entry.owned,
        entry.copies,
        entry.spares,
        None if share is None else round(share, 4),
        entry.may_be_more,
        entry.complete,
        tuple(card.key for card in cards) if missing else None,
        entry,
        cards,
    )
