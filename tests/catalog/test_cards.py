"""Cards by their number and by their names."""

from __future__ import annotations

import pytest

from digideck.catalog.cards import CardIndex
from digideck.core.names import search_key


def test_a_bare_number_of_several_games_lists_them(index: CardIndex) -> None:
    """C6, and 507 pairs like it: as printed first, tolerantly only when nothing matches."""
    assert [card.key for card in index.by_number("St-1")] == ["hyper-colosseum/St-1"]
    assert [card.key for card in index.by_number("ST-01")] == ["digi-battle/ST-01"]
    assert [card.game for card in index.by_number("st1")] == ["digi-battle", "hyper-colosseum"]
    assert {card.game for card in index.by_number("DM-035")} == {"alpha", "dccg"}


@pytest.mark.parametrize("game", ["alpha", "dccg", "dcg", "digi-battle", "hyper-colosseum"])
def test_every_card_is_found_by_its_number_and_by_each_of_its_names(
    index: CardIndex, game: str
) -> None:
    """B5, B7: one normaliser on both sides, and no name is lost to it."""
    for card in index.by_ids(index.all_ids(game)):
        assert card in index.by_number(card.number, game)
        for name in card.names:
            namesakes = index.by_name(name.text, game)
            assert namesakes
            assert all(other.is_named(search_key(name.text)) for other in namesakes)
