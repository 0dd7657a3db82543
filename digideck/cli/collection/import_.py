"""``digideck collection import``"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import CardIndex
from digideck.cli.collection.edit_collection import pile_json
from digideck.cli.options import Db, Encoding, GameOption, Json
from digideck.cli.render.exits import Exit
from digideck.cli.render.output import Report, command
from digideck.collection.identify import Identifier
from digideck.collection.ledger import Holding, held, record
from digideck.collection.list_contents import Contents, Mode, contents, plan
from digideck.collection.list_reader import Listing, read_collection
from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity, input_error
from digideck.core.text import pluralize, shown_path
from digideck.files.input import decode, read_bytes
from digideck.schema.connection import back_up, default_path, open_to_write, transaction

LARGEST_FILE = 200_000_000  # bytes
_MOST_SHOWN = 20


def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file; - is standard input.")],
    add: Annotated[bool, typer.Option("--add", help="These copies come to those held.")] = False,
    set_: Annotated[
        bool, typer.Option("--set", help="Of the cards in the file, these are all copies held.")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="These are all copies held of any card.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would change, write nothing.")
    ] = False,
    partial: Annotated[
        bool, typer.Option("--partial", help="With --add: write the rows that are not refused.")
    ] = False,
    delimiter: Annotated[
        str, typer.Option(help="What separates the columns, if the header does not show it.")
    ] = "",
    game: GameOption = "",
    encoding: Encoding = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Reads digideck's own CSV and JSON, digimoncard.app (CSV, "3 BT1-001" lines, its
    save), TCGplayer, Dragon Shield, Cardmarket with names, ManaBox, Deckbox,
    Moxfield, and any table with a column for the card's number or name and one
    for the count. One of --add, --set and --replace is needed.

    A row that is refused keeps the whole file out (exit code 3). What is written
    is one batch: digideck collection undo takes it back.
    """
    with command("collection import", json) as report:
        mode = _mode(add, set_, replace)
        if partial and mode is not Mode.ADD:
            raise typer.BadParameter(
                "goes with --add only: refused rows would count as copies that are gone",
                param_hint="--partial",
            )
        if delimiter and len(delimiter) != 1:
            raise typer.BadParameter("one character, such as ;", param_hint="--delimiter")
        connection = open_to_write(db)
        index = CardIndex(connection)
        identifier = Identifier(index, check_game(index, game))
        listing = _listing(file, encoding, delimiter)
        found = contents(listing, identifier)
        changes = plan(found, mode, held(connection))
        _report(report, index, listing, found, changes)
        if found.refused and not partial:
            report.exit_code = Exit.UNUSABLE
            report.say(
                "Nothing was written. Mend the refused rows"
                + (", or add --partial to write the rest." if mode is Mode.ADD else ".")
            )
        elif dry_run:
            report.say("Nothing was written (--dry-run).")
        elif changes:
            _write(report, index, mode, listing, found, changes, db or default_path())
        else:
            report.say("Nothing to write: the collection says so already.")
        if found.refused or not found.read:
            report.exit_code = Exit.UNUSABLE


def _mode(add: bool, set_: bool, replace: bool) -> Mode:
    chosen = [m for m, on in zip(Mode, (add, set_, replace), strict=True) if on]
    if len(chosen) != 1:
        raise typer.BadParameter(
            "exactly one of them says what the file means", param_hint="--add, --set, --replace"
        )
    return chosen[0]


def _listing(path: str, encoding: str, delimiter: str) -> Listing:
    file = shown_path(path)
    data = read_bytes(path, limit=LARGEST_FILE, what="a collection")
    text, taken = decode(data, file=file, encoding=encoding or None)
    return read_collection(text, file, taken, delimiter or None)


def _report(
    report: Report, index: CardIndex, listing: Listing, found: Contents, changes: dict[Holding, int]
) -> None:
    report.say(f"{listing.file}: read as {listing.reading}")
    if listing.ignored:
        report.problem(
            Problem(
                Code.COLUMNS_IGNORED,
                Severity.WARNING,
                f"columns without a meaning here: {', '.join(listing.ignored)}",
                listing.file,
            )
        )
    for problem in found.problems:
        report.problem(problem)
    if not found.read:
        report.problem(
            Problem(Code.NO_ROWS, Severity.ERROR, "no rows below the header", listing.file)
        )
    up, down = sum(c for c in changes.values() if c > 0), sum(c for c in changes.values() if c < 0)
    if report.as_json:
        index.by_ids(dict.fromkeys(holding.card_id for holding in changes))
    report.data = {
        "file": listing.file,
        "layout": listing.layout.code,
        "read_as": listing.reading,
        "rows": found.read,
        "refused": found.refused,
        "merged": found.merged,
        "cards": len(found.cards),
        "copies": found.holdings.total(),
        "ignored_columns": list(listing.ignored),
        "copies_added": up,
        "copies_removed": -down,
        "changes": [pile_json(index, holding) | {"change": n} for holding, n in changes.items()]
        if report.as_json
        else [],
        "batch": None,
        "backup": None,
    }
    report.say(
        f"{pluralize(found.read, 'row')}: {pluralize(found.holdings.total(), 'copy', 'copies')} "
        f"of {pluralize(len(found.cards), 'card')}, {found.refused:,} refused"
    )
    for holding, count in list(changes.items())[:_MOST_SHOWN]:
        (card,) = index.by_ids([holding.card_id])
        kind = f" ({holding.shown})" if holding.shown else ""
        report.say(f"  {count:+d}  {card.key}  {card.name}{kind}")
    if len(changes) > _MOST_SHOWN:
        report.say(f"  and {len(changes) - _MOST_SHOWN:,} more; --json lists them all")
    report.say(f"In all: {pluralize(up, 'copy', 'copies')} added, {-down:,} removed")


def _write(
    report: Report,
    index: CardIndex,
    mode: Mode,
    listing: Listing,
    found: Contents,
    changes: dict[Holding, int],
    path: Path,
) -> None:
    backup = back_up(path, "collection")
    said = f"{listing.file} ({mode})"
    with transaction(index.connection):
        if plan(found, mode, held(index.connection)) != changes:
            raise input_error(
                Code.CHANGED_MEANWHILE,
                "another digideck changed the collection while the plan was shown",
                next_step="run the command again",
            )
        batch = record(index.connection, "import", said, Counter(changes))
    report.data |= {"batch": batch, "backup": str(backup)}
    report.say(f"Written as batch {batch} (digideck collection undo takes it back).")
    report.say(f"The database as it was before: {backup}")
