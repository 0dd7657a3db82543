"""One check for each kind of rule, never for a game.

A check is made once from a rule file's entry, whose keys it takes, and then run
on decks: ``(deck, rule) -> problems``. It is pure: it prints nothing and raises
nothing for what a user can write.

A line with several candidates is taken in every reading. What holds in all of
them is an ERROR, what holds in some only is UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Callable

from digideck.decks.checks.common import Check
from digideck.decks.checks.copies import copies, shared_number
from digideck.decks.checks.counts import number_of, size
from digideck.decks.checks.limits import limits, together
from digideck.decks.checks.pool import pool
from digideck.schema.games import Game
from digideck.schema.strict_yaml import Mapping

CHECKS: dict[str, Callable[[Mapping, Game], Check]] = {
    "size": size,
    "number_of": number_of,
    "copies": copies,
    "shared_number": shared_number,
    "pool": pool,
    "limits": limits,
    "together": together,
}

# Their outcome depends on the day that a deck is judged for.
DATED = frozenset({"limits", "together"})

__all__ = ["CHECKS", "DATED", "Check"]
