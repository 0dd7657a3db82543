"""Deck files as every operation on decks takes them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from digideck.decks.deck_reader import DeckReader


@dataclass(frozen=True, slots=True)
class DeckRequest:
    """Deck files ("-" is standard input) and how they are read: in which format, form
    and encoding, where these are not the files' own.
    """

    decks: Sequence[str]
    format: str = ""
    form: str = ""
    encoding: str = ""

    def reader(self, connection: sqlite3.Connection) -> DeckReader:
        """A reader for them. Raises InputError for a format or form that is not known."""
        return DeckReader(connection, self.format, self.form, self.encoding)
