"""The batches of the ledger with their entries, the newest first."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import CardIndex
from digideck.catalog.lookup import meant_by, not_one
from digideck.collection.ledger import history
from digideck.core.codes import Code
from digideck.core.problems import InputError, input_error
from digideck.core.results import Listing, Result
from digideck.operations.collection.holding_rows import HoldingChange, change_rows
from digideck.schema.connection import closing_connections, open_to_read


@dataclass(frozen=True, slots=True)
class HistoryBatch:
    """What one command did; ``undone_by`` is the batch that took it back and holds."""

    batch: int
    made_at: str
    command: str
    about: str
    undoes: int | None
    undone_by: int | None
    entries: tuple[HoldingChange, ...]


@dataclass(frozen=True, slots=True)
class History(Result):
    """Some of the batches, and how many there are."""

    batches: Listing[HistoryBatch]


@closing_connections()
def show_history(
    cards: Sequence[str] = (),
    *,
    since: str = "",
    limit: int | None = None,
    game: str = "",
    db: Path | None = None,
) -> History:
    """The newest batches, ``limit`` of them (None: all), of all cards or of those that
    ``cards`` can mean, with the entries of these alone. ``since``: 2026, 2026-11, 2026-11-30.
    """
    index = CardIndex(open_to_read(db))
    if since and not _is_start_of_time(since):
        raise input_error(
            Code.BAD_DATE, f"{since!r} is not a date", next_step="write it as 2026-11-30"
        )
    ids = _ids(index, cards, check_game(index, game)) if cards else None
    found = history(index.connection, ids, since, limit)
    rows = tuple(
        HistoryBatch(
            batch.id,
            batch.made_at,
            batch.command,
            batch.summary,
            batch.undoes,
            batch.undone_by,
            change_rows(index, ((entry.holding, entry.count) for entry in entries)),
        )
        for batch, entries in found.rows
    )
    return History(Listing(rows, found.total))


def _is_start_of_time(text: str) -> bool:
    try:
        datetime.date.fromisoformat(text + "-01" if len(text) == 7 else text)
    except ValueError:
        return len(text) == 4 and text.isascii() and text.isdigit()
    return len(text) in (7, 10)


def _ids(index: CardIndex, texts: Sequence[str], game: str | None) -> list[int]:
    """Every card that the texts can mean: the history of a name is that of all its cards."""
    found: list[int] = []
    for text in texts:
        meant = meant_by(index, text, game)
        if not meant.cards:
            raise InputError(not_one(index, text, meant, game))
        found += [card.id for card in meant.cards]
    return found
