"""The cards that match a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from digideck.catalog.advice import meant_instead
from digideck.catalog.arguments import check_game
from digideck.catalog.cards import Card, CardIndex
from digideck.catalog.provenance import CardFacts, card_facts
from digideck.catalog.query import Node, search
from digideck.collection.ledger import counts
from digideck.collection.query_terms import asks_for_copies, collection_terms
from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity
from digideck.core.results import Answer, Listing, Result, json_field
from digideck.schema.connection import closing_connections, open_to_read


@dataclass(frozen=True, slots=True)
class FoundCard:
    """A card with the copies owned."""

    facts: CardFacts = field(metadata={"json": ""})
    owned: int
    card: Card = json_field(None)


@dataclass(frozen=True, slots=True)
class FoundCards(Result):
    """Some of the cards that match, and how many there are. ``columns`` and ``fields`` are
    the fields of each game's cards that a table shows, and all of them.
    """

    total: int
    cards: Listing[FoundCard]
    columns: dict[str, Sequence[str]] = json_field(None)
    fields: dict[str, Sequence[str]] = json_field(None)

    @property
    def answer(self) -> Answer:
        """No where nothing was found."""
        return Answer.OK if self.total else Answer.NO


@closing_connections()
def find_cards(
    query: Sequence[str],
    *,
    game: str = "",
    sort: str = "",
    limit: int | None = None,
    db: Path | None = None,
) -> FoundCards:
    """The cards that match, ``limit`` of them (None: all), in their printed order or by a
    field (``-`` before it: downwards).
    """
    index = CardIndex(open_to_read(db))
    nodes, ids = _matching(index, query, game)
    if not ids:
        problem = _nothing(index, nodes, " ".join(query), game)
        return FoundCards(0, Listing((), 0), *_fields(index), problems=(problem,))
    cards = index.by_ids(ids if sort else ids[:limit])
    if sort:
        from digideck.catalog.query.sorting import sorted_cards  # start-up

        cards = sorted_cards(cards, index.games, sort)[:limit]
    owned = counts(index.connection, (card.id for card in cards))
    facts = card_facts(index.connection, cards)
    rows = tuple(
        FoundCard(entry, owned.get(card.id, 0), card)
        for card, entry in zip(cards, facts, strict=True)
    )
    return FoundCards(len(ids), Listing(rows, len(ids)), *_fields(index))


@closing_connections()
def count_cards(query: Sequence[str], *, game: str = "", db: Path | None = None) -> FoundCards:
    """How many cards match; none of them is read."""
    index = CardIndex(open_to_read(db))
    _, ids = _matching(index, query, game)
    return FoundCards(len(ids), Listing((), len(ids)), *_fields(index))


def _matching(index: CardIndex, query: Sequence[str], game: str) -> tuple[Node, list[int]]:
    """The query, and the cards that match it."""
    return search(index, query, collection_terms(index.connection), check_game(index, game))


def _fields(index: CardIndex) -> tuple[dict[str, Sequence[str]], dict[str, Sequence[str]]]:
    games = index.games.values()
    return {g.code: g.columns for g in games}, {g.code: tuple(g.fields) for g in games}


def _nothing(index: CardIndex, query: Node, text: str, game: str) -> Problem:
    if asks_for_copies(query):
        step = "see digideck collection list for what you own, collection wants for what you want"
    else:
        step = (
            meant_instead(index, text, check_game(index, game)) or "try fewer words, or name~word"
        )
    return Problem(Code.NOTHING_FOUND, Severity.ERROR, f"no card matches {text!r}", next_step=step)
