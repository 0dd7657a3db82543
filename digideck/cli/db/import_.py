"""``digideck db import``"""

from __future__ import annotations

from typing import Annotated

import typer

from digideck.catalog.cards import CardIndex
from digideck.cli.options import Db, Json
from digideck.cli.render.output import command
from digideck.core.codes import Code
from digideck.core.problems import input_error
from digideck.core.text import shown_path
from digideck.files.input import decode, read_bytes
from digideck.scan.store.userdata_checks import check_code, check_picture
from digideck.schema.card_store import CardStore
from digideck.schema.connection import default_path, open_to_write, transaction
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
                raise input_error(
                    Code.DATABASE_USED,
                    "this database holds data of yours already",
                    file=str(path),
                    next_step="read it into a new one, --db NEWFILE, and look at that first",
                )
            store = CardStore(index.connection, index.games)
            counts = import_lines(index.connection, store, text, shown, _CHECKS)
        report.data = {"file": str(path), "records": counts}
        for kind, count in counts.items():
            report.say(f"{count:>8,}  {kind}")
        report.say(f"{path}: {sum(counts.values()):,} records")
