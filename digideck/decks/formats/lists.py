"""The text lists of the 2020 game's programs.

All of them are read as any other list (`digideck.decks.parse.text_deck`); here is how each
is written. Layouts: the programs' own exports, as
quoted in the README of silhouette-card-maker's Digimon plugin, in
CalcifersHearth/DCG-TTS-Importer and in the tests of aegis-digimon-tcg.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from digideck.decks.formats.deck_file_format import Written
from digideck.decks.model import Deck, DeckLine, DeckVocabulary

EGGS = "eggs"
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


_TITLE = ["// Digimon DeckList", ""]
_LISTS: dict[str, tuple[Sequence[str], Lines]] = {
    "digimoncard.io": (["// Digimon Deck List"], _io),
    "digimoncard.dev": (_TITLE, _padded("", "{}")),
    "digimoncard.app": (_TITLE, _app),
    "dcgo": (["// DeckList", ""], _dcgo),
    "digimonmeta": ([], _meta),
    "untap": ([], _padded("(DCG) ", "({})")),
}


def write_list(program: str, deck: Deck, words: DeckVocabulary) -> Written:
    """The list as ``program`` writes it."""
    head, lines = _LISTS[program]
    return Written("\n".join([*head, *lines(deck.lines)]) + "\n")
