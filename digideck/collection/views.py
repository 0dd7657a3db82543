"""What is owned, to look at: by card, or summed up in groups."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from digideck.collection.ledger import Holding, holdings

_TRAILING_DIGITS = re.compile(r"[0-9]+(?=[^0-9]*$)")


def series(number: str) -> str:
    """The series a number counts in: "Bo-#t" of Bo-12t."""
    return _TRAILING_DIGITS.sub("#", number, count=1)


@dataclass(slots=True)
class OwnedCard:
    """A card with its holdings, read without all that a `Card` knows. ``count``: of all of them."""

    id: int
    game: str
    number: str
    edition: str
    kind: str | None
    level: str | None
    sort: str
    name: str
    count: int
    holdings: list[tuple[Holding, int]]

    @property
    def key(self) -> str:
        """``alpha/DM02-095@asia``."""
        return f"{self.game}/{self.number}{f'@{self.edition}' if self.edition else ''}"


def owned_cards(
    connection: sqlite3.Connection,
    ids: Iterable[int] | None = None,
    details: Mapping[str, str] | None = None,
    game: str | None = None,
) -> list[OwnedCard]:
    """The cards held, by game and number, with the holdings that have ``details``."""
    found_holdings: dict[int, list[tuple[Holding, int]]] = {}
    for entry in holdings(connection, ids):
        if not details or entry[0].matches(details):
            found_holdings.setdefault(entry[0][0], []).append(entry)
    names = dict(
        connection.execute(
            # With MIN alone, SQLite takes the other columns from the row of the minimum.
            """SELECT card_id, name FROM (SELECT card_id, name, MIN(
                 CASE role WHEN 'name' THEN 0 WHEN 'species' THEN 10 WHEN 'also' THEN 20 ELSE 30 END
                 + CASE language WHEN 'en' THEN 0 WHEN 'dub' THEN 1 ELSE 2 END)
               FROM card_name WHERE card_id IN (SELECT card_id FROM holding) GROUP BY card_id)"""
        ).fetchall()
    )
    rows = connection.execute(
        """SELECT id, game, number, edition, kind, level, number_sort FROM card
           WHERE id IN (SELECT card_id FROM holding) AND (:game IS NULL OR game = :game)""",
        {"game": game},
    )
    found = []
    for card_id, card_game, number, edition, kind, level, order in rows:
        of_card = found_holdings.get(card_id)
        if of_card:
            name = names.get(card_id, "(name unknown)")
            count = sum([entry[1] for entry in of_card])
            found.append(
                OwnedCard(
                    card_id, card_game, number, edition, kind, level, order, name, count, of_card
                )
            )
    found.sort(key=lambda card: (card.game, card.sort, card.edition))
    return found


def in_sets(
    connection: sqlite3.Connection, cards: Iterable[OwnedCard], codes: Mapping[str, str]
) -> list[OwnedCard]:
    """The copies recorded as of one of the sets (game: code), and those of its cards whose
    set is not recorded.
    """
    members = {
        row[0]
        for game, code in codes.items()
        for row in connection.execute(
            "SELECT card_id FROM in_set WHERE game = ? AND set_code = ?", (game, code)
        )
    }
    found = []
    for card in cards:
        code = codes.get(card.game)
        holdings = [
            (holding, count)
            for holding, count in card.holdings
            if code and (holding.set_code == code or (not holding.set_code and card.id in members))
        ]
        if holdings:
            count = sum(count for _, count in holdings)
            found.append(replace(card, holdings=holdings, count=count))
    return found


def newest_first(connection: sqlite3.Connection, cards: list[OwnedCard]) -> list[OwnedCard]:
    """The cards by their last entry."""
    last = dict(
        connection.execute("SELECT card_id, MAX(id) FROM entry GROUP BY card_id").fetchall()
    )
    return sorted(cards, key=lambda card: -last.get(card.id, 0))


SORTS: dict[str, Callable[[OwnedCard], object]] = {
    "number": lambda card: (card.game, card.sort, card.edition),
    "name": lambda card: (card.name.casefold(), card.game, card.sort),
    "count": lambda card: (-card.count, card.game, card.sort),
}
_OF_CARD: dict[str, Callable[[OwnedCard], str]] = {
    "game": lambda card: card.game,
    "kind": lambda card: card.kind or "",
    "level": lambda card: card.level or "",
    "name": lambda card: card.name,
    "series": lambda card: f"{card.game} {series(card.number)}",
}
_OF_HOLDING: dict[str, Callable[[Holding], str]] = {
    "set": lambda holding: holding.set_code,
    "place": lambda holding: holding.place,
    "condition": lambda holding: holding.condition,
    "language": lambda holding: holding.language,
    "finish": lambda holding: holding.finish,
}
GROUPINGS = (*_OF_CARD, *_OF_HOLDING)


@dataclass(frozen=True, slots=True)
class Group:
    """Copies that have something in common. ``name`` is blank where that is not recorded."""

    name: str
    cards: int
    copies: int


def grouped(cards: Iterable[OwnedCard], by: str) -> list[Group]:
    """The copies summed up ``by`` one of GROUPINGS, in the order in which they come."""
    copies: Counter[str] = Counter()
    ids: dict[str, set[int]] = {}
    for card in cards:
        for holding, count in card.holdings:
            name = _OF_CARD[by](card) if by in _OF_CARD else _OF_HOLDING[by](holding)
            copies[name] += count
            ids.setdefault(name, set()).add(card.id)
    return [Group(name, len(ids[name]), count) for name, count in copies.items()]
