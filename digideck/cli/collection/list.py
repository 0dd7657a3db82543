"""``digideck collection list``"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Optional

import typer

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import CardIndex
from digideck.catalog.lookup import set_meant
from digideck.catalog.query import find_ids, join_words, parse
from digideck.cli.collection.copy_options import (
    Condition,
    Finish,
    Language,
    Note,
    Place,
    SetOption,
    Variant,
    details,
)
from digideck.cli.collection.edit_collection import recorded
from digideck.cli.options import Db, GameOption, Json
from digideck.cli.render.exits import Exit
from digideck.cli.render.output import Report, command, table
from digideck.collection.query_terms import collection_terms
from digideck.collection.views import (
    GROUPINGS,
    SORTS,
    OwnedCard,
    grouped,
    newest_first,
    owned_cards,
)
from digideck.core.codes import Code
from digideck.core.problems import input_error
from digideck.core.text import pluralize
from digideck.schema.connection import open_to_read


def run(
    words: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads the annotation at run time
        typer.Argument(metavar="[QUERY...]", help="Only cards that find would find."),
    ] = None,
    sort: Annotated[str, typer.Option(help="number, name, count or newest.")] = "number",
    by: Annotated[str, typer.Option(help=f"Sum up by {', '.join(GROUPINGS)}.")] = "",
    set_name: SetOption = None,
    variant: Variant = None,
    condition: Condition = None,
    language: Language = None,
    finish: Finish = None,
    place: Place = None,
    note: Note = None,
    game: GameOption = "",
    limit: Annotated[int, typer.Option(min=0, help="The most cards to print; 0: all.")] = 0,
    csv: Annotated[bool, typer.Option("--csv", help="Print digideck's own CSV.")] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Options such as --place and --condition show only the copies recorded so; a blank
    one, such as --place "", those of which it is not recorded.

    Exit code 1: nothing of the kind is owned.
    """
    with command("collection list", json) as report:
        _one_of("--sort", sort, (*SORTS, "newest"))
        _one_of("--by", by, ("", *GROUPINGS))
        index = CardIndex(open_to_read(db))
        wanted = check_game(index, game)
        given = details(
            set_name,
            variant=variant,
            condition=condition,
            language=language,
            finish=finish,
            place=place,
            note=note,
        )
        ids = _found(index, words) if words else None
        cards = owned_cards(index.connection, ids, given, wanted)
        if set_name:
            cards = _in_set(index, cards, set_name)
        if sort == "newest":
            cards = newest_first(index.connection, cards)
        elif sort != "number":
            cards.sort(key=SORTS[sort])  # type: ignore[arg-type]
        if not cards:
            report.exit_code = Exit.NO
        copies = sum(card.count for card in cards)
        report.data = {"cards_owned": len(cards), "copies": copies}
        if csv:
            _print_csv(report, index, cards)
        elif by:
            _print_groups(report, cards, by)
        else:
            _print_cards(report, cards, limit)
        if not csv:
            report.say(f"{pluralize(len(cards), 'card')}, {pluralize(copies, 'copy', 'copies')}")


def _found(index: CardIndex, words: list[str]) -> list[int]:
    """The cards that find finds. The order is by id: the list has its own."""
    query = parse(join_words(words), index, collection_terms(index.connection))
    return find_ids(index, query, order="id")


def _one_of(option: str, word: str, words: Iterable[str]) -> None:
    if word not in words:
        known = ", ".join(filter(None, words))
        raise input_error(
            Code.UNKNOWN_WORD,
            f"{option} has no word {word!r}",
            allowed=known,
            next_step=f"one of: {known}",
        )


def _in_set(index: CardIndex, cards: list[OwnedCard], set_name: str) -> list[OwnedCard]:
    """The copies recorded as of the set, and those of its cards whose set is not recorded."""
    from dataclasses import replace

    from digideck.collection.identify import Identifier

    codes = dict(Identifier(index).sets_called(set_name))
    if not codes:
        raise input_error(
            Code.UNKNOWN_SET,
            f"no set is called {set_name!r}",
            next_step=set_meant(index.connection, set_name),
        )
    members = {
        row[0]
        for game, code in codes.items()
        for row in index.connection.execute(
            "SELECT card_id FROM printing WHERE game = ? AND set_code = ?", (game, code)
        )
    }
    found = []
    for card in cards:
        code = codes.get(card.game)
        holdings = [
            (holding, count)
            for holding, count in card.holdings
            if code and (holding.set_code == code or (not holding.set_code and card.id in members))
        ]
        if holdings:
            count = sum(count for _, count in holdings)
            found.append(replace(card, holdings=holdings, count=count))
    return found


def _print_cards(report: Report, cards: list[OwnedCard], limit: int) -> None:
    shown = cards[:limit] if limit else cards
    if report.as_json:
        report.data["cards"] = [_as_json(card) for card in shown]
        return
    rows = [(card.count, card.key, card.name, recorded(card.holdings)) for card in shown]
    header = ("count", "card", "name", "recorded")
    report.say("\n".join(table(rows, header, right=(0,), texts=(2, 3))))
    if len(shown) < len(cards):
        report.say(f"{len(cards) - len(shown):,} more cards not shown (--limit 0)")


def _as_json(card: OwnedCard) -> dict[str, Any]:
    return {
        "card": card.key,
        "name": card.name,
        "kind": card.kind,
        "level": card.level,
        "count": card.count,
        "piles": [
            {
                "count": count,
                "set": holding.set_code or None,
                **{
                    name: getattr(holding, name) or None
                    for name in ("variant", "condition", "language", "finish", "place", "note")
                },
            }
            for holding, count in card.holdings
        ],
    }


def _print_groups(report: Report, cards: list[OwnedCard], by: str) -> None:
    groups = grouped(cards, by)
    report.data["groups"] = [
        {by: group.name or None, "cards": group.cards, "copies": group.copies} for group in groups
    ]
    rows = [(group.name or "not recorded", group.cards, group.copies) for group in groups]
    for line in table(rows, (by, "cards", "copies"), right=(1, 2)):
        report.say(line)


def _print_csv(report: Report, index: CardIndex, cards: list[OwnedCard]) -> None:
    from digideck.cli.render.output import print_exactly
    from digideck.collection.list_writer import write_collection

    holdings = {holding: count for card in cards for holding, count in card.holdings}
    records = {card.id: card for card in index.by_ids(card.id for card in cards)}
    text = write_collection(holdings, records, index.games, "csv")
    if report.as_json:
        report.data["text"] = text
    else:
        print_exactly(text)
