"""``digideck barcode import``"""

from __future__ import annotations

from typing import Annotated

import typer

from digideck.cli.options import Db, Encoding, GameOption, Json
from digideck.cli.render.output import command
from digideck.core.text import pluralize
from digideck.operations.barcodes.share_links import import_links


def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file; - is standard input.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would change, write nothing.")
    ] = False,
    game: GameOption = "",
    encoding: Encoding = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Reads what barcode export writes, YAML or CSV. Lines that fit are taken; a code
    that is linked to another card here is shown, and your link stays as it is.

    Exit codes: 1 there are such conflicts, 3 a line cannot be used, 4 a card in it
    can be any of several.
    """
    with command("barcode import", json) as report:
        done = import_links(file, dry_run=dry_run, game=game, encoding=encoding, db=db)
        report.show(done)
        report.say(
            f"{done.file}: {pluralize(len(done.new), 'new link')}, {done.known:,} known, "
            f"{pluralize(done.conflicts, 'conflict')}"
            f"{f', {done.refused:,} refused' if done.refused else ''}"
        )
        if dry_run:
            report.say("Nothing was written (--dry-run).")
