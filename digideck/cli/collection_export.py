"""``digideck collection export``"""

from __future__ import annotations

from inspect import cleandoc
from pathlib import Path
from typing import Annotated

import typer

from digideck.cli.exits import Exit
from digideck.cli.options import Db, GameOption, Json
from digideck.cli.output import command, print_exactly
from digideck.cli.resolve import check_game
from digideck.cli.written import form_by_ending, write_file
from digideck.collection.ledger import held
from digideck.collection.writing import FORMS, left_out, write_collection
from digideck.schema.cards import CardIndex
from digideck.schema.database import open_to_read
from digideck.schema.problems import Problem, Severity, unusable
from digideck.schema.textfile import STDIN, shown_path
from digideck.schema.wording import counted

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
        if chosen not in FORMS:
            known = ", ".join(FORMS)
            raise unusable(
                "unknown-form",
                f"no form is called {chosen!r}",
                allowed=known,
                next_step=f"one of: {known}",
            )
        index = CardIndex(open_to_read(db))
        wanted = check_game(index, game)
        piles = held(index.connection)
        cards = {card.id: card for card in index.by_ids({pile.card_id for pile in piles})}
        if wanted:
            piles = {pile: n for pile, n in piles.items() if cards[pile.card_id].game == wanted}
        text = write_collection(piles, cards, index.games, chosen, excel=excel)
        others = left_out(piles, cards, chosen)
        copies = sum(piles.values()) - others
        report.data = {"form": chosen, "copies": copies, "left_out": others, "file": None}
        if others:
            report.problem(
                Problem(
                    "left-out",
                    Severity.WARNING,
                    f"{others:,} copies of other games are not in it: {FORMS[chosen]}",
                    have=others,
                )
            )
        if file != STDIN:
            write_file(Path(file), text, force=force)
            report.data["file"] = shown_path(file)
            report.say(
                f"{shown_path(file)}: {counted(copies, 'copy', 'copies')} as {FORMS[chosen]}"
            )
        elif json:
            report.data["text"] = text
        else:
            print_exactly(text)
        report.exit_code = Exit.OK


# "\b" keeps the lines of the list as they are.
run.__doc__ = f"{cleandoc(run.__doc__ or '')}\n\n\b\nKinds:\n" + "\n".join(
    f"{code:21} {title}" for code, title in FORMS.items()
)
