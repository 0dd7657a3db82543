"""How much is printed: all of it for scripts, the first of it for people at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, Any, Optional

import typer

from digideck.cli.render.output import Report
from digideck.core.results import Listing

MOST_ROWS = 50  # of a listing on a terminal
MOST_LISTED = 20  # of what is listed beside an answer
MOST_NAMED = 5  # of what one line names

Limit = Annotated[
    Optional[int],  # noqa: UP045 - typer reads the annotation at run time
    typer.Option(
        "--limit", metavar="N", min=0, help=f"Print N rows; 0: all. {MOST_ROWS} on a terminal."
    ),
]


def page(limit: int | None, report: Report, most: int | None = None) -> int | None:
    """How many rows to ask for, None for all: ``--limit``, else ``most`` on a terminal."""
    if limit is not None:
        return limit or None
    return (most or MOST_ROWS) if at_terminal() and not report.as_json else None


def at_terminal() -> bool:
    """Whether somebody reads what is printed."""
    return sys.stdout.isatty()


def say_first(report: Report, lines: Sequence[str], most: int | None = MOST_LISTED) -> None:
    """The first lines, and how many more there are."""
    for line in lines[:most]:
        report.say(line)
    if most is not None and len(lines) > most:
        report.say(f"  and {len(lines) - most:,} more; --json lists them all")


def say_rest(report: Report, listing: Listing[Any]) -> None:
    """How many rows are not shown, if any."""
    if listing.left_out:
        report.say(f"and {listing.left_out:,} more (--limit 0 shows all)")
