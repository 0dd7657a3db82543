"""Which cards may be in a deck at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from digideck.catalog.cards import Card
from digideck.core.names import search_key
from digideck.core.numbers import NumberShapes
from digideck.core.problems import Fix, FixAction, Problem, Severity
from digideck.core.strict_yaml import Mapping
from digideck.decks.matched_deck import DeckEntry, MatchedDeck
from digideck.decks.rules.checks.common import Check, listed, problem, total
from digideck.decks.rules.rule import Rule
from digideck.schema.games.fields import value_keys
from digideck.schema.games.game import Game


def pool(entry: Mapping, game: Game) -> Check:
    """Only cards of the pool: those that meet every condition that is given.

    ``sets`` (codes), ``numbers`` (templates such as ``St-#``), ``prefixes`` (how
    the number begins), ``kinds``, ``fields`` (a field of the game: its values),
    ``released_from`` and ``released_until`` (dates, partial ones allowed; a card
    with any printing in that span is in). ``only_for`` names the kinds of card
    that the rule is about. ``also`` are numbers that are in whatever they are,
    ``also_sets`` sets whose cards are, though not all of these may be recorded.
    """
    return _Pool(entry, game).check


class _Pool:
    def __init__(self, entry: Mapping, game: Game) -> None:
        self.sets = frozenset(entry.texts("sets"))
        templates = entry.texts("numbers")
        self.numbers = NumberShapes(templates) if templates else None
        self.prefixes = tuple(entry.texts("prefixes"))
        self.kinds = _words(entry, "kinds", game.kinds)
        self.only_for = _words(entry, "only_for", game.kinds)
        self.since = entry.optional_date("released_from")
        self.until = entry.optional_date("released_until")
        self.also = frozenset(entry.texts("also"))
        self.also_sets = frozenset(entry.texts("also_sets"))
        fields = entry.mapping("fields")
        self.fields = {
            game.field_in(fields, name, name).code: frozenset(map(search_key, fields.texts(name)))
            for name in fields.entries
        }

    def check(self, deck: MatchedDeck, rule: Rule) -> Iterator[Problem]:
        outside: list[DeckEntry] = []
        unknown: list[DeckEntry] = []
        for entry in deck.played:
            verdicts = {self.has(card) for card in entry.candidates} or {self._by_number(entry)}
            if verdicts == {False}:
                outside.append(entry)
            elif verdicts != {True}:
                unknown.append(entry)
        if outside:
            have = total(outside)
            titles = _titles(outside)
            yield problem(
                deck,
                rule,
                Severity.ERROR,
                f"outside the card pool: {listed(titles)}",
                entries=outside,
                have=have,
                allowed=0,
                fix=Fix(FixAction.TAKE_OUT, have, titles[0] if len(titles) == 1 else ""),
            )
        if unknown:
            yield problem(
                deck,
                rule,
                Severity.UNKNOWN,
                f"not known whether in the card pool: {listed(_titles(unknown))}",
                entries=unknown,
                have=total(unknown),
                allowed=0,
                next_step="import a list that gives their set"
                if self.sets or self.also_sets or self.since or self.until
                else "import a list that gives what is unknown of them",
            )

    def _by_number(self, entry: DeckEntry) -> bool | None:
        """An unknown card's number may already put it outside."""
        number = entry.line.number
        if number and self.numbers and not self.numbers.reads(number):
            return None if self.also_sets else False
        return None

    def has(self, card: Card) -> bool | None:
        """Whether the card is in the pool; None where the data cannot tell."""
        if card.number in self.also or self._printed_in(card, self.also_sets):
            return True
        if self.only_for and card.kind is not None and card.kind not in self.only_for:
            return True
        answers = [
            _known(card.kind, self.kinds),
            None if self.only_for and card.kind is None else True,
            *(_has_value(card.fields.get(code), keys) for code, keys in self.fields.items()),
        ]
        if self.numbers:
            answers.append(self.numbers.prints(card.number))
        if self.prefixes:
            answers.append(card.number.startswith(self.prefixes))
        if self.sets:
            answers.append(self._printed_in(card, self.sets) if card.printings else None)
        if self.since or self.until:
            answers.append(self._released(card))
        if False in answers:
            return None if self.also_sets else False
        return None if None in answers else True

    @staticmethod
    def _printed_in(card: Card, sets: frozenset[str]) -> bool:
        return any(entry.set_code in sets for entry in card.printings)

    def _released(self, card: Card) -> bool | None:
        answers = {_within(entry.released, self.since, self.until) for entry in card.printings}
        if True in answers:
            return True
        return None if None in answers or not answers else False


def _titles(entries: Sequence[DeckEntry]) -> list[str]:
    return list(dict.fromkeys(entry.mention.card for entry in entries))


def _words(entry: Mapping, key: str, accepted: Sequence[str]) -> frozenset[str]:
    words = entry.texts(key)
    for word in words:
        if word not in accepted:
            raise entry.problem(f"{key}: {word!r} is not one of: {', '.join(accepted)}", key)
    return frozenset(words)


def _known(value: object, accepted: frozenset[str]) -> bool | None:
    if not accepted:
        return True
    return None if value is None else value in accepted


def _has_value(value: object, accepted: frozenset[str]) -> bool | None:
    return None if value is None else not accepted.isdisjoint(value_keys(value))


def _within(date: str | None, since: str | None, until: str | None) -> bool | None:
    """Whether a date is in the span; None where it is partial and may be either.

    A partial date stands for any day in it: "2007-05" is from 2007-05-01 on.
    """
    if date is None:
        return None
    first, last = date + "-01-01"[len(date) - 4 :], date + "-12-31"[len(date) - 4 :]
    if (since and last < since) or (until and first > _end(until)):
        return False
    if (since and first < since) or (until and last > _end(until)):
        return None
    return True


def _end(until: str) -> str:
    return until + "-12-31"[len(until) - 4 :]
