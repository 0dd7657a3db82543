"""``digideck db import``"""

from __future__ import annotations

from typing import Annotated

import typer

from digideck.cli.options import Db, Json
from digideck.cli.render.output import command
from digideck.operations.database.move_userdata import import_userdata


def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file; - is standard input.")],
    db: Db = None,
    json: Json = False,
) -> None:
    """Reads what db export wrote, all of it or nothing, into a database that holds
    nothing of yours: a new one with --db, or the usual one before its first use.
    """
    with command("db import", json) as report:
        imported = import_userdata(file, db)
        report.show(imported)
        for kind, count in imported.records.items():
            report.say(f"{count:>8,}  {kind}")
        report.say(f"{imported.file}: {sum(imported.records.values()):,} records")
