"""``digideck db backup``"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from digideck.cli.options import Db, Json
from digideck.cli.render.output import command
from digideck.core.text import pluralize
from digideck.operations.database.maintain_database import back_up_database, list_backups


def run(
    file: Annotated[
        str, typer.Argument(metavar="[FILE]", help="The copy; in the folder backups if left out.")
    ] = "",
    force: Annotated[bool, typer.Option("--force", help="Overwrite FILE.")] = False,
    listed: Annotated[
        bool, typer.Option("--list", help="List the backups that there are.")
    ] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """The copy is whole also while other commands write. db restore puts it back.
    Commands that change much make one themselves, in the folder backups beside the
    database: the newest ten of each kind are kept, and the last of each month.
    """
    if listed and file:
        raise typer.BadParameter("goes without FILE", param_hint="--list")
    with command("db backup", json) as report:
        if listed:
            found = list_backups(db)
            report.show(found)
            rows = [
                (one.file.name, one.reason, one.made_at, f"{one.bytes / 1e6:.1f} MB")
                for one in found.backups
            ]
            report.table(rows, ("backup", "before", "made", "size"), right=(3,))
            report.say(f"{pluralize(len(rows), 'backup')} in {found.folder}")
            return
        copy = back_up_database(Path(file) if file else None, force=force, db=db)
        report.show(copy)
        report.say(f"{copy.file}  {copy.bytes / 1e6:.1f} MB")
