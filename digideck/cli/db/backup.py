"""``digideck db backup``"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from digideck.cli.options import Db, Json
from digideck.cli.render.output import command
from digideck.operations.database.maintain_database import back_up_database


def run(
    file: Annotated[
        str, typer.Argument(metavar="[FILE]", help="The copy; in the folder backups if left out.")
    ] = "",
    force: Annotated[bool, typer.Option("--force", help="Overwrite FILE.")] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """The copy is whole also while other commands write. db restore puts it back."""
    with command("db backup", json) as report:
        copy = back_up_database(Path(file) if file else None, force=force, db=db)
        report.show(copy)
        report.say(f"{copy.file}  {copy.bytes / 1e6:.1f} MB")
