"""``digideck deck convert``"""

from __future__ import annotations

from collections.abc import Sequence
from inspect import cleandoc
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import CardIndex
from digideck.cli.options import Db, Encoding, FromForm, Json
from digideck.cli.render.output import Report, command, print_exactly
from digideck.core.codes import Code
from digideck.core.problems import InputError, input_error
from digideck.core.text import STDIN, pluralize
from digideck.decks.formats.convert import Conversion, convert
from digideck.decks.formats.deck_file_format import DeckFileFormat
from digideck.decks.formats.registry import DECK_FILE_FORMATS, form_named
from digideck.decks.model import Deck, DeckVocabulary
from digideck.decks.read_deck import read_deck
from digideck.decks.rules.rule_files import FormatTable
from digideck.files.atomic_write import make_folder, write_file
from digideck.schema.connection import open_to_read


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
        form = form_named(to)
        source = form_named(from_form) if from_form else None
        connection = open_to_read(db)
        index = CardIndex(connection)
        wanted = check_game(index, game)
        if format_name:
            wanted = FormatTable(connection, index.games).get(format_name).game
        targets = _targets(decks, out, form)
        words = DeckVocabulary(index.games.values())
        report.data["decks"] = []
        for path, target in zip(decks, targets, strict=True):
            try:
                deck = read_deck(path, words, encoding or None, source)
                done = convert(deck, form, index, words, wanted)
                if target:
                    if target != out:  # made only now: where nothing converts, no folder is left
                        make_folder(target.parent)
                    write_file(target, done.text, force=force)
            except InputError as error:
                report.failed(error)
                continue
            _report(report, deck, form, done, target)


# "\b" keeps the lines of the list as they are.
run.__doc__ = f"{cleandoc(run.__doc__ or '')}\n\n\b\nForms:\n" + "\n".join(
    f"{code:17} {DECK_FILE_FORMATS[code].title}" for code in sorted(DECK_FILE_FORMATS)
)


def _targets(decks: Sequence[str], out: Path | None, form: DeckFileFormat) -> list[Path | None]:
    """Where each deck goes; None is standard output."""
    if out is None:
        if len(decks) > 1:
            raise typer.BadParameter(
                "several decks need a folder to go to", param_hint="--out FOLDER"
            )
        return [None]
    if len(decks) == 1 and not out.is_dir():
        return [out]
    targets = [
        out / f"{Path(path).stem if path != STDIN else 'deck'}{form.extension}" for path in decks
    ]
    twice = next((target for target in targets if targets.count(target) > 1), None)
    if twice:
        raise input_error(
            Code.TARGET_TWICE,
            "two of the decks would be written here",
            file=str(twice),
            next_step="convert them one at a time, with --out FILE",
        )
    return list(targets)


def _report(
    report: Report, deck: Deck, form: DeckFileFormat, done: Conversion, target: Path | None
) -> None:
    for problem in done.problems:
        report.problem(problem)
    report.data["decks"].append(_as_json(deck, form, done, target))
    if target is None:
        if not report.as_json:
            print_exactly(done.text if done.text.endswith("\n") else f"{done.text}\n")
    else:
        cards = pluralize(deck.cards(), "card")
        report.say(f"{deck.file}: {cards} read as {deck.form}, written as {form.code}: {target}")


def _as_json(
    deck: Deck, form: DeckFileFormat, done: Conversion, target: Path | None
) -> dict[str, Any]:
    return {
        "file": deck.file,
        "read_as": deck.form,
        "written_as": form.code,
        "game": done.game,
        "cards": deck.cards(),
        "details": dict(done.deck.details),
        "out": str(target) if target else None,
        "text": done.text,
    }
