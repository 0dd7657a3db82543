"""Everything known of cards, each named by a number or a name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from digideck.catalog.arguments import check_game, split_name
from digideck.catalog.cards import Card, CardIndex
from digideck.catalog.evolution import Evolution, Tristate, evolving_from, evolving_into
from digideck.catalog.lookup import meant_by, not_one
from digideck.catalog.provenance import CardFacts, Provenance, card_facts, provenance_of
from digideck.collection.ledger import Holding, held
from digideck.core.codes import Code
from digideck.core.results import Answer, Result, answer_of, json_field
from digideck.decks.rules.card_restrictions import RestrictedCard, restrictions_on
from digideck.decks.rules.rule_files import FormatTable
from digideck.scan.store.links import Barcode, codes_of
from digideck.schema.connection import closing_connections, open_to_read
from digideck.schema.games.game import Game


class EvolutionWay(NamedTuple):
    """A way to evolve, as printed or by name, with the cards that go it."""

    text: str
    cards: tuple[Card, ...]


class CardSurroundings(NamedTuple):
    """What a card has to do with: how formats limit it, what it
    evolves from and into, its codes, and its copies.
    """

    game: Game
    limits: tuple[RestrictedCard, ...]
    evolves_from: tuple[EvolutionWay, ...]
    evolves_into: tuple[EvolutionWay, ...]
    codes: tuple[Barcode, ...]
    holdings: tuple[tuple[Holding, int], ...]


@dataclass(frozen=True, slots=True)
class ShownCard:
    """A card. ``sources`` only where they were asked for."""

    facts: CardFacts = field(metadata={"json": ""})
    owned: int
    barcodes: tuple[str, ...]
    sources: tuple[Provenance, ...] | None = json_field("sources", optional=True)
    card: Card = json_field(None)
    around: CardSurroundings = json_field(None)


@dataclass(frozen=True, slots=True)
class ShownCards(Result):
    """The cards that were found; the problems tell of the others."""

    cards: tuple[ShownCard, ...]

    @property
    def answer(self) -> Answer:
        """No where a text is no card, undecided where it can be several."""
        return answer_of(self.problems, no=(Code.CARD_UNKNOWN, Code.NAME_CLASH, Code.NAME_DIFFERS))


@closing_connections()
def show_cards(
    cards: Sequence[str], *, game: str = "", sources: bool = False, db: Path | None = None
) -> ShownCards:
    """What is known of each card that a text names, with ``sources`` of each value."""
    index = CardIndex(open_to_read(db))
    wanted = check_game(index, game)
    split = split_name(index, cards, wanted, "show")
    if split:
        return ShownCards((), problems=(split,))
    shown, problems = [], []
    for text in cards:
        meant = meant_by(index, text, wanted)
        found = meant.cards
        if len(found) == 1:
            shown.append(_shown(index, found[0], sources=sources))
        else:
            problems.append(not_one(index, text, meant, wanted))
    return ShownCards(tuple(shown), problems=tuple(problems))


def _shown(index: CardIndex, card: Card, *, sources: bool) -> ShownCard:
    around = _around(index, card)
    return ShownCard(
        next(card_facts(index.connection, [card])),
        sum(count for _, count in around.holdings),
        tuple(code.written for code in around.codes),
        provenance_of(index.connection, card) if sources else None,
        card,
        around,
    )


def _around(index: CardIndex, card: Card) -> CardSurroundings:
    connection, game = index.connection, index.games[card.game]
    formats = FormatTable(connection, index.games)
    return CardSurroundings(
        game,
        tuple(restrictions_on(card, game, formats)),
        _lower(index, card, game),
        _higher(index, card),
        tuple(codes_of(connection, card.id)),
        tuple(sorted(held(connection, [card.id]).items())),
    )


def _lower(index: CardIndex, card: Card, game: Game) -> tuple[EvolutionWay, ...]:
    """What the card asks for, with the cards that are it."""
    evolution = Evolution(game)
    lower = evolving_into(index, [card])
    return tuple(
        EvolutionWay(
            way.text,
            tuple(
                other
                for other in lower
                if any(evolution.meets(other, need) is Tristate.YES for need in way.needs)
            ),
        )
        for way in evolution.ways(card)
    )


def _higher(index: CardIndex, card: Card) -> tuple[EvolutionWay, ...]:
    by_name: dict[str, list[Card]] = {}
    for higher in evolving_from(index, [card]):
        by_name.setdefault(higher.name, []).append(higher)
    return tuple(EvolutionWay(name, tuple(cards)) for name, cards in by_name.items())
