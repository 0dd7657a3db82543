"""Deck files read, given a format, matched with its cards, judged: what every deck command does."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from digideck.catalog.cards import CardIndex
from digideck.core.problems import InputError, Problem, Severity
from digideck.core.text import STDIN
from digideck.decks.formats.registry import form_named
from digideck.decks.matched_deck import MatchedDeck
from digideck.decks.model import TODAY, Deck, DeckVocabulary, Occasion
from digideck.decks.read_deck import read_deck
from digideck.decks.rules.rule import Format
from digideck.decks.rules.rule_files import FormatTable
from digideck.decks.rules.verdict import Judge, Verdict


class ReadDeck(NamedTuple):
    """A deck file with the cards of its format's game; with neither where it cannot be used."""

    deck: Deck
    matched: MatchedDeck | None
    rules: Format | None
    problems: tuple[Problem, ...]


class DeckReader:
    """Reads deck after deck against one database.

    ``format_name`` is the format of all of them, else each has its own; ``form`` the
    code of the files' form, if it is not the one recognised, ``occasion`` what
    they are judged for. Raises InputError for a format or form that is not known.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        format_name: str = "",
        form: str = "",
        encoding: str = "",
        occasion: Occasion = TODAY,
    ) -> None:
        self.form = form_named(form) if form else None
        self.index = CardIndex(connection)
        self.formats = FormatTable(connection, self.index.games)
        if format_name:
            self.formats.get(format_name)
        self.format_name = format_name or None
        self.judge = Judge(self.index, self.formats, occasion)
        self.words = DeckVocabulary(self.index.games.values())
        self.encoding = encoding or None

    def read(self, path: str) -> Deck:
        """The deck in a file, its cards not looked up."""
        deck = read_deck(path, self.words, self.encoding, self.form)
        if deck.problems and path in self.formats.codes and not os.path.exists(path):
            hint = f"{path} is a format: name it with --format {path}"
            return replace(deck, problems=(replace(deck.problems[0], next_step=hint),))
        return deck

    def verdict(self, path: str) -> Verdict:
        """The verdict on the deck in a file."""
        return self.judge.verdict(self.read(path), self.format_name)

    def match(self, path: str) -> ReadDeck:
        """The deck in a file with its cards."""
        deck = self.read(path)
        if deck.unreadable:
            return ReadDeck(deck, None, None, deck.problems)
        try:
            matched, rules = self.judge.matched(deck, self.format_name)
        except InputError as error:
            return ReadDeck(deck, None, None, (*deck.problems, *error.problems))
        told = [entry for entry in matched.problems if entry.severity is not Severity.NOTE]
        return ReadDeck(deck, matched, rules, (*deck.problems, *told))


def deck_paths(named: Iterable[str]) -> Iterator[str]:
    """The files that are named, those of folders in the order of their names.

    Hidden files are left out of folders, and links to folders are not followed.
    A folder that cannot be read is among them, so that reading it says why.
    """
    for path in named:
        if path == STDIN or not os.path.isdir(path):
            yield path
            continue
        unread: list[str] = []
        for folder, folders, files in os.walk(path, onerror=_adds_to(unread)):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            yield from (os.path.join(folder, name) for name in sorted(files) if name[0] != ".")
        yield from unread


def _adds_to(unread: list[str]) -> Callable[[OSError], None]:
    def add(error: OSError) -> None:
        unread.append(str(error.filename))

    return add
