"""What the collection adds to the query language of ``find``: owned and wanted."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from functools import cached_property

from digideck.catalog.cards import Card
from digideck.catalog.query import Extra, read_span
from digideck.catalog.query.nodes import All, Either, Node, Not, Sql
from digideck.collection.ledger import counts
from digideck.collection.wants import wanted_counts

_SUMS = {
    "owned": "(SELECT COALESCE(SUM(count), 0) FROM holding WHERE holding.card_id = card.id)",
    "wanted": "COALESCE((SELECT count FROM want WHERE want.card_id = card.id), 0)",
}


@dataclass(frozen=True)
class CopiesBetween:
    """So many copies owned or wanted, from ``least`` to ``most`` (None: open)."""

    connection: sqlite3.Connection
    what: str
    least: int | None
    most: int | None

    def sql(self) -> Sql:
        """Compares the sum, which is 0 where there is nothing."""
        bounds = [(">=", self.least), ("<=", self.most)]
        parts = [f"{_SUMS[self.what]} {sign} ?" for sign, bound in bounds if bound is not None]
        return " AND ".join(parts) or "TRUE", [n for _, n in bounds if n is not None]

    def matches(self, card: Card) -> bool:
        """The same for one card."""
        have = self._counts.get(card.id, 0)
        return (self.least is None or have >= self.least) and (
            self.most is None or have <= self.most
        )

    @cached_property
    def _counts(self) -> dict[int, int]:
        read = counts if self.what == "owned" else wanted_counts
        return read(self.connection)


def collection_terms(connection: sqlite3.Connection) -> Extra:
    """``owned`` and ``wanted``, alone or compared: owned>=2, owned:0, wanted:1..3."""

    def term(what: str) -> Extra:
        def read(sign: str, value: str) -> Node:
            span = read_span(sign, value) if sign else (1, None)
            if span is None:
                raise ValueError(f"{what} is compared with a number of copies")
            return CopiesBetween(connection, what, *span)

        return {what: read}

    return term("owned") | term("wanted")


def asks_for_copies(query: Node) -> bool:
    """Whether some part of a query is one of the `collection_terms`."""
    if isinstance(query, Not):
        return asks_for_copies(query.part)
    if isinstance(query, (All, Either)):
        return any(map(asks_for_copies, query.parts))
    return isinstance(query, CopiesBetween)
