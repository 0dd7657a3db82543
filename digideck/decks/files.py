"""A deck from a file, whatever its form."""

from __future__ import annotations

from dataclasses import replace

from digideck.decks.model import Deck, DeckWords
from digideck.decks.text import read_text_deck
from digideck.schema.problems import Problem, Severity, Unusable
from digideck.schema.textfile import decode, read_bytes, shown_path

LARGEST_FILE = 1_000_000  # bytes; ten thousand lines of cards
ACCEPTED = "a deck list: lines such as '3 Agumon' or '3 St-1', or YAML with a list of cards"


def read_deck(path: str, words: DeckWords, encoding: str | None = None) -> Deck:
    """The deck in the file at ``path`` (``-`` is stdin).

    What is wrong with the file is in the deck's problems; nothing is raised.
    """
    file = shown_path(path)
    try:
        data = read_bytes(path, limit=LARGEST_FILE, what="a deck file")
        text, _ = decode(data, file=file, encoding=encoding)
        deck = _read_by_form(path, text, file, words)
    except Unusable as error:
        problems = tuple(problem for problem in error.problems)
        return Deck(file, (), problems)
    if deck.lines or deck.unreadable:
        return deck
    return Deck(file, (), (*deck.problems, no_cards(file)), deck.details)


def no_cards(file: str) -> Problem:
    """The error for a file without a single card."""
    return Problem(
        "no-cards",
        Severity.ERROR,
        "no card line found",
        file,
        allowed=ACCEPTED,
        next_step=f"expected {ACCEPTED}",
    )


def _json_list(text: str) -> list[str] | None:
    """The strings of a JSON list, one for each copy; None for any other text."""
    if not text.lstrip().startswith('["'):
        return None
    import json

    try:
        items = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not all(isinstance(item, str) for item in items):
        return None
    return [item.replace("\n", " ").replace("\r", " ") for item in items]


def _read_by_form(path: str, text: str, file: str, words: DeckWords) -> Deck:
    from digideck.decks.yaml_deck import looks_like_yaml, read_yaml_deck

    listed = _json_list(text)
    if listed is not None:
        deck = read_text_deck("\n".join(listed), file, words)
        lines = tuple(replace(line, line=None) for line in deck.lines)  # items are no lines
        return replace(deck, lines=lines)
    if path.lower().endswith((".yaml", ".yml")) or looks_like_yaml(text):
        return read_yaml_deck(text, file, words)
    return read_text_deck(text, file, words)
