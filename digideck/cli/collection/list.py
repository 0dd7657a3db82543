"""``digideck collection list``"""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from digideck.cli.collection.copy_options import copy_options
from digideck.cli.options import Csv, Db, GameOption, Json, QueryCommand
from digideck.cli.render.output import Report, command, print_exactly
from digideck.cli.render.paging import Limit, page, say_rest
from digideck.core.text import pluralize
from digideck.operations.collection.copy_details import NO_DETAILS, CopyDetails
from digideck.operations.collection.holding_rows import shown_holdings
from digideck.operations.collection.list_collection import (
    OwnedAsked,
    OwnedCards,
    OwnedSums,
    collection_as_csv,
    list_collection,
    sum_up_collection,
)

COMMAND = QueryCommand


@copy_options()
def run(
    words: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads the annotation at run time
        typer.Argument(metavar="[QUERY...]", help="Only cards that find would find."),
    ] = None,
    sort: Annotated[str, typer.Option(help="number, name, count or newest.")] = "number",
    by: Annotated[
        str,
        typer.Option(
            help="Sum up by game, kind, level, name, series, set, place, condition, language, "
            "finish."
        ),
    ] = "",
    details: CopyDetails = NO_DETAILS,
    game: GameOption = "",
    limit: Limit = None,
    csv: Csv = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Options such as --place and --condition show only the copies recorded so; a blank
    one, such as --place "", those of which it is not recorded.

    Exit code 1: nothing of the kind is owned.
    """
    with command("collection list", json, csv=csv) as report:
        asked = OwnedAsked(words or (), details, game)
        if csv:
            text = collection_as_csv(asked, db)
            report.show(text)
            print_exactly(text.text)
            return
        if by:
            _say_sums(report, by, sum_up_collection(asked, by=by, db=db))
        else:
            _say_cards(report, list_collection(asked, sort=sort, limit=page(limit, report), db=db))


def _say_cards(report: Report, found: OwnedCards) -> None:
    report.show(found)
    rows = [
        (row.count, row.card, row.name, shown_holdings(row.holdings)) for row in found.cards.rows
    ]
    header = ("count", "card", "name", "recorded")
    report.table(rows, header, right=(0,), texts=(2, 3))
    say_rest(report, found.cards)
    copies = pluralize(found.copies, "copy", "copies")
    report.say(f"{pluralize(found.cards_owned, 'card')}, {copies}")


def _say_sums(report: Report, by: str, found: OwnedSums) -> None:
    report.show(found)
    rows = [
        (group[by] or "not recorded", group["cards"], group["copies"]) for group in found.groups
    ]
    report.table(rows, (by, "cards", "copies"), right=(1, 2))
    copies = pluralize(found.copies, "copy", "copies")
    report.say(f"{pluralize(found.cards_owned, 'card')}, {copies}")
