"""One check for each kind of rule, never for a game.

A check is made once from a rule file's entry, whose keys it takes, and then run
on decks: ``(deck, rule) -> problems``. It is pure: it prints nothing and raises
nothing for what a user can write.

A line with several candidates is taken in every reading. What holds in all of
them is an ERROR, what holds in some only is UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Callable

from digideck.core.strict_yaml import Mapping
from digideck.decks.rules.checks.card_pool import pool
from digideck.decks.rules.checks.common import Check
from digideck.decks.rules.checks.copies import copies, shared_number
from digideck.decks.rules.checks.counts import number_of, size
from digideck.decks.rules.checks.limits import limits, together
from digideck.schema.games.game import Game

CHECKS: dict[str, Callable[[Mapping, Game], Check]] = {
    "size": size,
    "number_of": number_of,
    "copies": copies,
    "shared_number": shared_number,
    "pool": pool,
    "limits": limits,
    "together": together,
}

__all__ = ["CHECKS", "Check"]
