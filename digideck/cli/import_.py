"""``digideck import``"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from digideck.cli.options import Db, Encoding, Json
from digideck.cli.render.card_table import shown_value
from digideck.cli.render.output import Report, command, printable
from digideck.cli.render.progress import Progress
from digideck.core.problems import InputError
from digideck.core.text import pluralize
from digideck.operations.cards.import_cards import (
    FileImport,
    GameImport,
    ImportAsked,
    import_cards,
    undo_import,
)

_MOST_SHOWN = 20
_ON_CONFLICT = ("fail", "keep", "replace")


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
    with command("import", json) as report:
        _check_usage(files, undo, delimiter, on_conflict, new_game, game)
        if undo:
            _undo(report, db, dry_run)
            return
        asked = ImportAsked(
            files or (), game, set_name, reader, new_game, encoding, delimiter, sheet,
            dry_run, partial, new_sets, on_conflict,
        )  # fmt: skip
        progress = Progress(quiet=json)
        shown = _Shown(report, asked, progress)
        try:
            done = import_cards(asked, db, progress=progress.show, done=shown.file)
        except BaseException:
            shown.interrupted()
            raise
        report.take(done)


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
    if on_conflict not in _ON_CONFLICT:
        raise typer.BadParameter("one of: fail, keep, replace", param_hint="--on-conflict")
    if new_game and game:
        raise typer.BadParameter("leave --game out", param_hint="--new-game")


def _undo(report: Report, db: Path | None, dry_run: bool) -> None:
    done = undo_import(db, dry_run=dry_run)
    report.show(done)
    undone = done.undone
    parts = (
        pluralize(undone.cards, "card"),
        pluralize(undone.values, "value"),
        pluralize(undone.printings, "printing"),
        pluralize(undone.sets, "set"),
        *([f"the game {undone.game}"] if undone.game else []),
    )
    took = "Took" if done.written else "Would take"
    report.say(f"{took} back {undone.name} of {undone.imported_at}: {', '.join(parts)}")
    if done.backup:
        report.say(f"The database as it was before: {done.backup}")


class _Shown:
    """Shows what came of each file as soon as it is known."""

    def __init__(self, report: Report, asked: ImportAsked, progress: Progress) -> None:
        self.report = report
        self.asked = asked
        self.progress = progress
        self.written: list[str] = []

    def file(self, done: FileImport | GameImport | InputError) -> None:
        """Say what came of one file."""
        self.progress.clear()
        if isinstance(done, InputError):
            self.report.failed(done)
            return
        if done.written:
            self.written.append(done.file)
        if isinstance(done, GameImport):
            formats = ", ".join(done.formats) or "none"
            self.report.say(f"{done.file}: the game {done.game} ({done.name}), formats: {formats}")
            nothing = "was written (--dry-run)" if self.asked.dry_run else "to write"
            self._say_written(done, f"Nothing {nothing}.")
        else:
            self._table(done)

    def _table(self, done: FileImport) -> None:
        self.report.say(f"{done.file}: read as {done.read_as}")
        for problem in done.problems:
            self.report.problem(problem)
        listed = [change for change in done.changes if change.outcome != "refused"]
        for change in listed[:_MOST_SHOWN]:
            becomes = f"{change.outcome}" if done.written else f"would be {change.outcome}:"
            details = _details(change, done.written)
            self.report.say(f"  line {change.line}: {becomes} {change.card}{details}")
        rest = done.added + done.changed - min(len(listed), _MOST_SHOWN)
        if rest:
            self.report.say(f"  and {rest:,} more; --json lists the first {1000:,}")
        outcomes = (
            f"{done.added:,} added, {done.changed:,} changed, {done.unchanged:,} unchanged, "
            f"{done.refused:,} refused"
        )
        parts = [outcomes]
        if done.printings:
            parts.append(f"{done.printings:,} put into a set")
        if done.kept:
            parts.append(f"{pluralize(done.kept, 'value')} kept from other sources")
        self.report.say(f"{pluralize(done.rows, 'row')}: {'; '.join(parts)}")
        if self.asked.dry_run:
            nothing = "Nothing was written (--dry-run)."
        elif done.refused and not self.asked.partial:
            nothing = (
                "Nothing was written. Fix the refused rows, or add --partial to write the rest."
            )
        else:
            nothing = "Nothing to write: the database has all of it already."
        self._say_written(done, nothing)

    def _say_written(self, done: FileImport | GameImport, nothing: str) -> None:
        before = f"Written. The database as it was before: {done.backup}"
        self.report.say(before if done.written else nothing)

    def interrupted(self) -> None:
        """Say what was imported before Ctrl-C."""
        self.progress.clear()
        if self.written:
            print(printable(f"imported before that: {', '.join(self.written)}"), file=sys.stderr)


def _details(change: Any, written: bool) -> str:
    parts = [
        f"{value.column}: {_value(value.old, 'unknown')} -> {_value(value.new, 'settled')}"
        for value in change.changes
        if change.outcome == "changed"
    ]
    if change.new_sets:
        parts.append(f"{'now in' if written else 'into'} set {', '.join(change.new_sets)}")
    return f" ({'; '.join(parts)})" if parts else ""


def _value(value: Any, missing: str) -> str:
    return missing if value is None else shown_value(value)
