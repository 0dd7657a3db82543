"""``digideck deck hand``"""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from digideck.cli.deck.odds import rules_lines
from digideck.cli.options import Db, Encoding, FromForm, Json
from digideck.cli.render.output import command, table
from digideck.operations.decks.deck_request import DeckRequest
from digideck.operations.decks.draw_cards import LARGEST_SEED, MOST_HANDS, deal_hands


def run(
    deck: Annotated[str, typer.Argument(metavar="DECK", help="A deck file; - is standard input.")],
    seed: Annotated[
        Optional[int],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option(
            min=0, max=LARGEST_SEED, metavar="N", help="Deal the hands of this number again."
        ),
    ] = None,
    hands: Annotated[
        int, typer.Option(min=1, max=MOST_HANDS, metavar="K", help="How many hands.")
    ] = 1,
    start: Annotated[
        str, typer.Option(metavar="CARD", help="The card you put out to start with.")
    ] = "",
    format_name: Annotated[
        str, typer.Option("--format", "-f", metavar="FORMAT", help="The format of the deck.")
    ] = "",
    from_form: FromForm = "",
    encoding: Encoding = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Each hand is of a freshly shuffled deck, by the drawing rules of the game. The
    same deck, in the same order, and the same --seed give the same hands on every
    machine and Python: the numbers are SplitMix64's. Without --seed one is chosen
    and told.
    """
    with command("deck hand", json) as report:
        request = DeckRequest((deck,), format_name, from_form, encoding)
        dealt = deal_hands(request, seed=seed, hands=hands, start=start, db=db)
        report.show(dealt)
        for line in rules_lines(dealt.deck):
            report.say(line)
        report.say(f"  seed {dealt.seed}")
        for number, hand in enumerate(dealt.hands, start=1):
            again = "put back, drawn again" if hand.put_back else "if put back"
            for title, cards in ((f"hand {number}", hand.first), (f"  {again}", hand.second)):
                if cards:
                    report.say(title)
                shown = [(card.title, card.kind or "?", card.level or "") for card in cards]
                for line in list(table(shown, ("card", "kind", "level")))[1:]:
                    report.say(f"    {line}")
