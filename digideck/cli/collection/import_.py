"""``digideck collection import``"""

from __future__ import annotations

from typing import Annotated

import typer

from digideck.cli.options import Db, Encoding, GameOption, Json
from digideck.cli.render.output import Report, command
from digideck.cli.render.paging import say_first
from digideck.core.results import Answer
from digideck.core.text import pluralize
from digideck.operations.collection.import_collection import (
    CollectionFile,
    CollectionImport,
    import_collection,
)


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
    again: Annotated[
        bool, typer.Option("--again", help="With --add: also a list that went in before.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="With --replace: also where no copy would be left.")
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
    is one batch: digideck collection undo takes it back. A list that went in before
    is not added twice; once it is mended after --partial, only its other rows are.
    """
    with command("collection import", json) as report:
        mode = _mode(add=add, set=set_, replace=replace)
        if partial and mode != "add":
            raise typer.BadParameter(
                "goes with --add only: refused rows would count as copies that are gone",
                param_hint="--partial",
            )
        if delimiter and len(delimiter) != 1:
            raise typer.BadParameter("one character, such as ;", param_hint="--delimiter")
        asked = CollectionFile(file, mode, game, encoding, delimiter, again)
        done = import_collection(asked, dry_run=dry_run, partial=partial, yes=yes, db=db)
        report.show(done)
        _say_changes(report, done)
        if done.batch:
            report.say(f"Written as batch {done.batch} (digideck collection undo takes it back).")
            report.say(f"The database as it was before: {done.backup}")
        elif done.refused and not partial:
            rest = ", or add --partial to write the rest." if mode == "add" else "."
            report.say(f"Nothing was written. Fix the refused rows{rest}")
        elif done.answer is Answer.UNUSABLE and not done.refused:
            report.say("Nothing was written.")
        elif dry_run:
            report.say("Nothing was written (--dry-run).")
        else:
            report.say("Nothing to write: the collection says so already.")


def _mode(**chosen: bool) -> str:
    modes = [mode for mode, on in chosen.items() if on]
    if len(modes) != 1:
        raise typer.BadParameter(
            "exactly one of them says what the file means", param_hint="--add, --set, --replace"
        )
    return modes[0]


def _say_changes(report: Report, done: CollectionImport) -> None:
    report.say(f"{done.file}: read as {done.read_as}")
    report.say(
        f"{pluralize(done.rows, 'row')}: {pluralize(done.copies, 'copy', 'copies')} "
        f"of {pluralize(done.cards, 'card')}, {done.refused:,} refused"
    )
    say_first(report, [f"  {row.shown}" for row in done.changes])
    added = pluralize(done.copies_added, "copy", "copies")
    report.say(f"In all: {added} added, {done.copies_removed:,} removed")
