"""``digideck db restore``"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from digideck.cli.options import Db, Json
from digideck.cli.render.output import command
from digideck.operations.database.maintain_database import restore_database


def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A copy that db backup made.")],
    db: Db = None,
    json: Json = False,
) -> None:
    """The database that is replaced is kept; its path is printed. A copy of an
    earlier digideck is brought up to date.
    """
    with command("db restore", json) as report:
        restored = restore_database(Path(file), db)
        report.show(restored)
        report.say(f"{restored.file} is now {file}")
        if restored.kept:
            report.say(f"The database as it was before: {restored.kept}")
