"""Holdings and their changes as rows of a result, with the card named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from digideck.catalog.cards import Card, CardIndex
from digideck.collection.ledger import DETAILS, Holding, counts
from digideck.core.text import some_of


@dataclass(frozen=True, slots=True)
class HoldingChange:
    """So many copies more or fewer; a detail that is not recorded is None."""

    card: str
    name: str | None
    set: str | None
    variant: str | None
    condition: str | None
    language: str | None
    finish: str | None
    place: str | None
    note: str | None
    change: int

    @property
    def shown(self) -> str:
        """For people: ``+2  alpha/Dα-065  Shamamon (NM, binder)``."""
        kind = shown_details(self)
        name = self.name or "(name unknown)"
        return f"{self.change:+d}  {self.card}  {name}{f' ({kind})' if kind else ''}"


@dataclass(frozen=True, slots=True)
class WrittenChange(HoldingChange):
    """A change that was written. ``owned``: the copies of the card held since."""

    owned: int


@dataclass(frozen=True, slots=True)
class HoldingRow:
    """Copies that are alike in all that is recorded of them; a blank detail is None."""

    count: int
    set: str | None
    variant: str | None
    condition: str | None
    language: str | None
    finish: str | None
    place: str | None
    note: str | None


def holding_rows(holdings: Iterable[tuple[Holding, int]]) -> tuple[HoldingRow, ...]:
    """The holdings of a card as rows."""
    return tuple(
        HoldingRow(count, *(text or None for text in holding[1:])) for holding, count in holdings
    )


def shown_details(row: HoldingRow | HoldingChange) -> str:
    """What is recorded of copies, for people."""
    details = (getattr(row, name.removesuffix("_code")) for name in DETAILS)
    return ", ".join(filter(None, details))


def shown_holdings(rows: Sequence[HoldingRow]) -> str:
    """What is recorded of a card's copies, with how many of each kind where they differ."""
    if len(rows) == 1:
        return shown_details(rows[0])
    return "; ".join(f"{row.count}: {shown_details(row) or '-'}" for row in rows)


def change_rows(
    index: CardIndex, changes: Iterable[tuple[Holding, int]]
) -> tuple[HoldingChange, ...]:
    """Changes as rows, in their order."""
    found = list(changes)
    cards = index.by_ids(holding.card_id for holding, _ in found)
    return tuple(
        HoldingChange(**_named(card, holding), change=count)
        for card, (holding, count) in zip(cards, found, strict=True)
    )


def written_rows(index: CardIndex, changes: Mapping[Holding, int]) -> tuple[WrittenChange, ...]:
    """The changes of a batch that was written, with what is held now."""
    now = counts(index.connection, (holding.card_id for holding in changes))
    cards = index.by_ids(holding.card_id for holding in changes)
    return tuple(
        WrittenChange(**_named(card, holding), change=count, owned=now.get(card.id, 0))
        for card, (holding, count) in zip(cards, changes.items(), strict=True)
    )


def _named(card: Card, holding: Holding) -> dict[str, Any]:
    details = {name.removesuffix("_code"): getattr(holding, name) or None for name in DETAILS}
    return {"card": card.key, "name": card.name if card.names else None, **details}


def summary_of(cards: Iterable[Card]) -> str:
    """What a batch is about, in a few words."""
    return some_of(list(dict.fromkeys(card.title for card in cards)), 1)
