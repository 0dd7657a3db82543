"""What a format is once its rule file has been read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from digideck.core.problems import Problem
from digideck.decks.matched_deck import MatchedDeck

# Checks whose outcome depends on the day that a deck is judged for.
_DATED = frozenset({"limits", "together"})


class Rule(NamedTuple):
    """One rule of a format. ``says`` is the rule in a sentence.

    ``certainty`` is how well the source bears it out (CERTAINTIES); ``assumed``
    marks a choice where the sources leave the rule open.
    """

    id: str
    says: str
    check: str
    source: str
    certainty: str
    assumed: bool
    run: Callable[[MatchedDeck, Rule], Iterable[Problem]]


class Format(NamedTuple):
    """A way to play a game, with its own rules for decks. ``revised`` dates the rules.

    ``same_card`` is what makes two cards the same by its rule on copies: name or number.
    """

    code: str
    game: str
    title: str
    revised: str
    notes: tuple[str, ...]
    rules: tuple[Rule, ...]
    same_card: str = "number"

    @property
    def dated(self) -> bool:
        """Whether a verdict depends on the day it is for."""
        return any(rule.check in _DATED for rule in self.rules)
