"""What arguments name, checked once for all commands."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from digideck.catalog.advice import no_card
from digideck.catalog.cards import CardIndex
from digideck.catalog.lookup import meant_by
from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.problems import Problem
from digideck.core.suggestions import no_such
from digideck.schema.games.game import games_meant


def check_game(index: CardIndex, game: str | None) -> str | None:
    """The code of the game named, None if none is. Raises InputError for one that is unknown."""
    return the_game(index, game) if game else None


def the_game(index: CardIndex, name: str) -> str:
    """The code of the game called ``name``, or that alone begins so. Raises InputError for none."""
    meant = [game.code for game in games_meant(index.games.values(), name)]
    if len(meant) != 1:
        raise no_such(Code.UNKNOWN_GAME, f"no game is called {name!r}", name, index.games, meant)
    return meant[0]


def sets_called(index: CardIndex, text: str, game: str | None = None) -> list[tuple[str, str]]:
    """The sets that ``text`` can mean, as (game, code): those of that code, else of that code or
    name in any spelling, else the one of which either begins so.
    """
    key = search_key(text)
    own = [(of, name, code) for (of, name), code in index.set_codes.items() if game in (None, of)]
    found = sorted({(of, code) for of, name, code in own if name == key})
    begun = {(of, code) for of, name, code in own if key and name.startswith(key)}
    if not found and len(begun) == 1:
        return list(begun)
    return [entry for entry in found if entry[1] == text] or found


def split_name(
    index: CardIndex, words: Sequence[str], game: str | None, command: str
) -> Problem | None:
    """The problem of words that are a card's name together, but not each a card:
    ``show War Greymon`` without quotes.
    """
    for start, end in ((0, len(words)), *_runs_without_digits(words)):
        name = " ".join(words[start:end])
        if end - start < 2 or not index.by_name(name, game):
            continue
        for word in words[start:end]:
            if not _has_digit(word) and not meant_by(index, word, game).cards:
                given = [*map(shlex.quote, words[:start]), f'"{name}"']
                given += [*map(shlex.quote, words[end:]), *(("-g", game) if game else ())]
                hint = f"did you mean: digideck {command} {' '.join(given)}?"
                return replace(no_card(index, word, game), next_step=hint)
    return None


def _runs_without_digits(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where words stand together between counts, such as 3 or x3, and numbers."""
    start = 0
    for digits, run in groupby(words, _has_digit):
        end = start + len(list(run))
        if not digits:
            yield start, end
        start = end


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))
