"""``digideck barcode enrol``"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import CardIndex
from digideck.catalog.lookup import one_card
from digideck.cli.barcode.profile_conflicts import alike_profiles
from digideck.cli.options import Db, GameOption, Json
from digideck.cli.render.exits import Exit
from digideck.cli.render.output import command
from digideck.core.codes import Code
from digideck.core.problems import InputError, Problem, input_error
from digideck.core.text import STDIN, shown_path
from digideck.scan.decode.symbologies import Symbology
from digideck.scan.images.folders import require_libraries
from digideck.scan.store.links import Barcode, Link, add_links, cards_by_code
from digideck.schema.connection import open_to_write, transaction

if TYPE_CHECKING:
    from digideck.scan.decode.locate import Grey


def run(
    photo: Annotated[str, typer.Argument(metavar="PHOTO", help="A sharp picture of the bars.")],
    card: Annotated[str, typer.Argument(metavar="CARD", help="A number or a name.")],
    game: GameOption = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """For bars that no reader decodes, as those for the D-Scanner: keeps what they look
    like, so that scan photos proposes the card where it sees them again. Several photos
    of one card are better than one. A profile that is too like that of another card is
    refused, and so are bars that can be read. barcode export and import carry profiles
    as lines of text.

    Exit codes: 1 too like another card's, 3 no such card, no picture, no sharp bars in
    it or bars that can be read, 4 several cards have this number or name.
    """
    with command("barcode enrol", json) as report:
        _refuse_stdin(photo)
        require_libraries()
        from digideck.scan.decode.reading import as_grey
        from digideck.scan.images.pictures import open_picture
        from digideck.scan.match.enrol import enrol_picture

        index = CardIndex(open_to_write(db))
        found = one_card(index, card, check_game(index, game))
        picture = open_picture(photo)
        if isinstance(picture, Problem):
            raise InputError(picture)
        grey = as_grey(picture.image)
        _refuse_readable(grey, shown_path(photo))
        enrolled = enrol_picture(grey)
        if enrolled is None or not enrolled.sharp:
            raise input_error(
                Code.NO_SHARP_BARS,
                "no bars are found in it" if enrolled is None else "the bars are too blurred",
                file=shown_path(photo),
                next_step="take the bars again: large, upright, sharp and without glare",
            )
        alike = alike_profiles(
            index,
            [(enrolled.code, found.id)],
            cards_by_code(index.connection),
            shown_path(photo),
        )
        if alike:
            report.problem(alike[enrolled.code])
            report.exit_code = Exit.NO
            return
        code = enrolled.code
        with transaction(index.connection):
            new = add_links(index.connection, [Link(code, found.id, "enrolled")])
        profiles = sum(
            one.kind == code.kind and found.id in ids
            for one, ids in cards_by_code(index.connection).items()
        )
        report.data = {
            "card": found.key,
            "profile": code.payload,
            "sharpness": round(enrolled.sharpness, 3),
            "profiles": profiles,
            "new": bool(new),
        }
        before = "" if new else ", as it was before"
        report.say(
            f"{code.short} is {found.key}  {found.name}{before}; profiles of this card: {profiles}"
        )


def _refuse_stdin(photo: str) -> None:
    if photo == STDIN:
        raise input_error(
            Code.NOT_A_FILE,
            "a picture is not read from standard input",
            file=shown_path(photo),
            next_step="name its file; one that is called - is ./-",
        )


def _refuse_readable(grey: Grey, photo: str) -> None:
    """A profile of bars that can be read would be a second, weaker name of their code."""
    from digideck.scan.decode.engines import zbar_is_there
    from digideck.scan.decode.reading import read_picture

    for read in read_picture(grey, zbar=zbar_is_there()):
        if read.symbology is not Symbology.QR:
            code = Barcode(*read.key)
            raise input_error(
                Code.BARS_READABLE,
                f"bars in it can be read: {code.short}",
                file=photo,
                next_step=f"link that instead: digideck barcode link {code.typed} CARD; "
                "if other bars are meant, cut the picture to them",
            )
