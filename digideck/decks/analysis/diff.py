"""What went out of a deck and what came in, by card and by the names that copies count by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from digideck.decks.analysis.card_counts import Held, copies_by_name, held
from digideck.decks.matched_deck import MatchedDeck


@dataclass(frozen=True, slots=True)
class Change:
    """The copies of one card, or of one name, in a zone of either deck."""

    zone: str
    title: str
    before: int
    after: int

    @property
    def by(self) -> int:
        """How many came in; negative, went out."""
        return self.after - self.before


@dataclass(frozen=True)
class Difference:
    """The cards and the names of which the numbers differ; what went out first."""

    cards: tuple[Change, ...]
    names: tuple[Change, ...]

    @property
    def taken_out(self) -> int:
        """Copies that the second deck has fewer of."""
        return sum(-change.by for change in self.cards if change.by < 0)

    @property
    def put_in(self) -> int:
        """Copies that the second deck has more of."""
        return sum(change.by for change in self.cards if change.by > 0)


_Counts = dict[tuple[str, str], tuple[str, int]]  # (zone, key): title and copies


def difference(first: MatchedDeck, second: MatchedDeck) -> Difference:
    """What makes ``second`` of ``first``. Whatever their forms, printings of one card are
    one card; a side deck is a zone like others.
    """
    before, after = _by_zone(first), _by_zone(second)
    return Difference(
        _changes(_cards(before), _cards(after)), _changes(_names(before), _names(after))
    )


def _by_zone(deck: MatchedDeck) -> dict[str, list[Held]]:
    zones = dict.fromkeys(entry.zone for entry in deck.entries)
    return {zone: held(entry for entry in deck.entries if entry.zone == zone) for zone in zones}


def _cards(zones: Mapping[str, list[Held]]) -> _Counts:
    return {
        (zone, card.key): (card.title, card.count)
        for zone, cards in zones.items()
        for card in cards
    }


def _names(zones: Mapping[str, list[Held]]) -> _Counts:
    return {
        (zone, key): found
        for zone, cards in zones.items()
        for key, found in copies_by_name(cards).items()
    }


def _changes(before: _Counts, after: _Counts) -> tuple[Change, ...]:
    found = []
    for place in dict.fromkeys((*before, *after)):
        title = (before.get(place) or after[place])[0]
        have = [counts[place][1] if place in counts else 0 for counts in (before, after)]
        found.append(Change(place[0], title, *have))
    changed = [change for change in found if change.by]
    return tuple(sorted(changed, key=lambda change: change.by > 0))
