"""``digideck collection export``"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from digideck.cli.exits import Exit
from digideck.cli.options import Db, GameOption, Json
from digideck.cli.output import command, counted
from digideck.cli.resolve import check_game
from digideck.cli.written import write_file
from digideck.collection.ledger import held
from digideck.collection.writing import FORMS, left_out, write_collection
from digideck.schema.cards import CardIndex
from digideck.schema.database import open_to_read
from digideck.schema.problems import Problem, Severity, unusable
from digideck.schema.textfile import STDIN, shown_path

_FORM_LIST = "\n\n    ".join(f"{code}: {title}." for code, title in FORMS.items())


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
    """What a KIND has no column for is left out; csv and json hold everything."""
    with command("collection export", json) as report:
        chosen = form or ("json" if file.lower().endswith(".json") else "csv")
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


def print_exactly(text: str) -> None:
    """``text`` to standard output in UTF-8, line ends as they are."""
    sys.stdout.flush()
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(text)
        return
    buffer.write(text.encode("utf-8"))
    buffer.flush()


run.__doc__ = f"{run.__doc__}\n\n    KIND is one of:\n\n    {_FORM_LIST}\n"
