"""The one card that an argument names."""

from __future__ import annotations

from digideck.schema.cards import Card, CardIndex
from digideck.schema.problems import Unusable
from digideck.schema.resolve import no_card, several_cards


def one_card(index: CardIndex, text: str, game: str | None = None) -> Card:
    """The card that ``text`` means. Raises Unusable for none or several."""
    found = index.meant_by(text, game)
    if len(found) == 1:
        return found[0]
    raise Unusable(several_cards(text, found) if found else no_card(index, text, game))
