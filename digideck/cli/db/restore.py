"""``digideck db restore``"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from digideck.cli.options import Db, Json
from digideck.cli.render.output import command
from digideck.schema.connection import default_path, open_to_read
from digideck.schema.maintenance import restore


def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A copy that db backup made.")],
    db: Db = None,
    json: Json = False,
) -> None:
    """The database that is replaced is kept; its path is printed. A copy of an
    earlier digideck is brought up to date.
    """
    with command("db restore", json) as report:
        path = db or default_path()
        kept = restore(Path(file), path)
        open_to_read(path).close()
        report.data = {"file": str(path), "kept": str(kept) if kept else None}
        report.say(f"{path} is now {file}")
        if kept:
            report.say(f"The database as it was before: {kept}")
