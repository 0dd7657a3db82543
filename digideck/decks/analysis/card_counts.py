"""What a deck holds, card by card: the one reading of it that counting needs.

A check answers for every card that a line can mean. Whoever counts takes the
first of them, and `first_choices` says where that was a choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from digideck.catalog.cards import Card
from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.problems import InputError, Problem, Severity
from digideck.core.text import pluralize
from digideck.decks.deck_reader import DeckReader
from digideck.decks.matched_deck import DeckEntry, MatchedDeck


@dataclass(frozen=True, slots=True)
class CardCount:
    """Some copies of one card, as whoever counts needs it.

    ``id`` is the card's, negative for a card that is not in the database; ``key``
    tells it from other cards in any deck of the game; ``name_keys`` are what its
    copies are counted by. ``level`` and ``kind`` are None where unknown.
    """

    id: int
    key: str
    title: str
    name: str
    name_keys: frozenset[str]
    count: int
    card: Card | None

    @property
    def kind(self) -> str | None:
        """The kind of card."""
        return self.card.kind if self.card else None

    @property
    def level(self) -> str | None:
        """Its level; None as well where its kind has none."""
        return self.card.level if self.card else None


def card_counts(entries: Iterable[DeckEntry]) -> list[CardCount]:
    """The cards of ``entries``, each once with all its copies, in the order of the deck."""
    found: dict[str, CardCount] = {}
    for entry in entries:
        one = _counted(entry, -1 - len(found))
        before = found.get(one.key)
        count = entry.count + (before.count if before else 0)
        found[one.key] = CardCount(
            before.id if before else one.id,
            one.key,
            one.title,
            one.name,
            before.name_keys if before else one.name_keys,
            count,
            one.card,
        )
    return list(found.values())


def _counted(entry: DeckEntry, unknown_id: int) -> CardCount:
    if entry.candidates:
        card = entry.candidates[0]
        keys = frozenset([card.limit_key]) if card.limit_key else entry.name_keys
        return CardCount(card.id, card.key, card.title, card.name, keys, entry.count, card)
    line = entry.line
    key = f"? {line.written_number.casefold()} {search_key(line.name)}"
    name = line.name or line.shown
    return CardCount(unknown_id, key, line.shown, name, entry.name_keys, entry.count, None)


def first_choices(deck: MatchedDeck) -> tuple[Problem, ...]:
    """The note on the lines that can mean several cards and count as the first, if any do."""
    open_lines = [entry for entry in deck.played if len(entry.candidates) > 1]
    if not open_lines:
        return ()
    shown = [f"{entry.line.shown} as {entry.candidates[0].title}" for entry in open_lines]
    rest = f", and {len(shown) - 3} more" if len(shown) > 3 else ""
    lines = pluralize(len(shown), "line")
    note = Problem(
        Code.FIRST_CANDIDATE,
        Severity.NOTE,
        f"{lines} can mean several cards and count as the first: {', '.join(shown[:3])}{rest}",
        deck.deck.file,
        open_lines[0].line.line,
        cards=tuple(entry.mention for entry in open_lines),
        next_step="write the numbers to choose others",
    )
    return (note,)


def decks_to_count(
    reader: DeckReader, paths: Iterable[str]
) -> tuple[list[MatchedDeck], list[Problem]]:
    """The decks in files, with what is to be said of them. Raises InputError where one of
    them cannot be used.
    """
    read = [reader.match(path) for path in paths]
    problems = [problem for deck in read for problem in deck.problems]
    matched = [deck.matched for deck in read if deck.matched]
    problems += [problem for deck in matched for problem in first_choices(deck)]
    if len(matched) < len(read):
        raise InputError(*problems)
    return matched, problems


def in_order(values: Iterable[str | None], known: Sequence[str]) -> list[str | None]:
    """Distinct ``values`` in the order of ``known``, others behind it, None last."""
    places = {value: place for place, value in enumerate(known)}
    found = set(values)
    named = sorted(value for value in found if value is not None)
    named.sort(key=lambda value: places.get(value, len(places)))
    return [*named, *([None] if None in found else [])]


def copies_by_name(cards: Iterable[CardCount]) -> dict[str, tuple[str, int]]:
    """The name to show and the copies for each name that copies are counted by.

    The name is the plainest of its cards: without the X-Antibody where that folds.
    """
    found: dict[str, tuple[str, int]] = {}
    for one in cards:
        key = min(one.name_keys)
        name, count = found.get(key, (one.name, 0))
        plainest = min(name, one.name, key=lambda text: (search_key(text) != key, len(text), text))
        found[key] = (plainest, count + one.count)
    return found
