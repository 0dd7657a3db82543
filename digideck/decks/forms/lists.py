"""The text lists of the 2020 game's programs.

All of them are read as any other list (`digideck.decks.text`); here is how each
is told from the others and written. Layouts: the programs' own exports, as
quoted in the README of silhouette-card-maker's Digimon plugin, in
CalcifersHearth/DCG-TTS-Importer and in the tests of aegis-digimon-tcg.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from digideck.decks.forms.form import (
    EDITIONS,
    GAME_2020,
    NAMES,
    SETS,
    VARIANTS,
    Form,
    Written,
)
from digideck.decks.model import MAIN, Deck, DeckLine, DeckWords
from digideck.decks.text import read_text_deck

EGGS = "eggs"
_LACKS = frozenset({VARIANTS, EDITIONS, SETS})

Lines = Callable[[Sequence[DeckLine]], list[str]]


def _io(lines: Sequence[DeckLine]) -> list[str]:
    """Single spaces, the eggs last under a heading of their own."""
    eggs = [line for line in lines if line.zone == EGGS]
    rest = [line for line in lines if line.zone != EGGS]
    heading = ["// Egg Deck"] if eggs else []
    return [*map(_plain_line, rest), *heading, *map(_plain_line, eggs)]


def _plain_line(line: DeckLine) -> str:
    return " ".join(part for part in (str(line.count), line.name, line.number) if part)


def _padded(tag: str, number: str) -> Lines:
    """Names filled to one width, what follows aligned on the right."""

    def lines(entries: Sequence[DeckLine]) -> list[str]:
        names = [f"{entry.count} {entry.name}".rstrip() for entry in entries]
        numbers = [f"{tag}{number.format(entry.number)}" for entry in entries]
        name_width, number_width = max(map(len, names)), max(map(len, numbers))
        return [
            f"{name:<{name_width}}  {after:>{number_width}}"
            for name, after in zip(names, numbers, strict=True)
        ]

    return lines


def _app(lines: Sequence[DeckLine]) -> list[str]:
    return [
        " ".join(part for part in (line.number, line.name, str(line.count)) if part)
        for line in lines
    ]


def _dcgo(lines: Sequence[DeckLine]) -> list[str]:
    """The program looks for its number after the last space but one."""
    return [f"{line.count} {line.name}   {line.number}{line.variant or ''} " for line in lines]


def _meta(lines: Sequence[DeckLine]) -> list[str]:
    return [f"{line.count} ({line.number})" for line in lines]


def _form(
    code: str,
    title: str,
    mark: str,
    head: Sequence[str],
    lines: Lines,
    lacks: frozenset[str] = _LACKS,
    zones: tuple[str, ...] = (),
) -> Form:
    matches = re.compile(mark).match

    def write(deck: Deck, words: DeckWords) -> Written:
        return Written("\n".join([*head, *lines(deck.lines)]) + "\n")

    return Form(
        code,
        title,
        ".txt",
        read_text_deck,
        lambda text: bool(matches(text)),
        write,
        lacks,
        zones,
        game=GAME_2020,
        needs_number=True,
    )


_TITLE = r"(?://[^\n]*\n\s*)?"
LISTS = (
    _form(
        "digimoncard.io",
        "text list of digimoncard.io",
        r"//\s*(?:Digimon Deck List|DigimonCard\.io Deck List)\b",
        ["// Digimon Deck List"],
        _io,
        zones=(MAIN, EGGS),
    ),
    _form(
        "untap",
        "text list for untap.in",
        _TITLE + r"[0-9]+ [^\n]*[(\[]DCG[)\]] \(",
        [],
        _padded("(DCG) ", "({})"),
    ),
    _form(
        "digimoncard.app",
        "text list of digimoncard.app",
        _TITLE + r"[A-Z]+[0-9]*-[0-9]+ [^\n]* [0-9]+\s*(?:\n|$)",
        ["// Digimon DeckList", ""],
        _app,
    ),
    _form(
        "digimoncard.dev",
        "text list of digimoncard.dev",
        r"// Digimon DeckList",
        ["// Digimon DeckList", ""],
        _padded("", "{}"),
    ),
    _form(
        "dcgo",
        "text list of DCGO",
        r"// DeckList\b|Name:[^\n]*\nKey Card:",
        ["// DeckList", ""],
        _dcgo,
        frozenset({EDITIONS, SETS}),
    ),
    _form(
        "digimonmeta",
        "text list of digimonmeta.com",
        r"[0-9]+ \([A-Z]+[0-9]*-[0-9]+\)\s*(?:\n|$)",
        [],
        _meta,
        _LACKS | {NAMES},
    ),
)
