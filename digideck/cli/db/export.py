"""``digideck db export``"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from digideck.catalog.cards import CardIndex
from digideck.cli.options import Db, Json
from digideck.cli.render.output import command, print_exactly
from digideck.core.text import STDIN, pluralize, shown_path
from digideck.files.atomic_write import write_file
from digideck.schema.card_store import CardStore
from digideck.schema.connection import open_to_read
from digideck.schema.userdata import export_lines


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
        index = CardIndex(open_to_read(db))
        lines = list(export_lines(index.connection, CardStore(index.connection, index.games)))
        text = "".join(lines)
        report.data = {"records": len(lines) - 1, "file": None}
        if file != STDIN:
            write_file(Path(file), text, force=force)
            report.data["file"] = shown_path(file)
            report.say(f"{shown_path(file)}: {pluralize(len(lines) - 1, 'record')}")
        elif json:
            report.data["text"] = text
        else:
            print_exactly(text)
