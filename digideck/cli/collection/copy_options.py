"""The options that describe copies, and the arguments that name cards with counts."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from digideck.operations.collection.copy_details import CopyDetails

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


def details(**given: str | None) -> dict[str, str]:
    """The details that were given, in one spelling each; a blank one is: not recorded."""
    return CopyDetails(**given).recorded()
