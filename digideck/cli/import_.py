"""``digideck import``"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from digideck.cli.exits import Exit
from digideck.cli.options import Db, Encoding, Json
from digideck.cli.output import Report, command
from digideck.cli.resolve import check_game
from digideck.importers.cards import Change, Options, Outcome, field_spellings, import_cards
from digideck.importers.cards import Report as ImportReport
from digideck.importers.csv_list import read_csv
from digideck.importers.rows import Table
from digideck.schema.cards import CardIndex
from digideck.schema.database import back_up, default_path, open_to_write
from digideck.schema.problems import Problem, Severity, Unusable
from digideck.schema.textfile import decode, read_bytes, shown_path

LARGEST_FILE = 200_000_000  # bytes
_MOST_SHOWN = 20


def run(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="CSV lists; - is standard input.")
    ],
    game: Annotated[
        str, typer.Option("--game", "-g", metavar="GAME", help="The game of the cards.")
    ] = "",
    set_name: Annotated[
        str, typer.Option("--set", metavar="SET", help="The set of the cards: its code or name.")
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would change, write nothing.")
    ] = False,
    partial: Annotated[
        bool, typer.Option("--partial", help="Write the good rows although others are refused.")
    ] = False,
    new_sets: Annotated[
        bool, typer.Option("--new-sets", help="Add sets that are not in the database yet.")
    ] = False,
    delimiter: Annotated[
        str, typer.Option(help="What separates the columns, if the header does not show it.")
    ] = "",
    encoding: Encoding = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """A FILE has a header row. The column "number" is needed; others are game,
    edition, set, name, name_en, name_ja, kind, level and the figures of the game
    (cost, attack_a, gigapower ...), in any order. A blank says nothing.

    Values for a card that ships are corrections: they win over what ships and
    stay when that is updated.

    A row that is refused keeps the whole file out (exit code 3); with --partial
    the others are written, still with exit code 3.
    """
    with command("import", json) as report:
        if delimiter and len(delimiter) != 1:
            raise typer.BadParameter("one character, such as ;", param_hint="--delimiter")
        connection = open_to_write(db)
        index = CardIndex(connection)
        options = Options(check_game(index, game), set_name or None, dry_run, partial, new_sets)
        report.data["files"] = []
        for path in files:
            try:
                data = read_bytes(path, limit=LARGEST_FILE, what="a card list")
                table = _table(path, data, index, options, encoding, delimiter)
            except Unusable as error:
                for problem in error.problems:
                    report.problem(problem)
                report.exit_code = Exit.UNUSABLE
                continue
            backup = None if dry_run else back_up(db or default_path(), "import")
            _report(report, table, import_cards(connection, table, options, _sha256(data)), backup)


def _table(
    path: str, data: bytes, index: CardIndex, options: Options, encoding: str, delimiter: str
) -> Table:
    file = shown_path(path)
    text, taken = decode(data, file=file, encoding=encoding or None)
    fields = field_spellings(index.games, options.game)
    return read_csv(text, file, fields, taken, delimiter or None)


def _sha256(data: bytes) -> str:
    import hashlib

    return hashlib.sha256(data).hexdigest()


def _report(report: Report, table: Table, done: ImportReport, backup: Path | None) -> None:
    counts = {outcome: done.counts[outcome] for outcome in Outcome}
    report.data["files"].append(
        {
            "file": table.file,
            "read_as": table.reading,
            "columns": list(table.columns),
            "ignored_columns": list(table.ignored),
            "rows": done.counts["read"],
            **{str(outcome): count for outcome, count in counts.items()},
            "printings": done.counts["printings"],
            "written": done.written,
            "backup": str(backup) if backup and done.written else None,
            "changes": [_change_json(change) for change in done.changes],
        }
    )
    report.say(f"{table.file}: read as {table.reading}")
    if table.ignored:
        report.problem(
            Problem(
                "columns-ignored",
                Severity.WARNING,
                f"columns without a meaning here: {', '.join(table.ignored)}",
                table.file,
            )
        )
    for problem in done.problems:
        report.problem(problem)
    _say_changes(report, done)
    parts = [f"{count:,} {outcome}" for outcome, count in counts.items()]
    report.say(
        f"{done.counts['read']:,} rows: {', '.join(parts)}; "
        f"{done.counts['printings']:,} new in their set"
    )
    if done.counts[Outcome.REFUSED] or not done.counts["read"]:
        report.exit_code = Exit.UNUSABLE
    if not done.counts["read"]:
        report.problem(Problem("no-rows", Severity.ERROR, "no rows below the header", table.file))
    _say_written(report, done, backup)


def _say_changes(report: Report, done: ImportReport) -> None:
    shown = [change for change in done.changes if change.outcome is not Outcome.REFUSED]
    for change in shown[:_MOST_SHOWN]:
        report.say(f"  line {change.line}: {change.outcome} {change.card}{_details(change)}")
    if len(shown) > _MOST_SHOWN:
        report.say(f"  and {len(shown) - _MOST_SHOWN:,} more; --json lists them all")


def _details(change: Change) -> str:
    parts = [
        f"{column}: {'unknown' if old is None else old} -> {'settled' if new is None else new}"
        for column, old, new in change.details
        if change.outcome is Outcome.CHANGED
    ]
    if change.new_set:
        parts.append(f"now in set {change.new_set}")
    return f" ({'; '.join(parts)})" if parts else ""


def _change_json(change: Change) -> dict[str, object]:
    return {
        "line": change.line,
        "outcome": str(change.outcome),
        "card": change.card,
        "changes": [
            {"column": column, "old": old, "new": new} for column, old, new in change.details
        ],
        "new_set": change.new_set,
    }


def _say_written(report: Report, done: ImportReport, backup: Path | None) -> None:
    if done.written:
        report.say(f"Written. The database as it was before: {backup}")
        return
    if backup:
        backup.unlink(missing_ok=True)
    if done.counts[Outcome.REFUSED] and backup:
        report.say(
            "Nothing was written. Mend the refused rows, or add --partial to write the rest."
        )
    elif backup:
        report.say("Nothing to write: the database has all of it already.")
    else:
        report.say("Nothing was written (--dry-run).")
