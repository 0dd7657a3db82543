"""What to say of a text that means no card, or several."""

from __future__ import annotations

import shlex
import sqlite3
import unicodedata
from collections.abc import Sequence

from digideck.catalog.cards import Card, CardIndex
from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.numbers import number_key
from digideck.core.problems import CardMention, Problem, Severity
from digideck.core.suggestions import did_you_mean, nearest, similar
from digideck.core.text import pluralize

_MOST_LISTED = 20


def no_card(index: CardIndex, text: str, game: str | None = None) -> Problem:
    """The problem of a text that is no card's number or name, with what to try instead."""
    named, text = index.vocabulary.split_game(text)
    game = named or game
    return Problem(
        Code.CARD_UNKNOWN,
        Severity.ERROR,
        f"no card{f' of {game}' if game else ''} has the number or name {text!r}",
        next_step=meant_instead(index, text, game) or _where_to_look(index, text, game),
    )


def several_cards(text: str, found: Sequence[Card]) -> Problem:
    """The problem of a text that can be any of several cards."""
    listed = "".join(f"\n      {card.key}  {card.name}" for card in found[:_MOST_LISTED])
    rest = len(found) - _MOST_LISTED
    more = f"\n      and {rest} more" if rest > 0 else ""
    by_game = ", or its game with -g" if len({card.game for card in found}) > 1 else ""
    return Problem(
        Code.CARD_AMBIGUOUS,
        Severity.UNKNOWN,
        f"{text!r} can be any of {len(found)} cards",
        have=len(found),
        cards=tuple(CardMention(card.key, 1) for card in found),
        next_step=f"name one of them{by_game}:{listed}{more}",
    )


def one_of_them(cards: Sequence[Card]) -> str:
    """``Bo-1dw Agumon``, or ``Bo-1dw Agumon and 16 others``"""
    more = f" and {pluralize(len(cards) - 1, 'other')}" if len(cards) > 1 else ""
    return f"{cards[0].title}{more}"


def meant_instead(index: CardIndex, text: str, game: str | None, limit: int = 5) -> str:
    """What a text that is no card may have meant; nothing where that cannot be told."""
    meant = _meant(index, text, game, limit)
    if game and _is_japanese(text) and not _has_japanese(index, game):
        return f"no Japanese names are recorded for {game}; {meant or 'write the English one'}"
    return meant


def _meant(index: CardIndex, text: str, game: str | None, limit: int) -> str:
    if game:
        names = list(dict.fromkeys(card.name for card in namesakes(index, text, game)))
        if names:
            return did_you_mean(names[:limit])
        number = text.partition("@")[0]
        elsewhere = dict.fromkeys(c.game for c in index.by_number(number) or index.by_name(text))
        if elsewhere:
            return f"it is a card of {', '.join(elsewhere)}"
    return did_you_mean(near_misses(index, text, game, limit))


def namesakes(index: CardIndex, name: str, game: str) -> list[Card]:
    """The cards of ``game`` under another name that what is called ``name`` has elsewhere.

    The Digimon are the same in all games, but Japanese names are recorded for some only.
    """
    names = {
        other.text: None
        for card in index.by_name(name)
        for other in card.names
        if other.role in ("name", "species")
    }
    found = {card.id: card for other in names for card in index.by_name(other, game)}
    return list(found.values())


def near_misses(index: CardIndex, text: str, game: str | None = None, limit: int = 5) -> list[str]:
    """Names and numbers that ``text`` may have meant, the nearest first."""
    choices = [(search_key(text), index.known_names(game))]
    if any(char.isdigit() for char in text):
        choices.append((number_key(text), index.known_numbers(game)))
    found = [
        (score, known[key])
        for query, known in choices
        for score, key in similar(query, list(known), limit)
    ]
    found.sort(key=lambda pair: -pair[0])
    return list(dict.fromkeys(choice for _, choice in found))[:limit]


def _is_japanese(text: str) -> bool:
    return any(unicodedata.east_asian_width(char) in "WH" for char in text)


def _has_japanese(index: CardIndex, game: str) -> bool:
    """Whether Japanese names of a game's cards are recorded."""
    found = index.connection.execute(
        """SELECT 1 FROM card JOIN card_name ON card_id = card.id
           WHERE game = ? AND language = 'ja' LIMIT 1""",
        (game,),
    )
    return found.fetchone() is not None


def _where_to_look(index: CardIndex, text: str, game: str | None) -> str:
    """How to find the card: by what was written only where that leads somewhere."""
    chosen = f" -g {game}" if game else ""
    key = search_key(text)
    if key and any(key in known for known in index.known_names(game)):
        return f"try: digideck find {shlex.quote(text)}{chosen}"
    return f"try a part of its name: digideck find PART{chosen}"


def near_sets(connection: sqlite3.Connection, name: str, game: str | None = None) -> list[str]:
    """Sets that ``name`` may have meant: codes of those that begin so, else codes and names."""
    rows = connection.execute(
        "SELECT code, name_en FROM card_set WHERE ? IS NULL OR game = ? ORDER BY game, position",
        (game, game),
    ).fetchall()
    key = search_key(name)
    begun = [row[0] for row in rows if any(search_key(t or "").startswith(key) for t in row)]
    if key and begun:
        return list(dict.fromkeys(begun))[:_MOST_LISTED]
    return nearest(name, (text for row in rows for text in row if text))


def set_meant(connection: sqlite3.Connection, name: str, game: str | None = None) -> str:
    """What to try instead of ``name``, which is no set."""
    listing = f"digideck sets {game or ''}".rstrip()
    return did_you_mean(near_sets(connection, name, game), f"{listing} lists them")
