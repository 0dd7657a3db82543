"""Copies added, removed or set: one batch of the ledger, all of it or none."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from digideck.catalog.arguments import check_game, split_name
from digideck.catalog.cards import CardIndex
from digideck.catalog.lookup import meant_by
from digideck.collection.copy_requests import CopyReader, CopyRequest
from digideck.collection.holding_changes import EditPlanner
from digideck.collection.ledger import held, record
from digideck.core.codes import Code
from digideck.core.problems import InputError, Problem, input_error
from digideck.core.results import Answer, Result, answer_of
from digideck.core.text import STDIN, shown_path
from digideck.files.input import read_text
from digideck.operations.collection.copy_details import NO_DETAILS, CopyDetails
from digideck.operations.collection.holding_rows import WrittenChange, summary_of, written_rows
from digideck.schema.connection import closing_connections, open_to_write, transaction

LARGEST_LIST = 5_000_000  # bytes


@dataclass(frozen=True, slots=True)
class CopiesAsked:
    """Cards with counts, as words (St-1 3 "Agumon" 2; "-" is standard input) and as the
    lines of a file, and what is said of all of them.
    """

    cards: Sequence[str] = ()
    file: str = ""
    details: CopyDetails = NO_DETAILS
    game: str = ""
    encoding: str = ""


@dataclass(frozen=True, slots=True)
class CollectionEdit(Result):
    """What was written. ``batch`` is None where nothing was."""

    batch: int | None
    changes: tuple[WrittenChange, ...]

    @property
    def answer(self) -> Answer:
        """No where fewer copies are held than were to be removed."""
        return answer_of(self.problems, no=(Code.TOO_FEW,))


@closing_connections()
def add_copies(asked: CopiesAsked, db: Path | None = None) -> CollectionEdit:
    """Add copies to the collection, none of them where one card is refused."""
    return _edit("add", asked, db, EditPlanner.add)


@closing_connections()
def remove_copies(
    asked: CopiesAsked, *, any_copies: bool = False, db: Path | None = None
) -> CollectionEdit:
    """Take copies away; which ones has to be clear, unless ``any_copies`` will do."""

    def remove(planner: EditPlanner, request: CopyRequest) -> None:
        planner.remove(request, any_copies=any_copies)

    return _edit("remove", asked, db, remove)


@closing_connections()
def set_copies(asked: CopiesAsked, db: Path | None = None) -> CollectionEdit:
    """Make the copies held of each card exactly as many as its count."""
    return _edit("set", asked, db, EditPlanner.set)


def _edit(
    name: str,
    asked: CopiesAsked,
    db: Path | None,
    apply: Callable[[EditPlanner, CopyRequest], None],
) -> CollectionEdit:
    index = CardIndex(open_to_write(db))
    details = asked.details.recorded()
    requests, problems = _requests(name, index, asked)
    if problems:
        return CollectionEdit(None, (), problems=tuple(problems))
    batch = None
    with transaction(index.connection):
        planner = EditPlanner(
            held(index.connection, (request.card.id for request in requests)), details
        )
        for request in requests:
            apply(planner, request)
        changes = {holding: count for holding, count in planner.changes.items() if count}
        if changes and not planner.problems:
            summary = summary_of(request.card for request in requests)
            batch = record(index.connection, name, summary, changes)
    if planner.problems:
        return CollectionEdit(None, (), problems=tuple(planner.problems))
    return CollectionEdit(batch, written_rows(index, changes))


def _requests(
    name: str, index: CardIndex, asked: CopiesAsked
) -> tuple[list[CopyRequest], list[Problem]]:
    """What is asked of each card, and what is wrong with it."""
    reader = CopyReader(index, check_game(index, asked.game), asked.details.set_name or "")
    words = [word for word in asked.cards if word != STDIN]
    split = split_name(index, words, reader.game, f"collection {name}")
    if split:
        raise InputError(split)
    _refuse_files(index, words)
    requests, problems = reader.words(words) if words else ([], [])
    from_stdin = len(words) < len(asked.cards)
    for path in filter(None, (STDIN if from_stdin else "", asked.file)):
        shown = shown_path(path)
        text, _ = read_text(
            path, limit=LARGEST_LIST, what="a list of cards", encoding=asked.encoding or None
        )
        found = reader.lines(text, shown)
        requests += found[0]
        problems += found[1]
    if not requests and not problems:
        raise input_error(
            Code.NO_CARDS,
            "no card named",
            allowed="cards with counts",
            next_step='write cards with counts, such as St-1 3, or lines such as "3 St-1" '
            "to standard input and -",
        )
    return requests, problems


def _refuse_files(index: CardIndex, words: Sequence[str]) -> None:
    """A file that is named like a card was meant as a list of cards."""
    for word in words:
        if os.path.isfile(word) and not meant_by(index, word).cards:
            raise input_error(
                Code.CARD_UNKNOWN,
                f"{shown_path(word)!r} is no card, but a file",
                next_step=f"add the cards listed in it with --file {shlex.quote(word)}",
            )
