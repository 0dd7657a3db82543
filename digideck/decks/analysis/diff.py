"""What went out of a deck and what came in, by card and by the names that copies count by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from digideck.decks.analysis.card_counts import CardCount, card_counts, copies_by_name
from digideck.decks.matched_deck import DeckEntry, MatchedDeck
from digideck.decks.model import MAIN


@dataclass(frozen=True, slots=True)
class CountChange:
    """The copies of one card, or of one name, in a zone of either deck.

    ``by`` is how many came in; negative, went out.
    """

    title: str
    zone: str
    before: int
    after: int
    by: int

    @property
    def shown(self) -> str:
        """The title, with the zone where that is not the main deck."""
        return self.title if self.zone == MAIN else f"{self.title} ({self.zone})"


@dataclass(frozen=True)
class DeckDifference:
    """The cards and the names of which the numbers differ; what went out first."""

    cards: tuple[CountChange, ...]
    names: tuple[CountChange, ...]


_Counts = dict[tuple[str, str], tuple[str, int]]  # (zone, key): title and copies


def difference(first: MatchedDeck, second: MatchedDeck) -> DeckDifference:
    """What makes ``second`` of ``first``. Whatever their forms, printings of one card are
    one card; a side deck is a zone like others.
    """
    before, after = _by_zone(first), _by_zone(second)
    return DeckDifference(
        _changes(_cards(before), _cards(after)), _changes(_names(before), _names(after))
    )


def _by_zone(deck: MatchedDeck) -> dict[str, list[CardCount]]:
    zones: dict[str, list[DeckEntry]] = {}
    for entry in deck.entries:
        zones.setdefault(entry.zone, []).append(entry)
    return {zone: card_counts(entries) for zone, entries in zones.items()}


def _cards(zones: Mapping[str, list[CardCount]]) -> _Counts:
    return {
        (zone, card.key): (card.title, card.count)
        for zone, cards in zones.items()
        for card in cards
    }


def _names(zones: Mapping[str, list[CardCount]]) -> _Counts:
    return {
        (zone, key): found
        for zone, cards in zones.items()
        for key, found in copies_by_name(cards).items()
    }


def _changes(before: _Counts, after: _Counts) -> tuple[CountChange, ...]:
    found = []
    for place in dict.fromkeys((*before, *after)):
        title = (before.get(place) or after[place])[0]
        was, now = (counts[place][1] if place in counts else 0 for counts in (before, after))
        if was != now:
            found.append(CountChange(title, place[0], was, now, now - was))
    return tuple(sorted(found, key=lambda change: change.by > 0))
