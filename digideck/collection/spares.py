"""What decks take beside what is wanted, and what is left to spare."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import NamedTuple

from digideck.collection.allocation import Allocation, Needs
from digideck.collection.ledger import counts
from digideck.collection.wants import targets


class Spare(NamedTuple):
    """A card with more copies than wants and decks take."""

    card_id: int
    owned: int
    kept: int

    @property
    def spare(self) -> int:
        """The copies to give away."""
        return self.owned - self.kept


def allocate_kept(
    needs: Needs, owned: Mapping[int, int], kept: Mapping[int, int], *, buying: bool
) -> Allocation:
    """Copies allocated to decks, first those that are kept anyway.

    ``kept`` is what wants and sets take of each card. With ``buying`` the
    copies that are wanted count as if they were there, so that what the decks
    lack comes on top of the wants; else only what is owned is allocated.
    """
    anyway = {
        card: count if buying else min(count, owned.get(card, 0)) for card, count in kept.items()
    }
    allocation = Allocation(needs, anyway)
    allocation.allocate()
    allocation.more(owned)
    allocation.allocate()
    return allocation


def spares(connection: sqlite3.Connection, needs: Needs, keep: int) -> list[Spare]:
    """What is owned beyond wants, collected sets, decks that are built at once, and
    ``keep`` copies of every card.
    """
    owned = counts(connection)
    kept = dict.fromkeys(owned, keep)
    for card, (count, _) in targets(connection).items():
        kept[card] = max(count, keep)
    allocation = allocate_kept(needs, owned, kept, buying=False)
    found = [
        Spare(card, count, max(min(kept.get(card, 0), count), allocation.used(card)))
        for card, count in owned.items()
    ]
    return [entry for entry in found if entry.spare]
