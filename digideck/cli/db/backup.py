"""``digideck db backup``"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from digideck.cli.options import Db, Json
from digideck.cli.render.output import command
from digideck.schema.backups import back_up
from digideck.schema.connection import default_path, open_to_read
from digideck.schema.maintenance import copy_to


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
        path = db or default_path()
        open_to_read(path).close()
        if file:
            target = Path(file)
            copy_to(path, target, force=force)
        else:
            target = back_up(path, "backup")
        report.data = {"file": str(target), "bytes": target.stat().st_size}
        report.say(f"{target}  {target.stat().st_size / 1e6:.1f} MB")
