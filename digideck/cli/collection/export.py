"""``digideck collection export``"""

from __future__ import annotations

from inspect import cleandoc
from typing import Annotated

import typer

from digideck.cli.options import Db, GameOption, Json
from digideck.cli.render.output import command, print_exactly
from digideck.core.text import STDIN, pluralize
from digideck.operations.collection.export_collection import collection_forms, export_collection


def run(
    file: Annotated[
        str, typer.Argument(metavar="[FILE]", help="The file; standard output if left out.")
    ] = STDIN,
    form: Annotated[
        str, typer.Option("--to", metavar="KIND", help="csv, json, or a program.")
    ] = "",
    excel: Annotated[
        bool, typer.Option("--excel", help="CSV that is safe to open in a spreadsheet.")
    ] = False,
    game: GameOption = "",
    force: Annotated[bool, typer.Option("--force", help="Overwrite FILE.")] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """What a KIND has no column for is left out; csv and json hold everything. Without
    --to the ending of FILE tells which of the two it is: csv, if it has none.
    """
    with command("collection export", json) as report:
        done = export_collection(file, form=form, excel=excel, game=game, force=force, db=db)
        report.show(done)
        if done.text is None:
            copies = pluralize(done.copies, "copy", "copies")
            report.say(f"{done.file}: {copies} as {done.title}")
        elif not json:
            print_exactly(done.text)


# "\b" keeps the lines of the list as they are.
run.__doc__ = f"{cleandoc(run.__doc__ or '')}\n\n\b\nKinds:\n" + "\n".join(
    f"{code:21} {title}" for code, title in collection_forms().items()
)
