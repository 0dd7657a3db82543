"""``digideck barcode export``"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import CardIndex
from digideck.cli.options import Db, GameOption, Json
from digideck.cli.render.output import command, print_exactly
from digideck.core.codes import Code
from digideck.core.problems import input_error
from digideck.core.text import STDIN, pluralize, shown_path
from digideck.files.atomic_write import form_by_ending, write_file
from digideck.scan.store.link_files import CSV, ENDINGS, YAML, write_links
from digideck.scan.store.links import cards_by_code
from digideck.schema.connection import open_to_read


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
        chosen = _form(file, form)
        index = CardIndex(open_to_read(db))
        wanted = check_game(index, game)
        codes = {}
        for code, ids in cards_by_code(index.connection).items():
            keys = [card.key for card in index.by_ids(ids) if wanted in (None, card.game)]
            if keys:
                codes[code] = sorted(keys)
        text = write_links(codes, chosen)
        report.data = {"form": chosen, "codes": len(codes), "file": None}
        if file != STDIN:
            write_file(Path(file), text, force=force)
            report.data["file"] = shown_path(file)
            report.say(f"{shown_path(file)}: {pluralize(len(codes), 'code')}")
        elif json:
            report.data["text"] = text
        else:
            print_exactly(text)


def _form(file: str, named: str) -> str:
    """The form that is named, else that of the file's ending."""
    if named in (YAML, CSV):
        return named
    if named:
        raise input_error(
            Code.UNKNOWN_FORM, f"no form is called {named!r}", allowed="yaml, csv",
            next_step="one of: yaml, csv",
        )  # fmt: skip
    return form_by_ending(Path(file), ENDINGS, YAML, instead=", or add --to")
