"""``digideck deck convert``"""

from __future__ import annotations

from inspect import cleandoc
from pathlib import Path
from typing import Annotated, Optional

import typer

from digideck.cli.options import Db, Encoding, FromForm, Json
from digideck.cli.render.output import command, print_exactly
from digideck.core.text import pluralize
from digideck.operations.decks.convert_decks import FORMS, convert_decks
from digideck.operations.decks.deck_request import DeckRequest


def run(
    decks: Annotated[
        list[str], typer.Argument(metavar="DECK...", help="Deck files; - is standard input.")
    ],
    to: Annotated[
        str, typer.Option("--to", "-t", metavar="FORM", help="The form to write, of those above.")
    ],
    out: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Write here: a file, or a folder, which is made for several decks.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace files that are there already.")
    ] = False,
    from_form: FromForm = "",
    game: Annotated[
        str, typer.Option("--game", "-g", metavar="GAME", help="The game of the cards.")
    ] = "",
    format_name: Annotated[
        str, typer.Option("--format", "-f", metavar="FORMAT", help="A format of that game.")
    ] = "",
    encoding: Encoding = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Numbers, names and zones are filled in from the database. What the other form
    has no place for is said; a card that it cannot hold at all stops the deck, and
    nothing of that deck is written. Without --out the deck goes to standard output.
    """
    with command("deck convert", json) as report:
        if out is None and len(decks) > 1:
            raise typer.BadParameter(
                "several decks need a folder to go to", param_hint="--out FOLDER"
            )
        request = DeckRequest(decks, format_name, from_form, encoding)
        done = convert_decks(request, to, out=out, force=force, game=game, db=db)
        report.show(done)
        for deck in done.decks:
            if deck.out:
                forms = f"read as {deck.read_as}, written as {deck.written_as}"
                report.say(f"{deck.file}: {pluralize(deck.cards, 'card')} {forms}: {deck.out}")
            elif not json:
                print_exactly(deck.text if deck.text.endswith("\n") else f"{deck.text}\n")


# "\b" keeps the lines of the list as they are.
run.__doc__ = f"{cleandoc(run.__doc__ or '')}\n\n\b\nForms:\n" + "\n".join(
    f"{code:17} {title}" for code, title in FORMS.items()
)
