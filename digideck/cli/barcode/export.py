"""``digideck barcode export``"""

from __future__ import annotations

from typing import Annotated

import typer

from digideck.cli.options import Db, GameOption, Json
from digideck.cli.render.output import command, print_exactly
from digideck.core.text import STDIN, pluralize
from digideck.operations.barcodes.share_links import export_links


def run(
    file: Annotated[
        str, typer.Argument(metavar="[FILE]", help="The file; standard output if left out.")
    ] = STDIN,
    form: Annotated[str, typer.Option("--to", metavar="FORM", help="yaml or csv.")] = "",
    force: Annotated[bool, typer.Option("--force", help="Overwrite FILE.")] = False,
    game: GameOption = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """One code a line, in an order that is the same for everybody, so that files can be
    compared and merged. The ending of FILE tells the form, .csv or .yaml, where --to
    does not: YAML, if it has none.
    """
    with command("barcode export", json) as report:
        done = export_links(file, form=form, force=force, game=game, db=db)
        report.show(done)
        if done.file:
            report.say(f"{done.file}: {pluralize(done.codes, 'code')}")
        elif not json:
            print_exactly(done.text or "")
