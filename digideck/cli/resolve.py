"""What arguments name, checked once for all commands."""

from __future__ import annotations

from digideck.schema.cards import CardIndex
from digideck.schema.problems import unusable


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
