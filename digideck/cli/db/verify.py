"""``digideck db verify``"""

from __future__ import annotations

from typing import Annotated

import typer

from digideck.cli.options import Db, Json
from digideck.cli.render.output import command
from digideck.core.text import pluralize
from digideck.operations.database.maintain_database import verify_database


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
        found = verify_database(db, repair=repair)
        if found.backup:
            report.say(f"The ledger was summed again. The database as it was: {found.backup}")
        report.show(found)
        if found.whole:
            ledger = pluralize(found.entries, "entry", "entries")
            report.say(
                f"Whole: {ledger} of {pluralize(found.cards, 'card')} add up to "
                f"{pluralize(found.copies, 'copy', 'copies')} held"
            )
