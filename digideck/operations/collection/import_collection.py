"""A collection read from a file of any program into one batch of the ledger."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import CardIndex
from digideck.collection.imported_lists import (
    EarlierImport,
    content_hash,
    earlier_import,
    remember_list,
    row_keys,
)
from digideck.collection.ledger import held, record
from digideck.collection.list_contents import Contents, Mode, contents, plan
from digideck.collection.list_reader import CollectionList, read_collection
from digideck.core.codes import Code
from digideck.core.problems import InputError, Problem, Severity, input_error
from digideck.core.results import Answer, Result
from digideck.core.text import STDIN, pluralize, shown_path
from digideck.files.input import read_text
from digideck.operations.collection.holding_rows import HoldingChange, change_rows
from digideck.schema.backups import back_up
from digideck.schema.connection import closing_connections, default_path, open_to_write, transaction

LARGEST_FILE = 200_000_000  # bytes


@dataclass(frozen=True, slots=True)
class CollectionFile:
    """A file to import (``-``: standard input) and what it means: ``mode`` is add, set (of
    its cards these are all copies) or replace (of all cards).
    """

    file: str
    mode: str
    game: str = ""
    encoding: str = ""
    delimiter: str = ""
    again: bool = False  # add it also if it went in before


@dataclass(frozen=True, slots=True)
class CollectionImport(Result):
    """What a file says, and what it changes. ``batch`` is None where nothing was written."""

    file: str
    layout: str
    read_as: str
    rows: int
    refused: int
    known: int
    merged: int
    cards: int
    copies: int
    ignored_columns: tuple[str, ...]
    copies_added: int
    copies_removed: int
    changes: tuple[HoldingChange, ...]
    batch: int | None
    backup: Path | None

    @property
    def answer(self) -> Answer:
        """Unusable where a row was refused, there is none, or nothing would be left."""
        unusable = self.refused or not self.rows
        unusable = unusable or any(one.code is Code.REMOVES_ALL for one in self.problems)
        return Answer.UNUSABLE if unusable else Answer.OK


@closing_connections()
def import_collection(
    asked: CollectionFile,
    *,
    dry_run: bool = False,
    partial: bool = False,
    yes: bool = False,
    db: Path | None = None,
) -> CollectionImport:
    """Import a collection, all of its rows or none; with ``partial`` those not refused, with
    ``yes`` also a replacement that leaves nothing.

    A backup is made before anything is written.
    """
    connection = open_to_write(db)
    index = CardIndex(connection)
    game = check_game(index, asked.game)
    mode = Mode(asked.mode)
    listing, content = _listing(asked)
    keys = row_keys(listing.rows)
    path = "" if asked.file == STDIN else str(Path(asked.file).absolute())
    before = earlier_import(connection, content, path)
    if mode is not Mode.ADD or asked.again:
        before = None
    if before and before.same and not before.rows:
        raise _imported_before(listing.file, before)
    known = {place for place, key in enumerate(keys) if before and key in before.rows}
    found = contents(listing, index, game, known)
    changes = plan(found, mode, held(connection))
    batch, backup = None, None
    emptied = changes and mode is Mode.REPLACE and not found.holdings and not yes
    if changes and not (dry_run or emptied or not found.read) and (partial or not found.refused):
        backup = back_up(db or default_path(), "collection")
        with transaction(connection):
            if plan(found, mode, held(connection)) != changes:
                raise input_error(
                    Code.CHANGED_MEANWHILE,
                    "another digideck changed the collection meanwhile",
                    next_step="run the command again",
                )
            batch = record(connection, "import", f"{listing.file} ({mode})", changes)
            went_in = {*known, *found.taken} if found.refused else ()
            remember_list(connection, batch, content, path, [keys[at] for at in sorted(went_in)])
    of = found.of_most
    return CollectionImport(
        listing.file,
        listing.layout.code,
        listing.reading + (f"; as cards of {of.game}, {of.why}" if of.game else ""),
        found.read,
        found.refused,
        len(known),
        found.merged,
        len(found.cards),
        found.holdings.total(),
        listing.ignored,
        sum(count for count in changes.values() if count > 0),
        -sum(count for count in changes.values() if count < 0),
        change_rows(index, changes.items()),
        batch,
        backup,
        problems=(
            *_problems(listing, found),
            *([_removes_all(listing.file)] if emptied else ()),
            *([_went_in_before(listing.file, before, len(known))] if before else ()),
        ),
    )


def _removes_all(file: str) -> Problem:
    return Problem(
        Code.REMOVES_ALL,
        Severity.ERROR,
        "no copy is in it: every copy of the collection would be removed",
        file,
        next_step="add --yes if that is meant",
    )


def _imported_before(file: str, before: EarlierImport) -> InputError:
    return input_error(
        Code.LIST_KNOWN,
        f"this list went in before, as batch {before.batch.id} of {before.batch.made_at[:10]}; "
        "nothing was written",
        file=file,
        next_step="add --again if these are more copies; to take that batch back: "
        f"digideck collection undo {before.batch.id}",
    )


def _went_in_before(file: str, before: EarlierImport, known: int) -> Problem:
    """The note on a list that was mended, or that only has the name of an earlier one."""
    batch = f"batch {before.batch.id} of {before.batch.made_at[:10]}"
    if known:
        message = f"{pluralize(known, 'row')} went in before, with {batch}, and is left out now"
        if known > 1:
            message = message.replace(" is left", " are left")
        step = "add --again to add them once more"
        return Problem(Code.LIST_KNOWN, Severity.NOTE, message, file, next_step=step)
    message = f"another list of this name went in with {batch}; all rows of this one count"
    step = f"if it has the same copies: digideck collection undo {before.batch.id}"
    return Problem(Code.LIST_KNOWN, Severity.WARNING, message, file, next_step=step)


def _listing(asked: CollectionFile) -> tuple[CollectionList, str]:
    """The rows of the file, and the hash of its text."""
    file = shown_path(asked.file)
    text, encoding = read_text(
        asked.file, limit=LARGEST_FILE, what="a collection", encoding=asked.encoding or None
    )
    listing = read_collection(text, file, encoding.words, asked.delimiter or None)
    return listing, content_hash(text)


def _problems(listing: CollectionList, found: Contents) -> tuple[Problem, ...]:
    problems = list(found.problems)
    if listing.ignored:
        names = ", ".join(listing.ignored)
        message = f"columns without a meaning here: {names}"
        problems.insert(0, Problem(Code.COLUMNS_IGNORED, Severity.WARNING, message, listing.file))
    if not found.read:
        message = "no rows below the header"
        problems.append(Problem(Code.NO_ROWS, Severity.ERROR, message, listing.file))
    return tuple(problems)
