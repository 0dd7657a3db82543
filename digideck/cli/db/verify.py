"""``digideck db verify``"""

from __future__ import annotations

from typing import Annotated

import typer

from digideck.cli.options import Db, Json
from digideck.cli.render.exits import Exit
from digideck.cli.render.output import command
from digideck.collection.ledger import ledger_problems, sum_again
from digideck.core.text import pluralize
from digideck.schema.backups import back_up
from digideck.schema.connection import default_path, open_to_read, open_to_write, transaction
from digideck.schema.maintenance import integrity_problems


def run(
    repair: Annotated[
        bool, typer.Option("--repair", help="Sum the ledger again, after a backup.")
    ] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Checks the file itself, that every key names something, and that what is held
    is the sum of the ledger.

    Exit code 1: something is wrong.
    """
    with command("db verify", json) as report:
        connection = open_to_read(db)
        if repair:
            backup = back_up(db or default_path(), "repair")
            writer = open_to_write(db)
            with transaction(writer):
                sum_again(writer)
            report.say(f"The ledger was summed again. The database as it was: {backup}")
        problems = [*integrity_problems(connection), *ledger_problems(connection)]
        (entries,) = connection.execute("SELECT COUNT(*) FROM entry").fetchone()
        (copies,) = connection.execute("SELECT COALESCE(SUM(count), 0) FROM holding").fetchone()
        (keys,) = connection.execute("SELECT COUNT(DISTINCT card_id) FROM entry").fetchone()
        report.data = {
            "whole": not problems, "entries": entries, "copies": copies, "cards": keys
        }  # fmt: skip
        for problem in problems:
            report.problem(problem)
        if problems:
            report.exit_code = Exit.NO
        else:
            ledger = pluralize(entries, "entry", "entries")
            report.say(
                f"Whole: {ledger} of {pluralize(keys, 'card')} add up to "
                f"{pluralize(copies, 'copy', 'copies')} held"
            )
