"""What a query is made of. Each node knows its SQL, with bound values, and how to
judge one card in Python.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from digideck.catalog.cards import Card
from digideck.core.names import search_key
from digideck.core.numbers import number_key

Sql = tuple[str, list[Any]]
_TOGETHER = 20


class Node(Protocol):
    """Part of a query."""

    def sql(self) -> Sql:
        """A condition on the table card with its values; never NULL."""

    def matches(self, card: Card) -> bool:
        """Whether a card meets it."""


class All(NamedTuple):
    """Every part must match."""

    parts: tuple[Node, ...]

    def sql(self) -> Sql:
        """The parts joined by AND."""
        return _joined(self.parts, " AND ", "TRUE")

    def matches(self, card: Card) -> bool:
        """Whether each part matches."""
        return all(part.matches(card) for part in self.parts)


class Either(NamedTuple):
    """One of the parts must match."""

    parts: tuple[Node, ...]

    def sql(self) -> Sql:
        """The parts joined by OR."""
        return _joined(self.parts, " OR ", "FALSE")

    def matches(self, card: Card) -> bool:
        """Whether some part matches."""
        return any(part.matches(card) for part in self.parts)


class Not(NamedTuple):
    """The part must not match."""

    part: Node

    def sql(self) -> Sql:
        """The part's condition turned round."""
        condition, values = self.part.sql()
        return f"NOT {condition}", values

    def matches(self, card: Card) -> bool:
        """Whether the part does not match."""
        return not self.part.matches(card)


class Word(NamedTuple):
    """Text in a name or in the number."""

    text: str

    def sql(self) -> Sql:
        """Scans the keys, which answers two kana as well as two hundred."""
        condition, values = NameHas(self.text).sql()
        return (
            f"({condition} OR instr(card.number_key, ?) > 0)",
            [*values, number_key(self.text)],
        )

    def matches(self, card: Card) -> bool:
        """The same on a card's names."""
        in_number = number_key(self.text) in number_key(card.number)
        return in_number or NameHas(self.text).matches(card)


def is_words(query: Node) -> bool:
    """Whether a query is nothing but words to look for."""
    return all(map(is_words, query.parts)) if isinstance(query, All) else isinstance(query, Word)


class NameHas(NamedTuple):
    """Text in a name."""

    text: str

    def sql(self) -> Sql:
        """Looks through the card's names."""
        return (
            "EXISTS (SELECT 1 FROM card_name WHERE card_id = card.id AND instr(search_key, ?) > 0)",
            [search_key(self.text)],
        )

    def matches(self, card: Card) -> bool:
        """The same on a card's names."""
        key = search_key(self.text)
        return any(key in search_key(name.text) for name in card.names)


class NameIs(NamedTuple):
    """A whole name."""

    text: str

    def sql(self) -> Sql:
        """Looks the name up by its key."""
        return (
            "EXISTS (SELECT 1 FROM card_name WHERE card_id = card.id AND search_key = ?)",
            [search_key(self.text)],
        )

    def matches(self, card: Card) -> bool:
        """The same on a card's names."""
        return card.is_named(search_key(self.text))


class Column(NamedTuple):
    """A column of the card that is one of some values."""

    name: str
    values: tuple[str, ...]

    def sql(self) -> Sql:
        """The column among the values."""
        marks = ", ".join("?" * len(self.values))
        return f"COALESCE(card.{self.name} IN ({marks}), FALSE)", list(self.values)

    def matches(self, card: Card) -> bool:
        """The same on a card."""
        return getattr(card, self.name) in self.values


class NumberIs(NamedTuple):
    """The number, in any spelling, or how it begins (``number:St-``)."""

    text: str
    whole: bool

    def sql(self) -> Sql:
        """Compares the tolerant keys."""
        key = number_key(self.text)
        if self.whole:
            return "card.number_key = ?", [key]
        return "substr(card.number_key, 1, ?) = ?", [len(key), key]

    def matches(self, card: Card) -> bool:
        """The same on a card's number."""
        key, own = number_key(self.text), number_key(card.number)
        return own == key if self.whole else own.startswith(key)


class InSet(NamedTuple):
    """A printing in one of some sets, each of a game."""

    sets: tuple[tuple[str, str], ...]

    def sql(self) -> Sql:
        """Looks through the card's printings."""
        pairs = " OR ".join(["(in_set.game = ? AND set_code = ?)"] * len(self.sets)) or "FALSE"
        return (
            f"EXISTS (SELECT 1 FROM in_set WHERE card_id = card.id AND ({pairs}))",
            [value for pair in self.sets for value in pair],
        )

    def matches(self, card: Card) -> bool:
        """The same on a card's printings."""
        return any((card.game, entry.set_code) in self.sets for entry in card.printings)


class Figure(NamedTuple):
    """A whole number of the card from ``least`` to ``most`` (None: open)."""

    code: str
    least: int | None
    most: int | None

    def sql(self) -> Sql:
        """Compares the value in the card's fields."""
        path = f"json_extract(card.fields, '$.{self.code}')"
        bounds = [(">=", self.least), ("<=", self.most)]
        parts = [f"{path} {sign} ?" for sign, bound in bounds if bound is not None]
        condition = " AND ".join([f"typeof({path}) = 'integer'", *parts])
        return f"COALESCE({condition}, FALSE)", [bound for _, bound in bounds if bound is not None]

    def matches(self, card: Card) -> bool:
        """The same on a card's fields."""
        value = card.fields.get(self.code)
        if not isinstance(value, int) or isinstance(value, bool):
            return False
        return (self.least is None or value >= self.least) and (
            self.most is None or value <= self.most
        )


class FlagIs(NamedTuple):
    """A yes or no of the card."""

    code: str
    value: bool

    def sql(self) -> Sql:
        """JSON's true and false, which are no numbers."""
        word = "true" if self.value else "false"
        return f"COALESCE(json_type(card.fields, '$.{self.code}') = ?, FALSE)", [word]

    def matches(self, card: Card) -> bool:
        """The same on a card's fields."""
        return card.fields.get(self.code) is self.value


class FieldText(NamedTuple):
    """Text in a field, or the whole of it; of a list, in one of its entries."""

    code: str
    text: str
    whole: bool
    listed: bool

    def sql(self) -> Sql:
        """Compares the keys of the value, or of each value of a list."""
        value = "value" if self.listed else f"json_extract(card.fields, '$.{self.code}')"
        test = f"search_key({value}) = ?" if self.whole else f"instr(search_key({value}), ?) > 0"
        if not self.listed:
            return f"COALESCE({test}, FALSE)", [search_key(self.text)]
        return (
            f"EXISTS (SELECT 1 FROM json_each(card.fields, '$.{self.code}')"
            f" WHERE value IS NOT NULL AND {test})",
            [search_key(self.text)],
        )

    def matches(self, card: Card) -> bool:
        """The same on a card's fields."""
        value = card.fields.get(self.code)
        values = value if isinstance(value, list) else [] if value is None else [value]
        key = search_key(self.text)
        keys = [search_key(_as_sql_text(entry)) for entry in values]
        return any(own == key if self.whole else key in own for own in keys)


def _as_sql_text(value: Any) -> str:
    """A value as SQLite hands it to a function that wants text."""
    return str(int(value)) if isinstance(value, bool) else str(value)


class OneOf(NamedTuple):
    """Cards that were found beforehand, by what no column tells."""

    ids: frozenset[int]

    def sql(self) -> Sql:
        """The ids as one bound list."""
        return "card.id IN (SELECT value FROM json_each(?))", [json.dumps(sorted(self.ids))]

    def matches(self, card: Card) -> bool:
        """Whether the card is among them."""
        return card.id in self.ids


def _joined(parts: Sequence[Node], by: str, none: str) -> Sql:
    conditions, values = [], []
    for part in parts:
        condition, bound = part.sql()
        conditions.append(condition)
        values += bound
    return (_bracketed(conditions, by) if conditions else none), values


def _bracketed(conditions: Sequence[str], by: str) -> str:
    """Joined in brackets of a few each: to SQLite a row is a tree as deep as it is long."""
    while len(conditions) > _TOGETHER:
        starts = range(0, len(conditions), _TOGETHER)
        conditions = [f"({by.join(conditions[at : at + _TOGETHER])})" for at in starts]
    return f"({by.join(conditions)})"
