"""``digideck import``"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import CardIndex
from digideck.cli.options import Db, Encoding, Json
from digideck.cli.render.card_table import shown_value
from digideck.cli.render.output import Report, command, printable
from digideck.cli.render.progress import Progress
from digideck.core.codes import Code
from digideck.core.problems import InputError, Problem, Severity
from digideck.core.results import Answer
from digideck.core.text import pluralize
from digideck.files.input import InputFile
from digideck.importers.apply import NewGame, Work, import_table
from digideck.importers.columns import Columns
from digideck.importers.own_games import check_code, define_game, describes_game, read_own_game
from digideck.importers.recognise import How, open_table, reader_named
from digideck.importers.results import ON_CONFLICT, Change, Options, Outcome, Plan
from digideck.importers.rows import Table
from digideck.importers.undo import undo_last
from digideck.schema.backups import back_up
from digideck.schema.connection import closing_connections, default_path, open_to_write
from digideck.schema.games.game import Game

_MOST_SHOWN = 20
_TICKS = 100_000  # steps of SQLite between looks at the clock and at Ctrl-C


def run(
    files: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads the annotation at run time
        typer.Argument(metavar="FILE...", help="Set lists, card tables; - is standard input."),
    ] = None,
    game: Annotated[
        str, typer.Option("--game", "-g", metavar="GAME", help="The game of the cards.")
    ] = "",
    set_name: Annotated[
        str, typer.Option("--set", metavar="SET", help="The set of the cards: its code or name.")
    ] = "",
    reader: Annotated[
        str, typer.Option("--as", metavar="READER", help="The reader, if not told by the content.")
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would change, write nothing.")
    ] = False,
    partial: Annotated[
        bool, typer.Option("--partial", help="Write the good rows although others are refused.")
    ] = False,
    on_conflict: Annotated[
        str,
        typer.Option(
            metavar="fail|keep|replace",
            help="Where another import gave another value: refuse the row, keep it, replace it.",
        ),
    ] = "fail",
    new_sets: Annotated[
        bool, typer.Option("--new-sets", help="Add sets that are not in the database yet.")
    ] = False,
    new_game: Annotated[
        str,
        typer.Option(metavar="CODE", help="Cards of a game of your own, made from the columns."),
    ] = "",
    delimiter: Annotated[
        str, typer.Option(help="What separates the columns, if the header does not show it.")
    ] = "",
    sheet: Annotated[
        str, typer.Option(metavar="NAME", help="Only this sheet of a workbook, hidden or not.")
    ] = "",
    undo: Annotated[bool, typer.Option("--undo", help="Take the last import back.")] = False,
    encoding: Encoding = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """A FILE is CSV or TSV, JSON, JSON Lines, YAML, an Excel workbook, a LackeyCCG card
    table, the digimoncard.io card list, a wikimon dump or page, or a saved web page
    with tables. What it is, is told by its content.

    Lists have a header row. The column "number" is needed; others are game,
    edition, set, name, name_en, name_ja, kind, level and the figures of the game
    (cost, attack_a, gigapower ...), in any order. A blank says nothing. Card
    texts are never stored.

    Values for a card that ships are corrections: they win over what ships and
    stay when that is updated.

    A row that is refused keeps the whole file out (exit code 3); with --partial
    the others are written, still with exit code 3.

    A game of your own is a YAML file like those that ship, imported like a
    list; or --new-game CODE, whose numbers have any form and whose other
    columns are kept as text.
    """
    with command("import", json) as report, closing_connections():
        _check_usage(files, undo, delimiter, on_conflict, new_game, game)
        connection = open_to_write(db)
        task = _Task(report, connection, CardIndex(connection).games, db or default_path())
        if undo:
            task.undo(dry_run=dry_run)
            return
        options = Options(
            _game(connection, game or new_game, bool(new_game)),
            set_name or None,
            dry_run,
            partial,
            new_sets,
            on_conflict,
        )
        how = How(encoding or None, delimiter or None, sheet or None)
        named = reader_named(reader) if reader else None
        report.data = {"files": []}
        for path in files or ():
            task.import_file(path, options, how, named)


def _check_usage(
    files: list[str] | None,
    undo: bool,
    delimiter: str,
    on_conflict: str,
    new_game: str,
    game: str,
) -> None:
    if undo == bool(files):
        raise typer.BadParameter(
            "--undo takes no FILE" if undo else "a FILE is needed", param_hint="FILE"
        )
    if delimiter and len(delimiter) != 1:
        raise typer.BadParameter("one character, such as ;", param_hint="--delimiter")
    if on_conflict not in ON_CONFLICT:
        raise typer.BadParameter("one of: fail, keep, replace", param_hint="--on-conflict")
    if new_game and game:
        raise typer.BadParameter("leave --game out", param_hint="--new-game")


def _game(connection: sqlite3.Connection, code: str, new: bool) -> str | None:
    if new:
        check_code(connection, code)
        return code
    return check_game(CardIndex(connection), code)


@dataclass
class _Task:
    """The work of one command: its database, its report, and what it has written so far."""

    report: Report
    connection: sqlite3.Connection
    games: dict[str, Game]
    database: Path
    backup: Path | None = None

    def __post_init__(self) -> None:
        self.progress = Progress(quiet=self.report.as_json)
        # Python looks at Ctrl-C in here, also while one long statement runs.
        self.connection.set_progress_handler(lambda: 0, _TICKS)

    def import_file(self, path: str, options: Options, how: How, named: str | None) -> None:
        """Import one file; what is wrong with it does not stop the next."""
        self.backup = None
        try:
            with _interruptible(), InputFile(path) as source:
                if named is None and describes_game(source):
                    self._define_game(source, how, dry_run=options.dry_run)
                else:
                    self._import(source, options, how, named)
        except InputError as error:
            self.progress.clear()
            self._forget_backup()
            self.report.failed(error)
        except KeyboardInterrupt:
            self.progress.clear()
            self._forget_backup()
            self._say_interrupted()
            raise

    def _import(self, source: InputFile, options: Options, how: How, named: str | None) -> None:
        code = options.game
        new = code is not None and code not in self.games
        games = self.games.values() if code is None else [self.games[code]] if not new else []
        columns = Columns(games, open_fields=new)
        table = open_table(source, columns, how, named)

        def rows_read(rows: int) -> None:
            done = source.position() / source.size if table.reader != "xlsx" else None
            self.progress.show(f"{source.name}: {rows:,} rows", done)

        @contextmanager
        def writing() -> Iterator[None]:
            def tick() -> int:
                self.progress.show(f"{source.name}: writing")
                return 0

            self.connection.set_progress_handler(tick, _TICKS)
            yield

        work = Work(self.connection, self.games, options, rows_read, self._back_up, writing)
        plan = import_table(work, table, source, NewGame(code, columns) if new and code else None)
        self.progress.clear()
        if plan.counts["written"]:
            self.games = CardIndex(self.connection).games
        _report(self.report, table, plan, options, self.backup)

    def _define_game(self, source: InputFile, how: How, *, dry_run: bool) -> None:
        from digideck.core.strict_yaml import Mapping
        from digideck.decks.rules.rule_files import parse_format

        game = read_own_game(source, how)
        check_code(self.connection, game.code, source.name)
        for code, definition in (game.definition.get("formats") or {}).items():
            parse_format(code, Mapping.from_plain(definition, source.name), game)
        changed = not dry_run and define_game(self.connection, source, game, self._back_up)
        self.games = CardIndex(self.connection).games
        self.report.data["files"].append(
            {"file": source.name, "read_as": "game", "game": game.code, "written": changed}
        )
        formats = ", ".join(game.definition.get("formats") or {}) or "none"
        self.report.say(f"{source.name}: the game {game.code} ({game.name}), formats: {formats}")
        if changed:
            self.report.say(f"Written. The database as it was before: {self.backup}")
        else:
            self.report.say(f"Nothing {'was written (--dry-run)' if dry_run else 'to write'}.")

    def undo(self, *, dry_run: bool) -> None:
        """Take the last import back."""
        with _interruptible():
            undone = undo_last(self.connection, self.games, self._back_up, dry_run=dry_run)
        self.report.data = {"undone": asdict(undone), "written": not dry_run}
        would = "Would take" if dry_run else "Took"
        parts = (
            pluralize(undone.cards, "card"),
            pluralize(undone.values, "value"),
            pluralize(undone.printings, "printing"),
            pluralize(undone.sets, "set"),
            *([f"the game {undone.game}"] if undone.game else []),
        )
        self.report.say(f"{would} back {undone.name} of {undone.imported_at}: {', '.join(parts)}")
        if not dry_run:
            self.report.say(f"The database as it was before: {self.backup}")

    def _back_up(self) -> None:
        self.progress.show("backup")
        self.backup = back_up(self.database, "import")

    def _forget_backup(self) -> None:
        """Nothing was written: the copy is of what is there."""
        if self.backup:
            self.backup.unlink(missing_ok=True)

    def _say_interrupted(self) -> None:
        done = [str(entry["file"]) for entry in self.report.data["files"] if entry["written"]]
        if done:
            import sys

            print(printable(f"imported before that: {', '.join(done)}"), file=sys.stderr)


@contextmanager
def _interruptible() -> Iterator[None]:
    """SQLite says "interrupted" where Ctrl-C met it in the middle of a statement."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if str(error) == "interrupted":
            raise KeyboardInterrupt from None
        raise


def _report(
    report: Report, table: Table, plan: Plan, options: Options, backup: Path | None
) -> None:
    counts = {outcome: plan.counts[outcome] for outcome in Outcome}
    written = bool(plan.counts["written"])
    listed = [change for change in plan.changes if change.outcome is not Outcome.REFUSED]
    report.data["files"].append(
        {
            "file": table.file,
            "reader": table.reader,
            "read_as": table.reading,
            "ignored_columns": list(table.ignored),
            "card_text_columns": list(table.texts),
            "rows": plan.counts["read"],
            **{str(outcome): count for outcome, count in counts.items()},
            "printings": plan.counts["printings"],
            "kept": plan.counts["kept"],
            "new_sets": [name for _, name in plan.new_sets.items()],
            "written": written,
            "backup": str(backup) if backup and written else None,
            "changes": [_change_json(change) for change in plan.changes],
            "changes_not_listed": plan.counts["read"]
            - plan.counts[Outcome.UNCHANGED]
            - len(plan.changes),
        }
    )
    report.say(f"{table.file}: read as {table.reading}")
    for problem in (*_titles(table), *table.notes, *plan.grouped()):
        report.problem(problem)
    _say_changes(report, listed, counts, written=written)
    parts = [", ".join(f"{count:,} {outcome}" for outcome, count in counts.items())]
    if plan.counts["printings"]:
        parts.append(f"{plan.counts['printings']:,} put into a set")
    if plan.counts["kept"]:
        parts.append(f"{pluralize(plan.counts['kept'], 'value')} kept from other sources")
    report.say(f"{pluralize(plan.counts['read'], 'row')}: {'; '.join(parts)}")
    if plan.refused or not plan.counts["read"]:
        report.answers.append(Answer.UNUSABLE)
    if not plan.counts["read"]:
        report.problem(
            Problem(
                Code.NO_ROWS,
                Severity.ERROR,
                "no rows below the header",
                table.file,
                next_step="check that this is the whole file, or name its reader with --as",
            )
        )
    _say_written(report, plan, options, backup)


def _titles(table: Table) -> Iterator[Problem]:
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
        more = f" and {len(names) - 20} more" if len(names) > 20 else ""
        yield Problem(
            Code.COLUMNS_IGNORED,
            Severity.WARNING,
            f"columns without a meaning here: {', '.join(names[:20])}{more}",
            table.file,
        )


def _say_changes(
    report: Report, listed: list[Change], counts: dict[Outcome, int], *, written: bool
) -> None:
    for change in listed[:_MOST_SHOWN]:
        becomes = f"{change.outcome}" if written else f"would be {change.outcome}:"
        report.say(f"  line {change.line}: {becomes} {change.card}{_details(change, written)}")
    rest = counts[Outcome.ADDED] + counts[Outcome.CHANGED] - min(len(listed), _MOST_SHOWN)
    if rest:
        report.say(f"  and {rest:,} more; --json lists the first {1000:,}")


def _details(change: Change, written: bool) -> str:
    parts = [
        f"{column}: {_value(old, 'unknown')} -> {_value(new, 'settled')}"
        for column, old, new in change.details
        if change.outcome is Outcome.CHANGED
    ]
    if change.new_sets:
        parts.append(f"{'now in' if written else 'into'} set {', '.join(change.new_sets)}")
    return f" ({'; '.join(parts)})" if parts else ""


def _value(value: Any, missing: str) -> str:
    return missing if value is None else shown_value(value)


def _change_json(change: Change) -> dict[str, Any]:
    return {
        "line": change.line,
        "outcome": str(change.outcome),
        "card": change.card,
        "changes": [
            {"column": column, "old": old, "new": new} for column, old, new in change.details
        ],
        "new_sets": list(change.new_sets),
    }


def _say_written(report: Report, plan: Plan, options: Options, backup: Path | None) -> None:
    if plan.counts["written"]:
        report.say(f"Written. The database as it was before: {backup}")
    elif options.dry_run:
        report.say("Nothing was written (--dry-run).")
    elif plan.refused and not options.partial:
        report.say(
            "Nothing was written. Mend the refused rows, or add --partial to write the rest."
        )
    else:
        report.say("Nothing to write: the database has all of it already.")
