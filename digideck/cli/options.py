"""The options that several commands share."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from typer.core import TyperCommand

_TERM = re.compile(r"""-[\w-]*[:=<>~("]""")


def _in_a_folder(path: Optional[Path]) -> Optional[Path]:  # noqa: UP045
    """A slip in --db must not build a database, and a folder for it, somewhere else."""
    if path is None:
        return path
    try:
        folder = path.absolute().parent
    except FileNotFoundError:
        raise typer.BadParameter("the folder that this shell is in no longer exists") from None
    if not folder.is_dir():
        raise typer.BadParameter(f"there is no folder {folder}")
    return path


Db = Annotated[
    Optional[Path],  # noqa: UP045 - typer reads the annotation at run time
    typer.Option(
        "--db",
        metavar="FILE",
        help="The database file, if not the usual one.",
        callback=_in_a_folder,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV.")]
GameOption = Annotated[
    str, typer.Option("--game", "-g", metavar="GAME", help="Only this game, such as alpha.")
]
Encoding = Annotated[
    str, typer.Option("--encoding", help="The files' encoding, if not UTF-8, such as cp932.")
]
FromForm = Annotated[
    str,
    typer.Option(
        "--from", metavar="FORM", help="The files' form, if it is not the one recognised."
    ),
]


class QueryCommand(TyperCommand):
    """A command that takes the words of a query, in which a minus leaves out: -set:AE2."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Read the arguments; a term that begins with a minus is no option behind a space."""
        options = self.get_params(ctx)
        known = {name for option in options for name in option.opts}
        valued = {n for one in options if not getattr(one, "is_flag", True) for n in one.opts}

        def is_term(before: str, arg: str) -> bool:
            named = arg in known or arg[:2] == "--" or (arg[:2] in valued and not _TERM.match(arg))
            return arg[:1] == "-" and not named and before not in valued

        pairs = zip(["", *args], args, strict=False)
        return super().parse_args(ctx, [f" {a}" if is_term(b, a) else a for b, a in pairs])
