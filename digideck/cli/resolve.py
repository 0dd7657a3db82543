"""A card as an argument: a number, a name in any language, or game/number@edition."""

from __future__ import annotations

from digideck.schema.cards import Card, CardIndex
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


def cards_meant(index: CardIndex, text: str, game: str | None = None) -> list[Card]:
    """Every card that ``text`` can mean, the exact number first of all.

    An argument that names a game or an edition has only that.
    """
    prefix, _, rest = text.partition("/")
    if rest and prefix in index.games:
        game, text = prefix, rest
    number, _, edition = text.partition("@")
    cards = index.by_number(number, game) or index.by_name(text, game)
    if edition:
        return [card for card in cards if card.edition == edition]
    plain = [card for card in cards if not card.edition]
    return plain if len({card.number for card in cards}) == 1 and len(plain) == 1 else cards
