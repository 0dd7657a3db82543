"""Cards in the order of a field."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from digideck.catalog.cards import Card
from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.numbers import sort_key
from digideck.core.suggestions import no_such
from digideck.schema.games.game import Game


def sorted_cards(cards: Sequence[Card], games: Mapping[str, Game], sort: str) -> list[Card]:
    """By a field; the cards of which it is unknown come last either way."""
    name, downwards = sort.removeprefix("-"), sort.startswith("-")
    called = [game.field_of.get(search_key(name)) for game in games.values()]
    codes = {field.code for field in called if field}
    keys: dict[str, Callable[[Card], Any]] = {
        "name": lambda card: card.name.casefold(),
        "number": lambda card: (card.game, sort_key(card.number)),
        "level": lambda card: _level_rank(card, games),
        "released": lambda card: card.printings[0].released if card.printings else None,
    }
    if name not in keys and not codes:
        fields = (field for game in games.values() for field in game.fields.values())
        known = [*keys, *sorted({field.code for field in fields if not field.of_sources})]
        raise no_such(Code.SORT_UNKNOWN, f"cannot sort by {name!r}", name, known)
    key = keys.get(name) or (lambda card: next(filter(_known, map(card.fields.get, codes)), None))
    known_cards: list[tuple[Any, int, Card]] = [
        (key(card), place, card) for place, card in enumerate(cards)
    ]
    by_value = [entry for entry in known_cards if entry[0] is not None]
    if len({type(value) for value, _, _ in by_value}) > 1:
        by_value = [(str(value), place, card) for value, place, card in by_value]
    by_value.sort(key=lambda entry: entry[0], reverse=downwards)
    return [card for _, _, card in by_value] + [
        card for value, _, card in known_cards if value is None
    ]


def _known(value: Any) -> bool:
    return value is not None


def _level_rank(card: Card, games: Mapping[str, Game]) -> int | None:
    levels = games[card.game].levels
    return levels.index(card.level) if card.level in levels else None
