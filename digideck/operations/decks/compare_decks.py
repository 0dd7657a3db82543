"""What makes one deck of another."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from digideck.core.problems import Problem
from digideck.core.results import Answer, json_field
from digideck.decks.analysis.card_counts import decks_to_count
from digideck.decks.analysis.diff import CountChange, difference
from digideck.decks.matched_deck import MatchedDeck
from digideck.operations.decks.deck_request import DeckRequest
from digideck.schema.connection import closing_connections, open_to_read


@dataclass(frozen=True, slots=True)
class ComparedDeck:
    """One of the two decks."""

    file: str
    game: str
    format: str
    cards: int


@dataclass(frozen=True, slots=True)
class DeckComparison:
    """The cards, and the names that copies count by, of which the numbers differ."""

    before: ComparedDeck
    after: ComparedDeck
    by_card: tuple[CountChange, ...]
    by_name: tuple[CountChange, ...]
    problems: tuple[Problem, ...] = json_field(None, default=())

    @property
    def answer(self) -> Answer:
        """No where any card differs."""
        return Answer.NO if self.by_card else Answer.OK


@closing_connections()
def compare_decks(request: DeckRequest, db: Path | None = None) -> DeckComparison:
    """What makes the second deck of a request of the first. Raises InputError where one
    of them cannot be used.
    """
    (before, after), problems = decks_to_count(request.reader(open_to_read(db)), request.decks)
    found = difference(before, after)
    return DeckComparison(
        _compared(before), _compared(after), found.cards, found.names, tuple(problems)
    )


def _compared(deck: MatchedDeck) -> ComparedDeck:
    cards = sum(entry.count for entry in deck.entries)
    return ComparedDeck(deck.deck.file, deck.game.code, deck.format, cards)
