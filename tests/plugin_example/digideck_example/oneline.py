"""A form of deck files: ``deck=St-1*3+St-2*4``, all on one line."""

from __future__ import annotations

from digideck.decks.formats.deck_file_format import DeckFileFormat, Written
from digideck.decks.model import Deck, DeckVocabulary
from digideck.decks.parse.text_deck import numbered_line


def _read(text: str, file: str, words: DeckVocabulary) -> Deck:
    lines = []
    for entry in text.strip().removeprefix("deck=").split("+"):
        number, _, count = entry.partition("*")
        lines.append(numbered_line(int(count or "1"), number, words, name="", place=1))
    return Deck(file, tuple(lines))


def _write(deck: Deck, words: DeckVocabulary) -> Written:
    entries = (f"{line.full_number}*{line.count}" for line in deck.lines)
    return Written(f"deck={'+'.join(entries)}\n")


ONELINE = DeckFileFormat(
    "oneline",
    "deck on one line",
    ".txt",
    _read,
    lambda text: text.startswith("deck="),
    _write,
    needs_number=True,
)
