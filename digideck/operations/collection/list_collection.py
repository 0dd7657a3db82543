"""What is owned: card by card, summed up, or as a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from digideck.catalog.advice import set_meant
from digideck.catalog.arguments import check_game, sets_called
from digideck.catalog.cards import CardIndex
from digideck.catalog.query import search
from digideck.collection.query_terms import collection_terms
from digideck.collection.views import (
    GROUPINGS,
    SORTS,
    OwnedCard,
    grouped,
    in_sets,
    newest_first,
    owned_cards,
)
from digideck.core.codes import Code
from digideck.core.problems import input_error
from digideck.core.results import Answer, Listing, Result, json_field
from digideck.core.suggestions import no_such
from digideck.operations.collection.copy_details import NO_DETAILS, CopyDetails
from digideck.operations.collection.holding_rows import HoldingRow, holding_rows
from digideck.schema.connection import closing_connections, open_to_read


@dataclass(frozen=True, slots=True)
class OwnedAsked:
    """Which copies: those of the cards that ``query`` finds, recorded as ``details`` say."""

    query: Sequence[str] = ()
    details: CopyDetails = NO_DETAILS
    game: str = ""


ALL_OWNED = OwnedAsked()


@dataclass(frozen=True, slots=True)
class OwnedRow:
    """A card with what is held of it."""

    card: str
    name: str
    kind: str | None
    level: str | None
    count: int
    holdings: tuple[HoldingRow, ...] = json_field("piles")


@dataclass(frozen=True, slots=True)
class _Owned(Result):
    cards_owned: int
    copies: int

    @property
    def answer(self) -> Answer:
        """No where nothing of the kind is owned."""
        return Answer.OK if self.cards_owned else Answer.NO


@dataclass(frozen=True, slots=True)
class OwnedCards(_Owned):
    """The cards, some of them or all."""

    cards: Listing[OwnedRow]


@dataclass(frozen=True, slots=True)
class OwnedSums(_Owned):
    """Cards and copies by what they have in common: {"place": "binder", "cards": 3, ...}."""

    groups: tuple[Mapping[str, str | int | None], ...]


@dataclass(frozen=True, slots=True)
class OwnedText(_Owned):
    """The copies as a file in digideck's own CSV."""

    text: str


@closing_connections()
def list_collection(
    asked: OwnedAsked = ALL_OWNED,
    *,
    sort: str = "number",
    limit: int | None = None,
    db: Path | None = None,
) -> OwnedCards:
    """The cards owned, ``limit`` of them (None: all), by number, name, count or newest."""
    _one_of("--sort", sort, (*SORTS, "newest"))
    index = CardIndex(open_to_read(db))
    cards = _owned(index, asked)
    if sort == "newest":
        cards = newest_first(index.connection, cards)
    elif sort != "number":
        cards.sort(key=SORTS[sort])  # type: ignore[arg-type]
    rows = tuple(
        OwnedRow(
            card.key, card.name, card.kind, card.level, card.count, holding_rows(card.holdings)
        )
        for card in cards[:limit]
    )
    return OwnedCards(*_totals(cards), Listing(rows, len(cards)))


@closing_connections()
def sum_up_collection(
    asked: OwnedAsked = ALL_OWNED, *, by: str, db: Path | None = None
) -> OwnedSums:
    """Cards and copies summed up by game, kind, level, name, series, set, place ..."""
    _one_of("--by", by, GROUPINGS)
    cards = _owned(CardIndex(open_to_read(db)), asked)
    groups = tuple(
        {by: group.name or None, "cards": group.cards, "copies": group.copies}
        for group in grouped(cards, by)
    )
    return OwnedSums(*_totals(cards), groups)


@closing_connections()
def collection_as_csv(asked: OwnedAsked = ALL_OWNED, db: Path | None = None) -> OwnedText:
    """The copies in digideck's own CSV, which an import reads."""
    from digideck.collection.list_writer import write_collection  # start-up

    index = CardIndex(open_to_read(db))
    cards = _owned(index, asked)
    holdings = {holding: count for card in cards for holding, count in card.holdings}
    records = {card.id: card for card in index.by_ids(card.id for card in cards)}
    text = write_collection(holdings, records, index.games, "csv")
    return OwnedText(*_totals(cards), text)


def _owned(index: CardIndex, asked: OwnedAsked) -> list[OwnedCard]:
    game, details = check_game(index, asked.game), asked.details.recorded()
    ids = _found(index, asked.query) if asked.query else None
    cards = owned_cards(index.connection, ids, details, game)
    name = asked.details.set_name
    if not name:
        return cards
    codes = dict(sets_called(index, name))
    if not codes:
        raise input_error(
            Code.SET_UNKNOWN,
            f"no set is called {name!r}",
            next_step=set_meant(index.connection, name),
        )
    return in_sets(index.connection, cards, codes)


def _found(index: CardIndex, words: Sequence[str]) -> list[int]:
    """The cards that find finds. The order is by id: the list has its own."""
    return search(index, words, collection_terms(index.connection), order="id")[1]


def _totals(cards: Iterable[OwnedCard]) -> tuple[int, int]:
    counts = [card.count for card in cards]
    return len(counts), sum(counts)


def _one_of(option: str, word: str, words: Iterable[str]) -> None:
    if word not in words:
        raise no_such(Code.UNKNOWN_WORD, f"{option} has no word {word!r}", word, words)
