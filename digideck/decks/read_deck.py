"""A deck from a file, whatever its form."""

from __future__ import annotations

from dataclasses import replace

from digideck.core.codes import Code
from digideck.core.problems import InputError, Problem, Severity
from digideck.core.text import shown_path
from digideck.decks.formats.deck_file_format import DeckFileFormat
from digideck.decks.formats.marks import declared_encoding
from digideck.decks.formats.registry import DECK_FILE_FORMATS, added_form_of, form_of
from digideck.decks.model import Deck, DeckVocabulary
from digideck.decks.parse.text_deck import is_address
from digideck.files.input import read_text

LARGEST_FILE = 1_000_000  # bytes
MOST_LINES = 2_000  # no game has decks of a hundred cards; a collection is not a deck
ACCEPTED = (
    "a deck list: lines such as '3 Agumon' or '3 St-1', YAML, CSV, a deck code, "
    "or a file of LackeyCCG, Cockatrice or Tabletop Simulator"
)


def read_deck(
    path: str,
    words: DeckVocabulary,
    encoding: str | None = None,
    form: DeckFileFormat | None = None,
) -> Deck:
    """The deck in the file at ``path`` (``-`` is stdin), in ``form`` if one is given.

    What is wrong with the file is in the deck's problems; nothing is raised.
    """
    file = shown_path(path)
    try:
        if is_address(path):
            text = path
        else:
            text, _ = read_text(
                path,
                limit=LARGEST_FILE,
                what="a deck file",
                encoding=encoding,
                declared=declared_encoding,
            )
        told = form is not None
        form = form or _form_of(path, text, file)
        deck = form.read(text, file, words)
        if form.code == "text" and not told and not _is_list(deck):
            added = added_form_of(text)
            if added:
                form, deck = added, added.read(text, file, words)
    except InputError as error:
        return Deck(file, (), tuple(error.problems), form=form.code if form else "")
    if len(deck.lines) > MOST_LINES:
        return Deck(file, (), (_too_long(deck),), form=form.code)
    if not deck.lines and not deck.unreadable:
        deck = replace(deck, problems=(*deck.problems, no_cards(file)))
    return replace(deck, form=form.code)


def _is_list(deck: Deck) -> bool:
    """Whether it reads as a list of cards, of which text that is none shows nothing."""
    return not deck.unreadable and any(line.number or line.count > 1 for line in deck.lines)


def _too_long(deck: Deck) -> Problem:
    return Problem(
        Code.DECK_TOO_LONG,
        Severity.ERROR,
        f"{len(deck.lines):,} lines of cards are no deck",
        deck.file,
        allowed=f"at most {MOST_LINES:,} lines",
        next_step="digideck collection import takes lists of any length",
    )


def no_cards(file: str) -> Problem:
    """The error for a file without a single card."""
    return Problem(
        Code.NO_CARDS,
        Severity.ERROR,
        "no card line found",
        file,
        allowed=ACCEPTED,
        next_step=f"expected {ACCEPTED}",
    )


def _form_of(path: str, text: str, file: str) -> DeckFileFormat:
    """By content, except for YAML, which needs no marks where the file's name tells it."""
    return (
        DECK_FILE_FORMATS["yaml"]
        if path.lower().endswith((".yaml", ".yml"))
        else form_of(text, file)
    )
