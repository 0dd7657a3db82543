"""What arguments name, checked once for all commands."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace

from digideck.schema.cards import CardIndex
from digideck.schema.problems import Problem, unusable
from digideck.schema.resolve import no_card


def check_game(index: CardIndex, game: str | None) -> str | None:
    """The code of the game named, None if none is. Raises Unusable for one that is unknown."""
    if not game:
        return None
    code = index.game_called(game)
    if code:
        return code
    known = ", ".join(index.games)
    near = difflib.get_close_matches(game.casefold(), index.games, n=3, cutoff=0.5)
    raise unusable(
        "unknown-game",
        f"no game is called {game!r}",
        allowed=known,
        next_step=f"did you mean {', '.join(near)}?" if near else f"one of: {known}",
    )


def split_name(
    index: CardIndex, words: Sequence[str], game: str | None, command: str
) -> Problem | None:
    """The problem of words that are a card's name together, but not each a card:
    ``show War Greymon`` without quotes.
    """
    whole = " ".join(words)
    if len(words) < 2 or not index.by_name(whole, game):
        return None
    for word in words:
        # A count, such as 3 or x3, is no part of the name.
        if not any(map(str.isdigit, word)) and not index.meant_by(word, game):
            hint = f'did you mean: digideck {command} "{whole}"?'
            return replace(no_card(index, word, game), next_step=hint)
    return None
