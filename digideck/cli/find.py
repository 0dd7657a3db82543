"""``digideck find``"""

from __future__ import annotations

from typing import Annotated

import typer

from digideck.cli.options import Csv, Db, GameOption, Json, QueryCommand
from digideck.cli.render.card_table import card_table, cards_as_csv
from digideck.cli.render.output import command, print_exactly
from digideck.cli.render.paging import Limit, page, say_rest
from digideck.core.text import pluralize
from digideck.operations.cards.find_cards import count_cards, find_cards

COMMAND = QueryCommand


def run(
    query: Annotated[list[str], typer.Argument(metavar="QUERY...", help="What to look for.")],
    game: GameOption = "",
    limit: Limit = None,
    sort: Annotated[
        str, typer.Option(metavar="FIELD", help="Sort by a field, - before it for downwards.")
    ] = "",
    count: Annotated[bool, typer.Option("--count", help="Print only how many.")] = False,
    numbers: Annotated[
        bool, typer.Option("--numbers", help="Print only game/number, one a line.")
    ] = False,
    csv: Csv = False,
    db: Db = None,
    json: Json = False,
) -> None:
    r"""\b
    Words must all be in a name, in any spelling, or in the number. Japanese names
    ship for most cards of hyper-colosseum and alpha and for many of dcg.
      greymon black          "metal greymon"        グレイモン
    Fields are game, set, number, name, kind, level and those of the games:
      level>=perfect         cost:3..5              set:AE5        type:dragon
      name~gremon            spelt about like it    name=agumon    exactly it
      from:Agumon            can evolve from it     into:"War Greymon"
      x-antibody             -kind:option           a or b         ( )
      owned>=2  owned        what you have          wanted         what you want
    A field with : has the text in it, with = is all of it. Behind a word that is no
    field a : is part of a name. Quote < and > and brackets for your shell. Levels
    compare in the order of the game.

    Exit code 1: nothing found.
    """
    with command("find", json, csv=csv) as report:
        if count:
            found = count_cards(query, game=game, db=db)
            report.show(found)
            report.say(str(found.total))
            return
        most = limit or None if csv or numbers else page(limit, report)
        found = find_cards(query, game=game, sort=sort, limit=most, db=db)
        report.show(found)
        cards = [row.card for row in found.cards.rows]
        if json or not cards:
            return
        if numbers:
            print_exactly("".join(f"{card.key}\n" for card in cards))
        elif csv:
            print_exactly(cards_as_csv(cards, found.fields))
        else:
            owned = {row.card.id: row.owned for row in found.cards.rows if row.owned}
            for line in card_table(cards, found.columns, owned):
                report.say(line)
            say_rest(report, found.cards)
            report.say(pluralize(found.total, "card"))
