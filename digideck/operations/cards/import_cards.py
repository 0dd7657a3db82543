"""Set lists, card lists and games of the user's own, read into the database."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import CardIndex
from digideck.core.codes import Code
from digideck.core.problems import InputError, Problem, Severity
from digideck.core.results import Answer, Result, answer_of, json_field, worst
from digideck.files.input import InputFile
from digideck.importers.apply import NewGame, TableImport
from digideck.importers.list_columns import Columns
from digideck.importers.outcomes import Options, Outcome, Plan, RowOutcome
from digideck.importers.own_games import check_code, define_game, describes_game, read_own_game
from digideck.importers.recognise import How, open_table, reader_named
from digideck.importers.rows import Table
from digideck.importers.undo import Undone, undo_last
from digideck.schema.backups import back_up
from digideck.schema.connection import closing_connections, default_path, open_to_write, transaction

MOST_TITLES = 20  # of columns without a meaning that are named


@dataclass(frozen=True, slots=True)
class ImportAsked:
    """What to import and how; blank is not said. ``new_game`` is the code of a game of the
    user's own that the columns of the files define.
    """

    files: Sequence[str]
    game: str = ""
    set_name: str = ""
    reader: str = ""
    new_game: str = ""
    encoding: str = ""
    delimiter: str = ""
    sheet: str = ""
    dry_run: bool = False
    partial: bool = False
    new_sets: bool = False
    on_conflict: str = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileImport(Result):
    """What came of one file. At most some changes are listed."""

    file: str
    reader: str
    read_as: str
    ignored_columns: tuple[str, ...]
    card_text_columns: tuple[str, ...]
    rows: int
    added: int
    changed: int
    unchanged: int
    refused: int
    printings: int
    kept: int
    new_sets: tuple[str, ...]
    written: bool
    backup: Path | None
    changes: tuple[RowOutcome, ...]
    changes_not_listed: int

    @property
    def answer(self) -> Answer:
        """A file of which nothing could be used, or not all, is unusable."""
        return Answer.UNUSABLE if self.refused or not self.rows else Answer.OK


@dataclass(frozen=True, slots=True, kw_only=True)
class GameImport(Result):
    """A game of the user's own that was read, with the codes of its formats."""

    file: str
    read_as: str = "game"
    game: str
    written: bool
    name: str = json_field(None)
    formats: tuple[str, ...] = json_field(None)
    backup: Path | None = json_field(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportDone(Result):
    """What came of each file that could be read; the problems are those of the others."""

    files: tuple[FileImport | GameImport, ...]

    @property
    def answer(self) -> Answer:
        """The worst of the files'."""
        return worst([answer_of(self.problems), *(file.answer for file in self.files)])


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportUndone(Result):
    """The import that was taken back."""

    undone: Undone
    written: bool
    backup: Path | None = json_field(None)


Progress = Callable[[str, float | None], None]
Told = Callable[["FileImport | GameImport | InputError"], None]


@closing_connections()
def import_cards(
    asked: ImportAsked,
    db: Path | None = None,
    *,
    progress: Progress = lambda text, done: None,
    done: Told = lambda file: None,
) -> ImportDone:
    """Import files one after the other, each in a transaction of its own.

    What is wrong with one does not stop the next. ``done`` is told each as it ends.
    """
    connection = open_to_write(db)
    named = reader_named(asked.reader) if asked.reader else None
    if asked.new_game:
        check_code(connection, asked.new_game)
    game = asked.new_game or check_game(CardIndex(connection), asked.game)
    work = _Work(connection, db or default_path(), asked, game, progress)
    files: list[FileImport | GameImport] = []
    problems: list[Problem] = []
    for path in asked.files:
        try:
            files.append(work.import_file(path, named))
        except InputError as error:
            problems += error.problems
            done(error)
        else:
            done(files[-1])
    return ImportDone(files=tuple(files), problems=tuple(problems))


@closing_connections()
def undo_import(db: Path | None = None, *, dry_run: bool = False) -> ImportUndone:
    """Take the last import back. Raises InputError where the user's own work is in the way."""
    connection = open_to_write(db)
    copies: list[Path] = []

    @contextmanager
    def writing() -> Iterator[None]:
        copies.append(back_up(db or default_path(), "import"))
        with transaction(connection):
            yield

    undone = undo_last(connection, CardIndex(connection).games, writing, dry_run=dry_run)
    return ImportUndone(undone=undone, written=not dry_run, backup=copies[0] if copies else None)


@dataclass
class _Work:
    """One file after the other."""

    connection: sqlite3.Connection
    database: Path
    asked: ImportAsked
    game: str | None
    progress: Progress
    backup: Path | None = None

    def import_file(self, path: str, named: str | None) -> FileImport | GameImport:
        """Import one file; the backup is removed where nothing was written."""
        self.backup = None
        asked = self.asked
        how = How(asked.encoding or None, asked.delimiter or None, asked.sheet or None)
        kept = False
        try:
            with InputFile(path) as source:
                if named is None and describes_game(source):
                    found: FileImport | GameImport = self._define_game(source, how)
                else:
                    found = self._import(source, how, named)
            kept = found.written
            return found
        finally:
            if self.backup and not kept:  # it is of what is there
                self.backup.unlink(missing_ok=True)

    def _import(self, source: InputFile, how: How, named: str | None) -> FileImport:
        asked, code = self.asked, self.game
        known = CardIndex(self.connection).games
        new = code is not None and code not in known
        games = list(known.values()) if code is None else [] if new else [known[code]]
        columns = Columns(games, open_fields=new)
        table = open_table(source, columns, how, named)

        def rows_read(rows: int) -> None:
            share = source.position() / source.size if table.reader != "xlsx" else None
            self.progress(f"{source.name}: {rows:,} rows", share)

        options = Options(
            code,
            asked.set_name or None,
            asked.dry_run,
            asked.partial,
            asked.new_sets,
            asked.on_conflict,
        )
        new_game = NewGame(code, columns) if new and code else None
        with ExitStack() as writing:
            begin = partial(writing.enter_context, self._writing())
            work = TableImport(self.connection, known, options, new_game, begin, rows_read)
            plan = work.run(table, source)
        return self._result(table, plan)

    def _result(self, table: Table, plan: Plan) -> FileImport:
        counts, written = plan.counts, bool(plan.counts["written"])
        unlisted = counts["read"] - counts[Outcome.UNCHANGED] - len(plan.changes)
        return FileImport(
            file=table.file,
            reader=table.reader,
            read_as=table.reading,
            ignored_columns=tuple(table.ignored),
            card_text_columns=tuple(table.texts),
            rows=counts["read"],
            added=counts[Outcome.ADDED],
            changed=counts[Outcome.CHANGED],
            unchanged=counts[Outcome.UNCHANGED],
            refused=counts[Outcome.REFUSED],
            printings=counts["printings"],
            kept=counts["kept"],
            new_sets=tuple(plan.new_sets.values()),
            written=written,
            backup=self.backup if written else None,
            changes=tuple(plan.changes),
            changes_not_listed=unlisted,
            problems=(*_about_columns(table), *table.notes, *plan.grouped(), *_empty(table, plan)),
        )

    def _define_game(self, source: InputFile, how: How) -> GameImport:
        from digideck.core.strict_yaml import Mapping  # start-up
        from digideck.decks.rules.rule_files import parse_format  # start-up

        game = read_own_game(source, how)
        check_code(self.connection, game.code, source.name)
        formats = game.definition.get("formats") or {}
        for code, definition in formats.items():
            parse_format(code, Mapping.from_plain(definition, source.name), game)
        written = not self.asked.dry_run and define_game(
            self.connection, source, game, self._writing
        )
        return GameImport(
            file=source.name,
            game=game.code,
            written=written,
            name=game.name,
            formats=tuple(formats),
            backup=self.backup,
        )

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction, after a copy of the database as it was."""
        if not self.asked.dry_run:
            self.progress("backup", None)
            self.backup = back_up(self.database, "import")
        with transaction(self.connection):
            yield


def _about_columns(table: Table) -> Iterator[Problem]:
    """What was left out of every row."""
    if table.texts:
        yield Problem(
            Code.TEXTS_IGNORED,
            Severity.NOTE,
            f"card texts, which are never stored: {', '.join(table.texts)}",
            table.file,
        )
    if table.ignored:
        names = list(table.ignored)
        more = f" and {len(names) - MOST_TITLES} more" if len(names) > MOST_TITLES else ""
        yield Problem(
            Code.COLUMNS_IGNORED,
            Severity.WARNING,
            f"columns without a meaning here: {', '.join(names[:MOST_TITLES])}{more}",
            table.file,
        )


def _empty(table: Table, plan: Plan) -> Iterator[Problem]:
    if not plan.counts["read"]:
        yield Problem(
            Code.NO_ROWS,
            Severity.ERROR,
            "no rows below the header",
            table.file,
            next_step="check that this is the whole file, or name its reader with --as",
        )
