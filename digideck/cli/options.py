"""The options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer


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
