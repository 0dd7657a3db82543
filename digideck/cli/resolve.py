"""A card as an argument: a number, a name in any language, or game/number@edition."""

from __future__ import annotations

from digideck.schema.cards import CardIndex
from digideck.schema.problems import unusable
from digideck.schema.resolve import cards_meant

__all__ = ["cards_meant", "check_game"]


def check_game(index: CardIndex, game: str | None) -> str | None:
    """``game`` if it is one, None if it is empty. Raises Unusable naming the games."""
    if not game:
        return None
    if game in index.games:
        return game
    known = ", ".join(index.games)
    raise unusable(
        "unknown-game", f"no game is called {game!r}", allowed=known, next_step=f"one of: {known}"
    )
