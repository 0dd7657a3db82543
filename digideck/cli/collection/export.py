"""``digideck collection export``"""

from __future__ import annotations

from inspect import cleandoc
from pathlib import Path
from typing import Annotated

import typer

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import CardIndex
from digideck.cli.options import Db, GameOption, Json
from digideck.cli.render.exits import Exit
from digideck.cli.render.output import command, print_exactly
from digideck.collection.ledger import held
from digideck.collection.list_writer import COLLECTION_FORMATS, left_out, write_collection
from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity, input_error
from digideck.core.text import STDIN, pluralize, shown_path
from digideck.files.atomic_write import form_by_ending, write_file
from digideck.schema.connection import open_to_read

_ENDINGS = {".csv": "csv", ".json": "json"}


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
        chosen = form or form_by_ending(Path(file), _ENDINGS, "csv", instead=", or add --to")
        if chosen not in COLLECTION_FORMATS:
            known = ", ".join(COLLECTION_FORMATS)
            raise input_error(
                Code.UNKNOWN_FORM,
                f"no form is called {chosen!r}",
                allowed=known,
                next_step=f"one of: {known}",
            )
        index = CardIndex(open_to_read(db))
        wanted = check_game(index, game)
        holdings = held(index.connection)
        cards = {card.id: card for card in index.by_ids({holding.card_id for holding in holdings})}
        if wanted:
            holdings = {
                holding: n
                for holding, n in holdings.items()
                if cards[holding.card_id].game == wanted
            }
        text = write_collection(holdings, cards, index.games, chosen, excel=excel)
        others = left_out(holdings, cards, chosen)
        copies = sum(holdings.values()) - others
        report.data = {"form": chosen, "copies": copies, "left_out": others, "file": None}
        if others:
            report.problem(
                Problem(
                    Code.LEFT_OUT,
                    Severity.WARNING,
                    f"{others:,} copies of other games are not in it: {COLLECTION_FORMATS[chosen]}",
                    have=others,
                )
            )
        if file != STDIN:
            write_file(Path(file), text, force=force)
            report.data["file"] = shown_path(file)
            report.say(
                f"{shown_path(file)}: {pluralize(copies, 'copy', 'copies')} "
                f"as {COLLECTION_FORMATS[chosen]}"
            )
        elif json:
            report.data["text"] = text
        else:
            print_exactly(text)
        report.exit_code = Exit.OK


# "\b" keeps the lines of the list as they are.
run.__doc__ = f"{cleandoc(run.__doc__ or '')}\n\n\b\nKinds:\n" + "\n".join(
    f"{code:21} {title}" for code, title in COLLECTION_FORMATS.items()
)
