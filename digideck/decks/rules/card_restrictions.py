"""Which formats keep a card out, or allow fewer copies of it than the game does."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from digideck.catalog.cards import Card
from digideck.core.problems import Problem, Severity
from digideck.decks.matched_deck import DeckEntry, MatchedDeck
from digideck.decks.model import MAIN, Deck, DeckLine, Occasion
from digideck.decks.rules.rule import Rule
from digideck.decks.rules.rule_files import FormatTable
from digideck.schema.games.game import Game

_POOL, _LIMITS = "pool", "limits"  # the checks that are about one card
_PLENTY = 99


class Restriction(Enum):
    """What a format does to a card; RESTRICTED allows some copies, fewer than usual."""

    BANNED = "banned"
    RESTRICTED = "restricted"
    OUTSIDE_POOL = "outside the card pool"
    POOL_UNKNOWN = "not known whether it is in the card pool"


@dataclass(frozen=True)
class RestrictedCard:
    """A card's restriction in ``format`` (its code), with the sentence of the ``rule``."""

    format: str
    restriction: Restriction
    allowed: int
    rule: str

    @property
    def text(self) -> str:
        """The restriction in words."""
        if self.restriction is Restriction.RESTRICTED:
            return f"{self.allowed} allowed: {self.rule}"
        rule = f": {self.rule}" if self.restriction is Restriction.OUTSIDE_POOL else ""
        return f"{self.restriction.value}{rule}"


def restrictions_on(card: Card, game: Game, formats: FormatTable) -> Iterator[RestrictedCard]:
    """What each format of the card's game does to it today."""
    line = DeckLine(_PLENTY, card.full_number, card.full_number, card.name)
    entry = DeckEntry(line, (card,), frozenset({card.limit_key or ""}), MAIN)
    today = Occasion(datetime.date.today().isoformat(), game.default_region)
    deck = MatchedDeck(Deck("", (line,)), game, (entry,), (), today)
    for rules in formats.of_game(game.code):
        for rule in rules.rules:
            if rule.check in (_POOL, _LIMITS):
                for problem in rule.run(deck, rule):
                    allowed = problem.allowed if isinstance(problem.allowed, int) else 0
                    what = _restriction(rule, problem)
                    yield RestrictedCard(rules.code, what, allowed, rule.says)


def _restriction(rule: Rule, problem: Problem) -> Restriction:
    if rule.check == _LIMITS:
        return Restriction.RESTRICTED if problem.allowed else Restriction.BANNED
    unsure = problem.severity is not Severity.ERROR
    return Restriction.POOL_UNKNOWN if unsure else Restriction.OUTSIDE_POOL
