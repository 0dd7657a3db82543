"""Sets with what is known of them, and the numbers that no known card has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import CardIndex
from digideck.catalog.set_gaps import Gap, series_gaps, set_gaps
from digideck.catalog.sets import GameFacts, SetFacts, game_facts, set_facts
from digideck.core.results import Answer, Result, json_field
from digideck.schema.connection import closing_connections, open_to_read


@dataclass(frozen=True, slots=True)
class SetRow:
    """A set. ``missing``: how many numbers of its range no known card has; None: unknown."""

    facts: SetFacts = field(metadata={"json": ""})
    missing: int | None


@dataclass(frozen=True, slots=True)
class SetList(Result):
    """Sets in their order; ``gaps`` only where they were asked for, in ``gap_runs`` by the
    set or series that they are in.
    """

    sets: tuple[SetRow, ...]
    gaps: tuple[Gap, ...] | None = json_field("gaps", optional=True)
    gap_runs: tuple[tuple[str, tuple[Gap, ...]], ...] = json_field(None)
    games: tuple[GameFacts, ...] = json_field(None)
    answer: Answer = json_field(None, default=Answer.OK, kw_only=True)


@closing_connections()
def list_sets(
    game: str = "", *, check: bool = False, gaps: bool = False, db: Path | None = None
) -> SetList:
    """The sets of a game, or of all. With ``check`` the answer is no if a set is known to
    be incomplete.
    """
    connection = open_to_read(db)
    index = CardIndex(connection)
    wanted = check_game(index, game)
    missing = set_gaps(connection, wanted)
    rows = tuple(
        SetRow(entry, _total(missing.get((entry.game, entry.code))))
        for entry in set_facts(connection, wanted)
    )
    runs = tuple(_runs(index, wanted, missing)) if gaps else ()
    incomplete = any(row.facts.complete is False for row in rows)
    return SetList(
        rows,
        tuple(gap for _, run in runs for gap in run) if gaps else None,
        runs,
        tuple(fact for fact in game_facts(connection) if wanted in (None, fact.code)),
        answer=Answer.NO if check and incomplete else Answer.OK,
    )


def _total(gaps: list[Gap] | None) -> int | None:
    return None if gaps is None else sum(gap.count for gap in gaps)


def _runs(
    index: CardIndex, game: str | None, missing: dict[tuple[str, str], list[Gap] | None]
) -> Iterator[tuple[str, tuple[Gap, ...]]]:
    """The gaps of each set, then those of each series of numbers."""
    for (set_game, code), found in missing.items():
        if found:
            yield f"{set_game} {code}", tuple(found)
    for code in [game] if game else index.games:
        for series, highest, found in series_gaps(index.connection, code):
            if found:
                yield f"{code} {series} up to {highest}", tuple(found)
