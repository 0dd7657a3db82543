"""The options that describe copies, and the arguments that name cards with counts."""

from __future__ import annotations

import os
import shlex
from typing import Annotated, Optional

import typer

from digideck.catalog.arguments import check_game, split_name
from digideck.catalog.cards import CardIndex
from digideck.cli.render.output import Report
from digideck.collection.copy_requests import Request, from_lines, from_words
from digideck.collection.identify import Identifier
from digideck.collection.vocabulary import BadValue, tidy
from digideck.core.codes import Code
from digideck.core.problems import InputError, input_error
from digideck.core.text import STDIN, shown_path
from digideck.files.input import decode, read_bytes

LARGEST_LIST = 5_000_000  # bytes

Cards = Annotated[
    Optional[list[str]],  # noqa: UP045 - typer reads the annotation at run time
    typer.Argument(metavar="CARD [COUNT]...", help="Cards with counts; - is standard input."),
]
ListFile = Annotated[
    str, typer.Option("--file", metavar="FILE", help='A list of lines such as "3 St-1".')
]
# None where the option is not given: a blank one means copies of which it is not recorded.
_Text = Optional[str]  # noqa: UP045 - typer reads the annotation at run time
SetOption = Annotated[
    _Text, typer.Option("--set", metavar="SET", help="The set: its code or name.")
]
Variant = Annotated[_Text, typer.Option(help="The variant of the printing, such as P1.")]
Condition = Annotated[
    _Text, typer.Option("--condition", "-c", help="M, NM, EX, GD, LP, MP, PL, HP, PO or DMG.")
]
Language = Annotated[_Text, typer.Option("--language", "-l", help="en, ja, de ...")]
Finish = Annotated[_Text, typer.Option(help="foil, or what else tells its make.")]
Place = Annotated[_Text, typer.Option("--place", "-p", help="Where the copies are.")]
Note = Annotated[_Text, typer.Option(help="What else tells these copies from others.")]


def details(set_name: str | None = None, **given: str | None) -> dict[str, str]:
    """The details that were given, in one spelling each; a blank one is: not recorded.

    Of the set only that: its code is known once the card is. Raises InputError.
    """
    try:
        tidied = {field: tidy(field, text) for field, text in given.items() if text is not None}
    except BadValue as error:
        raise input_error(
            Code.VALUE_REFUSED,
            str(error),
            allowed=error.allowed,
            next_step=f"one of: {error.allowed}",
        ) from None
    if set_name is not None and not set_name.strip():
        tidied["set_code"] = ""
    return tidied


def asked(
    report: Report,
    index: CardIndex,
    words: list[str],
    file: str,
    encoding: str,
    game: str,
    set_name: str | None,
) -> list[Request]:
    """The requests of a command; its problems are reported."""
    identifier = Identifier(index, check_game(index, game), set_name or "")
    arguments = [word for word in words if word != STDIN]
    split = split_name(index, arguments, identifier.game, report.name)
    if split:
        raise InputError(split)
    _refuse_files(index, arguments)
    requests, problems = from_words(arguments, identifier) if arguments else ([], [])
    for path in ([STDIN] if STDIN in words else []) + ([file] if file else []):
        shown = shown_path(path)
        data = read_bytes(path, limit=LARGEST_LIST, what="a list of cards")
        text, _ = decode(data, file=shown, encoding=encoding or None)
        found = from_lines(text, shown, identifier)
        requests += found[0]
        problems += found[1]
    report.failed(InputError(*problems))
    if not requests and not problems:
        report.failed(
            input_error(
                Code.NO_CARDS,
                "no card named",
                allowed="cards with counts",
                next_step='write cards with counts, such as St-1 3, or lines such as "3 St-1" '
                "to standard input and -",
            )
        )
    return requests


def _refuse_files(index: CardIndex, words: list[str]) -> None:
    """A file that is named like a card was meant as a list of cards."""
    for word in words:
        if os.path.isfile(word) and not index.meant_by(word):
            raise input_error(
                Code.CARD_UNKNOWN,
                f"{shown_path(word)!r} is no card, but a file",
                next_step=f"add the cards listed in it with --file {shlex.quote(word)}",
            )
