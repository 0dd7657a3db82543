"""The options that describe copies, and the arguments that name cards with counts."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, Optional

import typer

from digideck.operations.collection.copy_details import CopyDetails

Cards = Annotated[
    Optional[list[str]],  # noqa: UP045 - typer reads the annotation at run time
    typer.Argument(metavar="CARD [COUNT]...", help="Cards with counts; - is standard input."),
]
ListFile = Annotated[
    str, typer.Option("--file", metavar="FILE", help='A list of lines such as "3 St-1".')
]
_Text = Optional[str]  # noqa: UP045
_OPTIONS: dict[str, Any] = {
    "set_name": typer.Option("--set", metavar="SET", help="The set: its code or name."),
    "variant": typer.Option(help="The variant of the printing, such as P1."),
    "condition": typer.Option(
        "--condition", "-c", help="M, NM, EX, GD, LP, MP, PL, HP, PO or DMG."
    ),
    "language": typer.Option("--language", "-l", help="en, ja, de ..."),
    "finish": typer.Option(help="foil, or what else tells its make."),
    "place": typer.Option("--place", "-p", help="Where the copies are."),
    "note": typer.Option(help="What else tells these copies from others."),
}
Command = Callable[..., None]


def copy_options(*left_out: str) -> Callable[[Command], Command]:
    """Give a command the options that describe copies; it gets them as one ``details``."""
    names = [name for name in _OPTIONS if name not in left_out]

    def decorate(run: Command) -> Command:
        @functools.wraps(run)
        def with_options(**given: Any) -> None:
            details = CopyDetails(**{name: given.pop(name) for name in names})
            run(**given, details=details)

        parameters = []
        for parameter in inspect.signature(run, eval_str=True).parameters.values():
            if parameter.name != "details":
                parameters.append(parameter)
                continue
            for name in names:
                option = Annotated[_Text, _OPTIONS[name]]
                parameters.append(parameter.replace(name=name, annotation=option, default=None))
        with_options.__dict__["__signature__"] = inspect.Signature(parameters)
        with_options.__annotations__ = {p.name: p.annotation for p in parameters}
        return with_options

    return decorate
