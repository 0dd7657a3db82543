"""Deck files as every operation on decks takes them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from digideck.core.problems import InputError, Problem
from digideck.decks.analysis.card_counts import first_choices
from digideck.decks.deck_reader import DeckReader
from digideck.decks.matched_deck import MatchedDeck


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


def usable_decks(
    reader: DeckReader, paths: Sequence[str]
) -> tuple[list[MatchedDeck], list[Problem]]:
    """The decks in files, all of which are needed: raises InputError where one cannot be used."""
    read = [reader.match(path) for path in paths]
    problems = [problem for deck in read for problem in deck.problems]
    matched = [deck.matched for deck in read if deck.matched]
    problems += [problem for deck in matched for problem in first_choices(deck)]
    if len(matched) < len(read):
        raise InputError(*problems)
    return matched, problems
