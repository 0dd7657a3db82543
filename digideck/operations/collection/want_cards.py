"""What is wanted of cards and sets, and what there is to get."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from digideck.catalog.advice import set_meant
from digideck.catalog.arguments import check_game, sets_called, split_name
from digideck.catalog.cards import CardIndex, card_order
from digideck.collection.copy_requests import CopyReader
from digideck.collection.ledger import counts
from digideck.collection.spares import allocate_kept
from digideck.collection.wants import (
    collect,
    collected_sets,
    targets,
    want,
    wants,
)
from digideck.core.codes import Code
from digideck.core.problems import InputError, input_error
from digideck.core.results import Answer, Result, answer_of, json_field
from digideck.decks.analysis.needs import DecksNeeds, needs_of
from digideck.decks.deck_reader import deck_paths
from digideck.operations.decks.deck_request import DeckRequest
from digideck.schema.connection import (
    closing_connections,
    open_to_read,
    open_to_write,
    transaction,
)


@dataclass(frozen=True, slots=True)
class WantChange:
    """How many of a card are wanted now, and were before."""

    card: str
    wanted: int
    before: int
    name: str = json_field(None)


@dataclass(frozen=True, slots=True)
class CollectedSet:
    """A set that is collected, or is no more."""

    game: str
    set: str
    collected: bool


@dataclass(frozen=True, slots=True)
class WantedCard:
    """A card of which more is wanted than owned; ``why``: wanted, set AE5 ..."""

    card: str
    name: str
    wanted: int
    owned: int
    missing: int
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WantedForDeck:
    """Copies that a deck needs beyond what is owned and wanted; any of ``any_of`` serves."""

    file: str
    card: str
    missing: int
    any_of: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wants(Result):
    """What was changed, or what is wanted: ``copies`` to get in all."""

    changes: tuple[WantChange, ...] = ()
    sets: tuple[CollectedSet, ...] = ()
    wants: tuple[WantedCard, ...] = ()
    decks: tuple[WantedForDeck, ...] = ()
    copies: int | None = json_field("copies", optional=True, default=None)
    answer: Answer = json_field(None, default=Answer.OK, kw_only=True)


@closing_connections()
def change_wants(
    cards: Sequence[str] = (),
    *,
    collect_sets: Sequence[str] = (),
    drop_sets: Sequence[str] = (),
    game: str = "",
    db: Path | None = None,
) -> Wants:
    """Want so many copies of cards (words: St-1 3), collect sets, and collect sets no more."""
    index = CardIndex(open_to_write(db))
    wanted = check_game(index, game)
    split = split_name(index, cards, wanted, "collection wants")
    if split:
        raise InputError(split)
    requests, problems = CopyReader(index, wanted).words(cards) if cards else ([], [])
    if problems:
        return Wants(answer=answer_of(problems), problems=tuple(problems))
    sets = tuple(
        CollectedSet(*_set(index, wanted, name), collected)
        for names, collected in ((collect_sets, True), (drop_sets, False))
        for name in names
    )
    changes = []
    with transaction(index.connection):
        for request in requests:
            card, count = request.card, request.count
            before = want(index.connection, card.id, count)
            changes.append(WantChange(card.key, count, before, card.name))
        for entry in sets:
            collect(index.connection, entry.game, entry.set, entry.collected)
    return Wants(tuple(changes), sets)


def _set(index: CardIndex, game: str | None, name: str) -> tuple[str, str]:
    found = sets_called(index, name, game)
    if len(found) == 1:
        return found[0]
    listed = ", ".join(f"{set_game} {code}" for set_game, code in found)
    raise input_error(
        Code.SET_UNKNOWN,
        f"{name!r} can be {listed}" if found else f"no set is called {name!r}",
        next_step="add --game" if found else set_meant(index.connection, name, game),
    )


@closing_connections()
def list_wants(decks: DeckRequest, *, game: str = "", db: Path | None = None) -> Wants:
    """What is wanted and not owned, and what decks that are built at once need beyond it."""
    index = CardIndex(open_to_read(db))
    connection = index.connection
    chosen = check_game(index, game)
    needs = needs_of(decks.reader(connection), deck_paths(decks.decks))
    found = wants(connection)
    cards = sorted(index.by_ids(entry.card_id for entry in found), key=card_order)
    by_id = {entry.card_id: entry for entry in found}
    rows = tuple(
        WantedCard(card.key, card.name, entry.wanted, entry.owned, entry.missing, entry.why)
        for card in cards
        if chosen in (None, card.game) and (entry := by_id[card.id])
    )
    of_decks = tuple(_of_decks(index, needs))
    sets = tuple(CollectedSet(*key, True) for key in sorted(collected_sets(connection)))
    copies = sum(row.missing for row in rows) + sum(row.missing for row in of_decks)
    answer = Answer.OK if needs.complete else Answer.UNUSABLE
    return Wants((), sets, rows, of_decks, copies, answer=answer, problems=needs.problems)


def _of_decks(index: CardIndex, decks: DecksNeeds) -> Iterator[WantedForDeck]:
    kept = {card: count for card, (count, _) in targets(index.connection).items()}
    allocation = allocate_kept(decks.wanted, counts(index.connection), kept, buying=True)
    needs = ((deck, need) for deck in decks.decks for need in deck.needs)
    for place, (deck, need) in enumerate(needs):
        missing = allocation.missing(place)
        if missing:
            keys = tuple(card.key for card in need.cards)
            yield WantedForDeck(deck.file, need.shown, missing, keys)
