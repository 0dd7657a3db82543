"""The query language of ``find``: one parser, read as SQL or in Python.

    agumon black              every word in a name (any language) or the number
    "metal greymon"           the words together
    game:alpha level>=perfect cost:3..5 type:dragon set:AE5
    name~gremon               spelt about like that
    from:Agumon into:"War Greymon"   what evolves from it, what it evolves into
    x-antibody                X-Antibody Digimon
    -field:value  a or b  ( )        not, either, together

What is unknown of a card matches no comparison; its negation does. Each node of
a query knows its SQL condition, with bound values, and how to judge one card
in Python; a test holds the two together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from digideck.catalog.cards import CardIndex
from digideck.catalog.query.nodes import All, Column, Node
from digideck.catalog.query.parser import Extra, parse, read_span
from digideck.core.names import search_key
from digideck.core.numbers import number_key

__all__ = ["Extra", "Node", "find_ids", "join_words", "parse", "read_span"]


def find_ids(
    index: CardIndex,
    query: Node,
    game: str | None = None,
    first: str = "",
    order: str = "game, number_sort, edition",
) -> list[int]:
    """Ids of the cards that match, in their printed order.

    Of ``game`` only, if that is given; a card whose number is ``first`` leads.
    """
    index.connection.create_function("search_key", 1, _sql_search_key, deterministic=True)
    if game:
        query = All((Column("game", (game,)), query))
    condition, values = query.sql()
    rows = index.connection.execute(
        f"""SELECT id FROM card WHERE {condition}
            ORDER BY number_key <> ?, {order}""",
        [*values, number_key(first) if first else ""],
    )
    return [row[0] for row in rows]


def _sql_search_key(value: Any) -> str | None:
    return None if value is None else search_key(str(value))


def join_words(words: Iterable[str]) -> str:
    """The words of a command line as one query; what the shell held together stays so."""
    return " ".join(map(_kept_together, words))


def _kept_together(word: str) -> str:
    match = re.fullmatch(r"(-?[^\W\d][\w-]*(?:<=|>=|[:=<>~]))([^\"()<>=:~]*\s[^\"()<>=:~]*)", word)
    if not match or re.search(r"(?i)\s(or|-\S+)(\s|$)", match[2]):
        return word
    return f'{match[1]}"{match[2]}"'
