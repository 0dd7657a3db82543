"""What a deck is made of, in figures: counts, curves, averages, copies by name.

What is counted comes from the game's YAML file (``figures``). What is not known
of a card is counted as unknown and left out of averages, never taken as zero.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from digideck.decks.analysis.card_counts import Held, copies_by_name, held, in_order
from digideck.decks.matched_deck import MatchedDeck
from digideck.schema.games.game import Game

UNKNOWN = "?"
_NO_VALUE = ("", "-")  # printed so on cards that have none
_LEVELLED = ("Digimon", "Digi-Egg")


@dataclass(frozen=True)
class Span:
    """The mean and the ends of a figure over ``known`` of the ``cards`` that should have
    it; None where none is known.
    """

    cards: int
    known: int
    mean: Fraction | None
    least: int | None
    most: int | None

    def as_json(self) -> dict[str, Any]:
        """For scripts; the mean to two decimals."""
        mean = None if self.mean is None else round(float(self.mean), 2)
        return {
            "cards": self.cards,
            "known": self.known,
            "mean": mean,
            "least": self.least,
            "most": self.most,
        }


@dataclass(frozen=True)
class Bars:
    """Cards by a word or a number: (label, cards). ``span`` where it is a number.

    ``several`` cards stand in more than one of the bars.
    """

    code: str
    title: str
    rows: tuple[tuple[str, int], ...]
    span: Span | None = None
    several: int = 0


@dataclass(frozen=True)
class Spans:
    """Figures by a word: for each row its label, its cards, and a span for each column."""

    code: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, int, tuple[Span, ...]], ...]


@dataclass(frozen=True)
class Copies:
    """The copies of one name that copies are counted by, with the cards they are."""

    name: str
    copies: int
    cards: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Figures:
    """Everything that ``deck show`` tells of a deck. Counts leave the side deck out."""

    file: str
    name: str
    game: str
    format: str
    cards: int
    zones: tuple[tuple[str, int], ...]
    unknown: int  # cards that are not in the database
    bars: tuple[Bars, ...]
    spans: tuple[Spans, ...]
    copies: tuple[Copies, ...]
    nothing_known: tuple[str, ...]  # titles of what no card of the deck is known to have


def span_text(span: Span, *, ends: bool = True) -> str:
    """A mean with its ends, for people: "412.5 (230-720)", "?" where it is unknown."""
    if span.mean is None:
        return "?" if span.cards else "-"
    mean = f"{float(span.mean):.1f}".removesuffix(".0")
    return f"{mean} ({span.least}-{span.most})" if ends and span.least != span.most else mean


def figures(deck: MatchedDeck) -> Figures:
    """The figures of a deck."""
    cards = held(deck.played)
    game, wanted = deck.game, deck.game.figures
    zones: Counter[str] = Counter()
    for entry in deck.entries:
        zones[entry.zone] += entry.count
    bars = [_kinds(cards, game), _levels(cards, game)]
    bars += [_curve(cards, game, code) for code in wanted.curves]
    bars += [_group(cards, game, code) for code in wanted.groups]
    spans = [entry for entry in (_battle(cards, game), _by_level(cards, game)) if entry]
    known_bars = [entry for entry in bars if any(label != UNKNOWN for label, _ in entry.rows)]
    known_spans = [entry for entry in spans if _any_known(entry)]
    nothing_known = [entry.title for entry in bars if entry.rows and entry not in known_bars]
    # By level is a way to show figures that have a row of their own.
    nothing_known += [
        entry.title
        for entry in spans
        if entry.rows and entry not in known_spans and entry.code != "by_level"
    ]
    return Figures(
        deck.deck.file,
        str(deck.deck.details.get("name", "")),
        game.code,
        deck.format,
        sum(card.count for card in cards),
        tuple(zones.items()),
        sum(card.count for card in cards if card.card is None),
        tuple(known_bars),
        tuple(known_spans),
        _copies(cards),
        tuple(nothing_known),
    )


def _any_known(spans: Spans) -> bool:
    return any(span.known for _, _, found in spans.rows for span in found)


def _counted(values: Iterable[tuple[str | None, int]], order: Sequence[str]) -> Any:
    counts: Counter[str | None] = Counter()
    for value, count in values:
        counts[value] += count
    return tuple((value or UNKNOWN, counts[value]) for value in in_order(counts, order))


def _kinds(cards: Sequence[Held], game: Game) -> Bars:
    rows = _counted(((card.kind, card.count) for card in cards), game.kinds)
    return Bars("kind", "Kinds", rows)


def _levels(cards: Sequence[Held], game: Game) -> Bars:
    rows = _counted(((card.level, card.count) for card in cards if _has_level(card)), game.levels)
    return Bars("level", "Levels", rows)


def _has_level(card: Held) -> bool:
    return card.level is not None or card.kind in _LEVELLED or card.card is None


def _values(cards: Iterable[Held], game: Game, code: str) -> list[tuple[Any, int]]:
    """The value on each card that should have one, None where it is unknown, with its copies."""
    kinds, listed = game.figures.printed_on(code), code in game.figures.kinds
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
        return Span(cards, 0, None, None, None)
    total = sum(value * count for value, count in known)
    figures_known = [value for value, _ in known]
    return Span(cards, number, Fraction(total, number), min(figures_known), max(figures_known))


def _curve(cards: Sequence[Held], game: Game, code: str) -> Bars:
    """A bar for every number from the least to the most, empty ones too."""
    values = _values(cards, game, code)
    counts: Counter[int | None] = Counter()
    for value, count in values:
        counts[value] += count
    span = _span(values)
    rows = []
    if span.least is not None and span.most is not None:
        rows = [(str(value), counts[value]) for value in _every(span.least, span.most, counts)]
    if counts[None]:
        rows.append((UNKNOWN, counts[None]))
    return Bars(code, game.fields[code].label, tuple(rows), span)


def _every(least: int, most: int, counts: Counter[int | None]) -> Iterable[int]:
    if most - least < 30:
        return range(least, most + 1)
    return sorted(value for value in counts if value is not None)


def _group(cards: Sequence[Held], game: Game, code: str) -> Bars:
    """The most frequent first."""
    separator = game.figures.separator
    counts: Counter[str] = Counter()
    several = 0
    for value, count in _values(cards, game, code):
        parts = _parts(value, separator)
        several += count if len(parts) > 1 else 0
        for part in parts:
            counts[part] += count
    rows = sorted(counts.items(), key=lambda row: (row[0] == UNKNOWN, -row[1], row[0]))
    return Bars(code, game.fields[code].label, tuple(rows), several=several)


def _parts(value: str | None, separator: str) -> list[str]:
    if value is None:
        return [UNKNOWN]
    parts = value.split(separator) if separator else [value]
    return list(dict.fromkeys(part.strip() for part in parts if part.strip() not in _NO_VALUE))


def _battle(cards: Sequence[Held], game: Game) -> Spans | None:
    """The Digimon of each battle type, with their attack against each type."""
    battle = game.figures.battle
    if battle is None:
        return None
    digimon = [card for card in cards if card.kind == "Digimon"]
    groups: dict[str | None, list[Held]] = {}
    for card in digimon:
        groups.setdefault(card.card.fields.get(battle.type) if card.card else None, []).append(card)
    order = in_order(groups, tuple(battle.against))
    rows = [_row(value or UNKNOWN, groups[value], game, battle.against.values()) for value in order]
    if len(rows) > 1:
        rows.append(_row("all", digimon, game, battle.against.values()))
    columns = tuple(f"against {battle_type}" for battle_type in battle.against)
    return Spans("battle", game.fields[battle.type].label, columns, tuple(rows))


def _by_level(cards: Sequence[Held], game: Game) -> Spans | None:
    codes = game.figures.by_level
    if not codes:
        return None
    levelled = [card for card in cards if _has_level(card)]
    order = in_order((card.level for card in levelled), game.levels)
    rows = [
        _row(level or UNKNOWN, [card for card in levelled if card.level == level], game, codes)
        for level in order
    ]
    columns = tuple(game.fields[code].label for code in codes)
    return Spans("by_level", "By level", columns, tuple(rows))


def _row(label: str, cards: Sequence[Held], game: Game, codes: Iterable[str]) -> Any:
    spans = tuple(_span(_values(cards, game, code)) for code in codes)
    return label, sum(card.count for card in cards), spans


def _copies(cards: Sequence[Held]) -> tuple[Copies, ...]:
    """The names with the most copies first, equal ones in the order of the deck."""
    found = []
    for key, (name, count) in copies_by_name(cards).items():
        of_name = [card for card in cards if min(card.name_keys) == key]
        found.append(Copies(name, count, tuple((card.title, card.count) for card in of_name)))
    return tuple(sorted(found, key=lambda entry: -entry.copies))


def as_json(shown: Figures) -> dict[str, Any]:
    """The figures for scripts."""
    return {
        "file": shown.file,
        "name": shown.name or None,
        "game": shown.game,
        "format": shown.format or None,
        "cards": shown.cards,
        "zones": dict(shown.zones),
        "unknown_cards": shown.unknown,
        "nothing_known": list(shown.nothing_known),
        "counts": [
            {
                "of": bars.code,
                "title": bars.title,
                "cards": [{"value": value, "cards": count} for value, count in bars.rows],
                "average": bars.span.as_json() if bars.span else None,
                "cards_in_several": bars.several,
            }
            for bars in shown.bars
        ],
        "figures": [
            {
                "by": spans.code,
                "title": spans.title,
                "rows": [
                    {
                        "value": label,
                        "cards": count,
                        "figures": {
                            column: span.as_json()
                            for column, span in zip(spans.columns, found, strict=True)
                        },
                    }
                    for label, count, found in spans.rows
                ],
            }
            for spans in shown.spans
        ],
        "names": [
            {
                "name": entry.name,
                "copies": entry.copies,
                "cards": [{"card": title, "count": count} for title, count in entry.cards],
            }
            for entry in shown.copies
        ],
    }
