"""What a deck is made of: counts, curves, averages, copies by name.

What is counted comes from the game's YAML file (``figures``). What is not known
of a card is counted as unknown and left out of averages, never taken as zero.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from digideck.core.results import json_field
from digideck.core.text import pluralize
from digideck.decks.analysis.card_counts import CardCount, card_counts, copies_by_name, in_order
from digideck.decks.matched_deck import MatchedDeck
from digideck.schema.games.game import Game

UNKNOWN = "?"
_NO_VALUE = ("", "-")  # printed so on cards that have none
_LEVELLED = ("Digimon", "Digi-Egg")


@dataclass(frozen=True)
class Span:
    """The mean (to two decimals) and the ends of a number over ``known`` of the ``cards``
    that should have it; None where none is known.
    """

    cards: int
    known: int
    mean: float | None = None
    least: int | None = None
    most: int | None = None
    exact: Fraction | None = json_field(None, default=None)

    def text(self, *, ends: bool = True) -> str:
        """A mean with its ends, for people: "412.5 (230-720)", "?" where it is unknown."""
        if self.exact is None:
            return "?" if self.cards else "-"
        mean = f"{float(self.exact):.1f}".removesuffix(".0")
        return f"{mean} ({self.least}-{self.most})" if ends and self.least != self.most else mean


@dataclass(frozen=True)
class Bar:
    """Cards with one word or number."""

    value: str
    cards: int


@dataclass(frozen=True)
class Bars:
    """Cards by a word or a number; ``average`` where it is a number.

    ``cards_in_several`` stand in more than one of the bars.
    """

    of: str
    title: str
    cards: tuple[Bar, ...]
    average: Span | None = None
    cards_in_several: int = 0

    @property
    def note(self) -> str:
        """What to say of them behind the title."""
        notes = []
        if self.average and self.average.known:
            notes.append(f"average {self.average.text(ends=False)}")
            if self.average.known < self.average.cards:
                notes.append(f"known of {pluralize(self.average.known, 'card')}")
        if self.cards_in_several:
            notes.append(f"{pluralize(self.cards_in_several, 'card')} in more than one")
        return f": {', '.join(notes)}" if notes else ""


@dataclass(frozen=True)
class SpanRow:
    """The cards with one word, and a span for each column."""

    value: str
    cards: int
    figures: Mapping[str, Span]


@dataclass(frozen=True)
class Spans:
    """Numbers by a word, row by row."""

    by: str
    title: str
    rows: tuple[SpanRow, ...]
    columns: tuple[str, ...] = json_field(None, default=())


@dataclass(frozen=True)
class TitleCount:
    """Copies of one card."""

    card: str
    count: int


@dataclass(frozen=True)
class NameCopies:
    """The copies of one name that copies are counted by, with the cards they are."""

    name: str
    copies: int
    cards: tuple[TitleCount, ...]


@dataclass(frozen=True)
class DeckStats:
    """Everything that ``deck show`` tells of a deck. Counts leave the side deck out.

    ``unknown_cards`` are not in the database, ``nothing_known`` titles of what no card
    of the deck is known to have.
    """

    file: str
    name: str | None
    game: str
    format: str | None
    cards: int
    zones: Mapping[str, int]
    unknown_cards: int
    nothing_known: tuple[str, ...]
    counts: tuple[Bars, ...]
    figures: tuple[Spans, ...]
    names: tuple[NameCopies, ...]

    @property
    def zones_text(self) -> str:
        """The cards of each zone in brackets, where there are several: " (main 30, side 5)"."""
        parts = ", ".join(f"{zone} {count}" for zone, count in self.zones.items())
        return f" ({parts})" if len(self.zones) > 1 else ""


def stats_of(deck: MatchedDeck) -> DeckStats:
    """The statistics of a deck."""
    cards = card_counts(deck.played)
    game, wanted = deck.game, deck.game.stats
    zones: Counter[str] = Counter()
    for entry in deck.entries:
        zones[entry.zone] += entry.count
    bars = [_kinds(cards, game), _levels(cards, game)]
    bars += [_curve(cards, game, code) for code in wanted.curves]
    bars += [_group(cards, game, code) for code in wanted.groups]
    spans = [entry for entry in (_battle(cards, game), _by_level(cards, game)) if entry]
    known_bars = [entry for entry in bars if any(bar.value != UNKNOWN for bar in entry.cards)]
    known_spans = [entry for entry in spans if _any_known(entry)]
    nothing_known = [entry.title for entry in bars if entry.cards and entry not in known_bars]
    # By level is a way to show numbers that have a row of their own.
    nothing_known += [
        entry.title
        for entry in spans
        if entry.rows and entry not in known_spans and entry.by != "by_level"
    ]
    return DeckStats(
        deck.deck.file,
        str(deck.deck.details.get("name", "")) or None,
        game.code,
        deck.format or None,
        sum(card.count for card in cards),
        zones,
        sum(card.count for card in cards if card.card is None),
        tuple(nothing_known),
        tuple(known_bars),
        tuple(known_spans),
        _copies(cards),
    )


def _any_known(spans: Spans) -> bool:
    return any(span.known for row in spans.rows for span in row.figures.values())


def _counted(values: Iterable[tuple[str | None, int]], order: Sequence[str]) -> tuple[Bar, ...]:
    counts: Counter[str | None] = Counter()
    for value, count in values:
        counts[value] += count
    return tuple(Bar(value or UNKNOWN, counts[value]) for value in in_order(counts, order))


def _kinds(cards: Sequence[CardCount], game: Game) -> Bars:
    rows = _counted(((card.kind, card.count) for card in cards), game.kinds)
    return Bars("kind", "Kinds", rows)


def _levels(cards: Sequence[CardCount], game: Game) -> Bars:
    rows = _counted(((card.level, card.count) for card in cards if _has_level(card)), game.levels)
    return Bars("level", "Levels", rows)


def _has_level(card: CardCount) -> bool:
    return card.level is not None or card.kind in _LEVELLED or card.card is None


def _values(cards: Iterable[CardCount], game: Game, code: str) -> list[tuple[Any, int]]:
    """The value on each card that should have one, None where it is unknown, with its copies."""
    kinds, listed = game.stats.printed_on(code), code in game.stats.kinds
    found = []
    for card in cards:
        value = card.card.fields.get(code) if card.card else None
        has_it = card.kind in kinds or (value is not None and not listed)
        if has_it or card.card is None:
            found.append((value, card.count))
    return found


def _span(values: Sequence[tuple[int | None, int]]) -> Span:
    cards = sum(count for _, count in values)
    known = [(value, count) for value, count in values if value is not None]
    number = sum(count for _, count in known)
    if not number:
        return Span(cards, 0)
    mean = Fraction(sum(value * count for value, count in known), number)
    least, most = min(known)[0], max(known)[0]
    return Span(cards, number, round(float(mean), 2), least, most, mean)


def _curve(cards: Sequence[CardCount], game: Game, code: str) -> Bars:
    """A bar for every number from the least to the most, empty ones too."""
    values = _values(cards, game, code)
    counts: Counter[int | None] = Counter()
    for value, count in values:
        counts[value] += count
    span = _span(values)
    rows = []
    if span.least is not None and span.most is not None:
        rows = [Bar(str(value), counts[value]) for value in _every(span.least, span.most, counts)]
    if counts[None]:
        rows.append(Bar(UNKNOWN, counts[None]))
    return Bars(code, game.fields[code].label, tuple(rows), span)


def _every(least: int, most: int, counts: Counter[int | None]) -> Iterable[int]:
    if most - least < 30:
        return range(least, most + 1)
    return sorted(value for value in counts if value is not None)


def _group(cards: Sequence[CardCount], game: Game, code: str) -> Bars:
    """The most frequent first."""
    separator = game.stats.separator
    counts: Counter[str] = Counter()
    several = 0
    for value, count in _values(cards, game, code):
        parts = _parts(value, separator)
        several += count if len(parts) > 1 else 0
        for part in parts:
            counts[part] += count
    rows = sorted(counts.items(), key=lambda row: (row[0] == UNKNOWN, -row[1], row[0]))
    bars = tuple(Bar(value, count) for value, count in rows)
    return Bars(code, game.fields[code].label, bars, cards_in_several=several)


def _parts(value: str | None, separator: str) -> list[str]:
    if value is None:
        return [UNKNOWN]
    parts = value.split(separator) if separator else [value]
    return list(dict.fromkeys(part.strip() for part in parts if part.strip() not in _NO_VALUE))


def _battle(cards: Sequence[CardCount], game: Game) -> Spans | None:
    """The Digimon of each battle type, with their attack against each type."""
    battle = game.stats.battle
    if battle is None:
        return None
    digimon = [card for card in cards if card.kind == "Digimon"]
    groups: dict[str | None, list[CardCount]] = {}
    for card in digimon:
        groups.setdefault(card.card.fields.get(battle.type) if card.card else None, []).append(card)
    order = in_order(groups, tuple(battle.against))
    columns = {f"against {other}": code for other, code in battle.against.items()}
    rows = [_row(value or UNKNOWN, groups[value], game, columns) for value in order]
    if len(rows) > 1:
        rows.append(_row("all", digimon, game, columns))
    return Spans("battle", game.fields[battle.type].label, tuple(rows), tuple(columns))


def _by_level(cards: Sequence[CardCount], game: Game) -> Spans | None:
    columns = {game.fields[code].label: code for code in game.stats.by_level}
    if not columns:
        return None
    levelled = [card for card in cards if _has_level(card)]
    order = in_order((card.level for card in levelled), game.levels)
    rows = [
        _row(level or UNKNOWN, [card for card in levelled if card.level == level], game, columns)
        for level in order
    ]
    return Spans("by_level", "By level", tuple(rows), tuple(columns))


def _row(label: str, cards: Sequence[CardCount], game: Game, columns: Mapping[str, str]) -> SpanRow:
    spans = {title: _span(_values(cards, game, code)) for title, code in columns.items()}
    return SpanRow(label, sum(card.count for card in cards), spans)


def _copies(cards: Sequence[CardCount]) -> tuple[NameCopies, ...]:
    """The names with the most copies first, equal ones in the order of the deck."""
    found = []
    for key, (name, count) in copies_by_name(cards).items():
        of_name = [card for card in cards if min(card.name_keys) == key]
        titles = tuple(TitleCount(card.title, card.count) for card in of_name)
        found.append(NameCopies(name, count, titles))
    return tuple(sorted(found, key=lambda entry: -entry.copies))
