"""The one card that a text means, and what to say of one that does not; for every room."""

from __future__ import annotations

import shlex
import sqlite3
import unicodedata
from collections.abc import Sequence

from digideck.catalog.cards import Card, CardIndex
from digideck.core.codes import Code
from digideck.core.problems import CardMention, InputError, Problem, Severity
from digideck.core.text import pluralize

_MOST_LISTED = 20


def near_sets(connection: sqlite3.Connection, name: str, game: str | None = None) -> list[str]:
    """Codes and names of sets that ``name`` may have meant, the nearest first."""
    import difflib  # takes longer to import than the rest of this

    rows = connection.execute(
        "SELECT code, name_en FROM card_set WHERE ? IS NULL OR game = ?", (game, game)
    )
    known = {text.casefold(): text for row in rows for text in row if text}
    near = difflib.get_close_matches(name.casefold(), known, n=3)
    return [known[key] for key in near]


def set_meant(connection: sqlite3.Connection, name: str, game: str | None = None) -> str:
    """What to try instead of ``name``, which is no set."""
    near = near_sets(connection, name, game)
    listing = f"digideck sets {game or ''}".rstrip()
    return f"did you mean {', '.join(near)}?" if near else f"{listing} lists them"


def one_card(index: CardIndex, text: str, game: str | None = None) -> Card:
    """The card that ``text`` means. Raises InputError for none or several."""
    return only_card(index, text, index.meant_by(text, game), game)


def only_card(index: CardIndex, text: str, found: list[Card], game: str | None) -> Card:
    """The one card of ``found``, which ``text`` can mean. Raises InputError for none or several."""
    if len(found) == 1:
        return found[0]
    raise InputError(several_cards(text, found) if found else no_card(index, text, game))


def no_card(index: CardIndex, text: str, game: str | None = None) -> Problem:
    """The problem of a text that is no card's number or name, with what to try instead."""
    game, text = index.game_and_rest(text, game)
    return Problem(
        Code.CARD_UNKNOWN,
        Severity.ERROR,
        f"no card{f' of {game}' if game else ''} has the number or name {text!r}",
        next_step=meant_instead(index, text, game) or _where_to_look(index, text, game),
    )


def meant_instead(index: CardIndex, text: str, game: str | None, limit: int = 5) -> str:
    """What a text that is no card may have meant; nothing where that cannot be told."""
    meant = _meant(index, text, game, limit)
    if game and _is_japanese(text) and not index.has_japanese(game):
        return f"no Japanese names are recorded for {game}; {meant or 'write the English one'}"
    return meant


def _meant(index: CardIndex, text: str, game: str | None, limit: int) -> str:
    if game:
        names = list(dict.fromkeys(card.name for card in index.namesakes(text, game)))
        if names:
            return f"did you mean {', '.join(names[:limit])}?"
        elsewhere = dict.fromkeys(card.game for card in index.meant_by(text))
        if elsewhere:
            return f"it is a card of {', '.join(elsewhere)}"
    near = index.near_misses(text, game, limit)
    return f"did you mean {', '.join(near)}?" if near else ""


def _is_japanese(text: str) -> bool:
    return any(unicodedata.east_asian_width(char) in "WH" for char in text)


def _where_to_look(index: CardIndex, text: str, game: str | None) -> str:
    """How to find the card: by what was written only where that leads somewhere."""
    chosen = f" -g {game}" if game else ""
    if index.is_part_of_a_name(text, game):
        return f"try: digideck find {shlex.quote(text)}{chosen}"
    return f"try a part of its name: digideck find PART{chosen}"


def one_of_them(cards: Sequence[Card]) -> str:
    """``Bo-1dw Agumon``, or ``Bo-1dw Agumon and 16 others``"""
    more = f" and {pluralize(len(cards) - 1, 'other')}" if len(cards) > 1 else ""
    return f"{cards[0].title}{more}"


def several_cards(text: str, found: list[Card]) -> Problem:
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
