"""The code in the addresses of digimonmeta.com's deck builder: ``4nBT22-002a4nST19-03``.

Items joined by "a", each a count, "n" and a number. Known only from the reader
in a Java program (package com.joo.digimon).
"""

from __future__ import annotations

import re

from digideck.catalog.mention_text import clean
from digideck.core.codes import Code
from digideck.core.problems import Problem, input_error
from digideck.decks.formats.deck_file_format import Written
from digideck.decks.model import MOST_ON_A_LINE, Deck, DeckVocabulary
from digideck.decks.parse.text_deck import numbered_line, unreadable_line

_ITEM = r"[0-9]{1,6}n[A-Za-z]{1,4}[0-9]{0,2}-[0-9]{1,4}"
_CODE = re.compile(rf"(?:.*[=/])?({_ITEM}(?:a{_ITEM})*)", re.IGNORECASE)
_START = re.compile(r"[\b\s]*[0-9]{1,6}n[A-Za-z]{1,4}[0-9]{0,2}-|https?://\S+\s*$")


def recognise_meta_code(text: str) -> bool:
    """Whether ``text`` is such a code, or an address that ends in one."""
    return bool(_START.match(text)) and bool(_CODE.fullmatch(_one_line(text)))


def _one_line(text: str) -> str:
    return clean(text.replace("\r", "").replace("\n", ""))


def read_meta_code(text: str, file: str, words: DeckVocabulary) -> Deck:
    """The deck in the code. Raises InputError for what is no such code."""
    match = _CODE.fullmatch(_one_line(text))
    if not match:
        raise input_error(
            Code.CODE_UNREADABLE,
            "not a deck code of digimonmeta.com",
            file=file,
            allowed="4nBT22-002a4nST19-03",
            next_step="expected counts and numbers such as 4nBT22-002a4nST19-03",
        )
    lines, problems = [], list[Problem]()
    for item in re.split("[aA](?=[0-9])", match[1]):
        count, _, number = item.replace("N", "n", 1).partition("n")
        if 1 <= int(count) <= MOST_ON_A_LINE:
            lines.append(numbered_line(int(count), number, words))
        else:
            problems.append(unreadable_line(file, None, item, f"a count of {int(count)}"))
    return Deck(file, tuple(lines), tuple(problems))


def write_meta_code(deck: Deck, words: DeckVocabulary) -> Written:
    """The code. Its numbers have been through the table's pattern."""
    return Written("a".join(f"{line.count}n{line.number}" for line in deck.lines) + "\n")
