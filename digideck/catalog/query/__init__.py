"""The query language of ``find``: one parser, read as SQL or in Python.

    agumon black              every word in a name (any language) or the number
    "metal greymon"           the words together
    game:alpha level>=perfect cost:3..5 type:dragon set:AE5
    name~gremon               spelt about like that
    from:Agumon into:"War Greymon"   what evolves from it, what it evolves into
    x-antibody                X-Antibody Digimon
    -field:value  a or b  ( )        not, either, together

A colon behind a word that is no field belongs to a name, and a word without letters
says nothing: "Rosemon: Burst Mode", "Ai & Mako". A text that is a card's name as printed
is that card whatever else it could ask for: "Dead or Alive".

What is unknown of a card matches no comparison; its negation does. Each node of
a query knows its SQL condition, with bound values, and how to judge one card
in Python; a test holds the two together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from digideck.catalog.cards import CardIndex
from digideck.catalog.lookup import meant_by
from digideck.catalog.query.nodes import All, Column, Either, Node, Not, OneOf, is_words
from digideck.catalog.query.parser import Extra, parse, read_span
from digideck.core.names import search_key
from digideck.core.numbers import number_key, plain
from digideck.core.problems import InputError

__all__ = ["Extra", "Node", "find_ids", "join_words", "parse", "read_span", "search", "understand"]


_PRINTED = "game, number_sort, edition"


def search(
    index: CardIndex,
    query: str | Sequence[str],
    extra: Extra | None = None,
    game: str | None = None,
    order: str = _PRINTED,
) -> tuple[Node, list[int]]:
    """A query, or the words of a command line, with the cards that match it or that are
    written in it: those lead. Raises InputError for what is neither.
    """
    nodes, written = understand(index, query, extra, game)
    found = find_ids(index, nodes, game, _texts(query)[1], order)
    return nodes, list(dict.fromkeys([*written, *found]))


def understand(
    index: CardIndex,
    query: str | Sequence[str],
    extra: Extra | None = None,
    game: str | None = None,
) -> tuple[Node, list[int]]:
    """What a query asks for, and the ids of the cards that are written in it."""
    written, text = _texts(query)
    named = _called(index, written, game)
    try:
        nodes = parse(text, index, extra)
    except InputError:
        meant = meant_by(index, written, game)  # "[St-1] - Agumon"
        named = named or [card.id for card in meant.cards if meant.mention.number]
        if not named:
            raise
        return OneOf(frozenset(named)), named
    if is_words(nodes):
        letters = text.replace(" ", "").isalpha()  # unlike alpha/DM02-095@asia, which leads
        named = [] if letters else [card.id for card in meant_by(index, written, game).cards]
    elif named and isinstance(nodes, (All, Either, Not)):
        return OneOf(frozenset(named)), named
    return nodes, named


def _texts(query: str | Sequence[str]) -> tuple[str, str]:
    """A query as it was written, and as its parser takes it."""
    return (query, query) if isinstance(query, str) else (" ".join(query), join_words(query))


def _called(index: CardIndex, text: str, game: str | None) -> list[int]:
    """The cards called exactly so, punctuation and all."""
    key = plain(text).casefold()
    cards = index.by_name(text, game) if text.strip() else []
    return [card.id for card in cards if key in {plain(n.text).casefold() for n in card.names}]


def find_ids(
    index: CardIndex,
    query: Node,
    game: str | None = None,
    first: str = "",
    order: str = _PRINTED,
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
