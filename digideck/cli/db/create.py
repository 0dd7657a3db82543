"""``digideck db create``"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from digideck.cli.options import Json
from digideck.cli.render.output import command
from digideck.operations.database.maintain_database import create_database


def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where; no file may be there.")],
    json: Json = False,
) -> None:
    """The usual database, and the one that DIGIDECK_DB names, are made when they are first
    used. One for --db is made with this, or by a command that writes to it.
    """
    with command("db create", json) as report:
        made = create_database(Path(file))
        report.show(made)
        report.say(f"{made.file}  {made.bytes / 1e6:.1f} MB")
