"""``digideck collection trades``"""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import CardIndex, card_order
from digideck.cli.options import Db, Encoding, GameOption, Json
from digideck.cli.render.exits import Exit
from digideck.cli.render.output import command, table
from digideck.collection.ledger import Holding, held
from digideck.collection.wants import spares
from digideck.core.text import pluralize
from digideck.decks.analysis.needs import needs_of
from digideck.decks.deck_reader import DeckReader, deck_paths
from digideck.operations.holding_rows import holding_rows, shown_holdings
from digideck.schema.connection import open_to_read


def run(
    decks: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option("--deck", metavar="DECK", help="Keep what this deck takes; may be repeated."),
    ] = None,
    keep: Annotated[int, typer.Option(min=0, help="Copies of every card to keep in any case.")] = 1,
    game: GameOption = "",
    encoding: Encoding = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """What is owned beyond what you want, one card of each set you collect, the
    --decks (built at once), and --keep of every card. Which copies to give away is
    yours to choose: all of a card's are listed.
    """
    with command("collection trades", json) as report:
        index = CardIndex(open_to_read(db))
        wanted = check_game(index, game)
        needs = needs_of(DeckReader(index.connection, encoding=encoding), deck_paths(decks or []))
        for problem in needs.problems:
            report.problem(problem)
        if not needs.complete:
            report.ended(Exit.UNUSABLE)
        found = spares(index.connection, needs.wanted, keep)
        holdings = held(index.connection, (entry.card_id for entry in found))
        cards = {card.id: card for card in index.by_ids(entry.card_id for entry in found)}
        found = [entry for entry in found if wanted in (None, cards[entry.card_id].game)]
        found.sort(key=lambda entry: card_order(cards[entry.card_id]))
        of_card: dict[int, list[tuple[Holding, int]]] = {}
        for holding, count in holdings.items():
            of_card.setdefault(holding.card_id, []).append((holding, count))
        report.data["spares"] = [
            {
                "card": cards[entry.card_id].key,
                "name": cards[entry.card_id].name,
                "spare": entry.spare,
                "owned": entry.owned,
                "kept": entry.kept,
            }
            for entry in found
        ]
        rows = [
            (
                entry.spare,
                cards[entry.card_id].key,
                cards[entry.card_id].name,
                entry.owned,
                shown_holdings(holding_rows(of_card[entry.card_id])),
            )
            for entry in found
        ]
        if rows:
            header = ("spare", "card", "name", "owned", "recorded")
            for line in table(rows, header, right=(0, 3), texts=(2, 4)):
                report.say(line)
        copies = sum(entry.spare for entry in found)
        report.data["copies"] = copies
        report.say(f"{pluralize(copies, 'copy', 'copies')} to spare")
