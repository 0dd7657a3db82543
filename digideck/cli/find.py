"""``digideck find``"""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import CardIndex
from digideck.catalog.lookup import meant_instead
from digideck.catalog.provenance import card_facts
from digideck.catalog.query import Node, find_ids, join_words, parse
from digideck.cli.options import Db, GameOption, Json
from digideck.cli.render.card_table import card_table, sorted_cards, write_csv
from digideck.cli.render.exits import Exit
from digideck.cli.render.output import command, print_exactly
from digideck.collection.ledger import counts
from digideck.collection.query_terms import asks_for_copies, collection_terms
from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity
from digideck.core.text import pluralize
from digideck.schema.connection import open_to_read


def run(
    query: Annotated[list[str], typer.Argument(metavar="QUERY...", help="What to look for.")],
    game: GameOption = "",
    limit: Annotated[
        Optional[int],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option(min=1, help="The most cards to print; 50 in a table, else all."),
    ] = None,
    sort: Annotated[
        str, typer.Option(metavar="FIELD", help="Sort by a field, - before it for downwards.")
    ] = "",
    count: Annotated[bool, typer.Option("--count", help="Print only how many.")] = False,
    numbers: Annotated[
        bool, typer.Option("--numbers", help="Print only game/number, one a line.")
    ] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print all of them as CSV.")] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    r"""\b
    Words must all be in a name, in any spelling, or in the number. Japanese names
    ship for hyper-colosseum and alpha only.
      greymon black          "metal greymon"        グレイモン
    Fields are game, set, number, name, kind, level and those of the games:
      level>=perfect         cost:3..5              set:AE5        type:dragon
      name~gremon            spelt about like it    name=agumon    exactly it
      from:Agumon            can evolve from it     into:"War Greymon"
      x-antibody             -kind:option           a or b         ( )
      owned>=2  owned        what you have          wanted         what you want
    A field with : has the text in it, with = is all of it. Quote < and > and
    brackets for your shell. Levels compare in the order of the game.

    Exit code 1: nothing found.
    """
    with command("find", json) as report:
        index = CardIndex(open_to_read(db))
        wanted_game = check_game(index, game)
        text = join_words(query)
        nodes = parse(text, index, collection_terms(index.connection))
        ids = find_ids(index, nodes, game=wanted_game, first=text)
        most = limit or (None if as_csv or numbers else 50)
        cards = index.by_ids(ids if sort else ids[:most])
        if sort:
            cards = sorted_cards(cards, index, sort)
        shown = cards[:most]
        owned = counts(index.connection, (card.id for card in shown))
        report.data["total"] = len(ids)
        if report.as_json:
            report.data["cards"] = [
                card_facts(index.connection, card).as_json() | {"owned": owned.get(card.id, 0)}
                for card in shown
            ]
        if not ids:
            report.exit_code = Exit.NO
            if count:
                report.say("0")
            else:
                report.problem(_nothing(index, nodes, " ".join(query), wanted_game))
        elif count:
            report.say(str(len(ids)))
        elif numbers and not report.as_json:
            print_exactly("".join(f"{card.key}\n" for card in shown))
        elif as_csv and not report.as_json:
            write_csv(shown, index.games)
        else:
            for line in card_table(shown, index.games, owned):
                report.say(line)
            rest = len(ids) - len(shown)
            more = f", {rest:,} not shown (--limit {len(ids)})" if rest else ""
            report.say(f"{pluralize(len(ids), 'card')}{more}")


def _nothing(index: CardIndex, query: Node, text: str, game: str | None) -> Problem:
    if asks_for_copies(query):
        step = "see digideck collection list for what you own, collection wants for what you want"
    else:
        step = meant_instead(index, text, game) or "try fewer words, or name~word"
    return Problem(
        Code.NOTHING_FOUND,
        Severity.ERROR,
        f"no card matches {text!r}",
        next_step=step,
    )
