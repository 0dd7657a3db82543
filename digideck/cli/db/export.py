"""``digideck db export``"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from digideck.cli.options import Db, Json
from digideck.cli.render.output import command, print_exactly
from digideck.core.text import STDIN, pluralize
from digideck.operations.database.move_userdata import export_userdata


def run(
    file: Annotated[
        str, typer.Argument(metavar="[FILE]", help="The file; standard output if left out.")
    ] = STDIN,
    force: Annotated[bool, typer.Option("--force", help="Overwrite FILE.")] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """The ledger, wants, and the cards, sets, printings and corrections that you
    imported: one JSON object a line, cards by their numbers, nothing that ships.
    db import makes a database of it that is equal in all of this.
    """
    with command("db export", json) as report:
        exported = export_userdata(Path(file) if file != STDIN else None, force=force, db=db)
        report.show(exported)
        if exported.file:
            report.say(f"{exported.file}: {pluralize(exported.records, 'record')}")
        elif not json:
            print_exactly(exported.text or "")
