"""What is owned beyond what is wanted, collected, and taken by decks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import CardIndex, card_order
from digideck.collection.ledger import Holding, holdings
from digideck.collection.spares import spares
from digideck.core.results import Answer, Result, json_field
from digideck.decks.analysis.needs import needs_of
from digideck.decks.deck_reader import deck_paths
from digideck.operations.collection.holding_rows import HoldingRow, holding_rows
from digideck.operations.decks.deck_request import DeckRequest
from digideck.schema.connection import closing_connections, open_to_read


@dataclass(frozen=True, slots=True)
class SpareCard:
    """A card with copies to give away; ``holdings`` are all of its copies."""

    card: str
    name: str
    spare: int
    owned: int
    kept: int
    holdings: tuple[HoldingRow, ...] = json_field(None)


@dataclass(frozen=True, slots=True)
class Trades(Result):
    """The cards, and how many copies that is."""

    spares: tuple[SpareCard, ...]
    copies: int
    answer: Answer = json_field(None, default=Answer.OK, kw_only=True)


@closing_connections()
def list_trades(
    decks: DeckRequest, *, keep: int = 1, game: str = "", db: Path | None = None
) -> Trades:
    """What is owned beyond wants, one card of each set that is collected, decks that are
    built at once, and ``keep`` copies of every card.
    """
    index = CardIndex(open_to_read(db))
    chosen = check_game(index, game)
    needs = needs_of(decks.reader(index.connection), deck_paths(decks.decks))
    found = {entry.card_id: entry for entry in spares(index.connection, needs.wanted, keep)}
    of_card: dict[int, list[tuple[Holding, int]]] = {}
    for holding, count in holdings(index.connection, found):
        of_card.setdefault(holding.card_id, []).append((holding, count))
    rows = tuple(
        SpareCard(
            card.key,
            card.name,
            entry.spare,
            entry.owned,
            entry.kept,
            holding_rows(of_card[card.id]),
        )
        for card in sorted(index.by_ids(found), key=card_order)
        if chosen in (None, card.game) and (entry := found[card.id])
    )
    answer = Answer.OK if needs.complete else Answer.UNUSABLE
    return Trades(rows, sum(row.spare for row in rows), answer=answer, problems=needs.problems)
