"""``digideck barcode link``"""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import CardIndex
from digideck.catalog.lookup import one_card
from digideck.cli.barcode.profile_conflicts import alike_profiles
from digideck.cli.options import Db, GameOption, Json
from digideck.cli.render.exits import Exit
from digideck.cli.render.output import command
from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity, input_error
from digideck.scan.store.links import Link, add_links, cards_by_code, cards_of, code_named, is_code
from digideck.schema.connection import open_to_write, transaction


def run(
    code: Annotated[str, typer.Argument(metavar="CODE", help="A payload, or KIND:PAYLOAD.")],
    card: Annotated[str, typer.Argument(metavar="CARD", help="A number or a name.")],
    game: GameOption = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """KIND is EAN-13, EAN-8, UPC-A, UPC-E, Code 128, Code 39, Code 93, ITF, Codabar or
    QR, in any spelling (ean13, code128), or profile: bars that were enrolled, with
    the name that barcode list gives them. It may be left out of a code that was read;
    else 13, 12 or 8 digits are an EAN-13, UPC-A or EAN-8, and all else a Code 128.
    A code can be on several cards, and a card can have several codes.

    Exit codes: 1 a profile of bars is too like another card's, 3 no such card or code,
    4 several cards have this number or name.
    """
    with command("barcode link", json) as report:
        index = CardIndex(open_to_write(db))
        wanted = check_game(index, game)
        if _swapped(index, code, card, wanted):
            raise input_error(
                Code.CARD_BEFORE_CODE,
                f"{card!r} is no card, but {code!r} is",
                next_step=f"the code comes first: digideck barcode link {shlex.join([card, code])}",
            )
        found = one_card(index, card, wanted)
        meant = code_named(index.connection, code)
        alike = alike_profiles(index, [(meant, found.id)], cards_by_code(index.connection))
        if alike:
            report.problem(alike[meant])
            report.exit_code = Exit.NO
            return
        with transaction(index.connection):
            new = add_links(index.connection, [Link(meant, found.id, "hand")])
            ids = cards_of(index.connection, meant)
        report.data = {
            "code": meant.written,
            "cards": [other.key for other in index.by_ids(ids)],
            "new": bool(new),
        }
        before = "" if new else ", as it was before"
        report.say(f"{meant.short} is {found.key}  {found.name}{before}")
        others = [other.title for other in index.by_ids(ids) if other.id != found.id]
        if others:
            report.problem(
                Problem(
                    Code.CODE_ON_SEVERAL,
                    Severity.WARNING,
                    f"the code is on {len(ids)} cards now, also on {', '.join(others)}: "
                    "its reads are not entered by themselves",
                    next_step=f"if that is wrong: digideck barcode unlink {meant.typed} CARD",
                )
            )


def _swapped(index: CardIndex, code: str, card: str, game: str | None) -> bool:
    """Whether the card was written first: each of the two can only be the other."""
    if index.meant_by(card, game) or not index.meant_by(code, game):
        return False
    return is_code(index.connection, card) and not is_code(index.connection, code)
