"""``digideck db import``"""

from __future__ import annotations

from typing import Annotated

import typer

from digideck.cli.options import Db, Json
from digideck.cli.output import command
from digideck.scan.records import check_code, check_picture
from digideck.schema.cards import CardIndex
from digideck.schema.database import default_path, open_to_write, transaction
from digideck.schema.problems import unusable
from digideck.schema.shipped import Store
from digideck.schema.textfile import decode, read_bytes, shown_path
from digideck.schema.userdata import import_lines, is_empty

LARGEST_FILE = 1_000_000_000  # bytes
_CHECKS = {"link": check_code, "picture": check_picture}


def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file; - is standard input.")],
    db: Db = None,
    json: Json = False,
) -> None:
    """Reads what db export wrote, all of it or nothing, into a database that holds
    nothing of yours: a new one with --db, or the usual one before its first use.
    """
    with command("db import", json) as report:
        path = db or default_path()
        shown = shown_path(file)
        data = read_bytes(file, limit=LARGEST_FILE, what="an export of user data")
        text, _ = decode(data, file=shown)
        index = CardIndex(open_to_write(path))
        with transaction(index.connection):
            if not is_empty(index.connection):
                raise unusable(
                    "database-used",
                    "this database holds data of yours already",
                    file=str(path),
                    next_step="read it into a new one, --db NEWFILE, and look at that first",
                )
            store = Store(index.connection, index.games)
            counts = import_lines(index.connection, store, text, shown, _CHECKS)
        report.data = {"file": str(path), "records": counts}
        for kind, count in counts.items():
            report.say(f"{count:>8,}  {kind}")
        report.say(f"{path}: {sum(counts.values()):,} records")
