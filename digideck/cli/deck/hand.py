"""``digideck deck hand``"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Optional

import typer

from digideck.cli.deck.deck_files import Decks, said_readings
from digideck.cli.deck.odds import rules_lines, set_up_as_asked, setup_json
from digideck.cli.options import Db, Encoding, FromForm, Json
from digideck.cli.render.exits import Exit
from digideck.cli.render.output import Report, command, table
from digideck.decks.analysis.card_counts import Held
from digideck.decks.analysis.shuffle import LARGEST_SEED, Hand, deal

_NEW_SEEDS = 10**6  # short enough to type again


def run(
    deck: Annotated[str, typer.Argument(metavar="DECK", help="A deck file; - is standard input.")],
    seed: Annotated[
        Optional[int],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option(
            min=0, max=LARGEST_SEED, metavar="N", help="Deal the hands of this number again."
        ),
    ] = None,
    hands: Annotated[int, typer.Option(min=1, max=1000, metavar="K", help="How many hands.")] = 1,
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
        reader = Decks(db, encoding, from_form=from_form)
        matched = reader.matched(report, deck, format_name)
        if matched is None:
            report.exit_code = Exit.UNUSABLE
            return
        said_readings(report, matched)
        setup = set_up_as_asked(report, reader, matched, start)
        chosen = _new_seed() if seed is None else seed
        dealt = deal(setup, chosen, hands)
        report.data = {
            **setup_json(matched, setup),
            "seed": chosen,
            "hands": [_as_json(hand) for hand in dealt],
        }
        for line in rules_lines(matched, setup):
            report.say(line)
        report.say(f"  seed {chosen}")
        for number, hand in enumerate(dealt, start=1):
            _say(report, number, hand)


def _new_seed() -> int:
    import secrets

    return secrets.randbelow(_NEW_SEEDS)


def _say(report: Report, number: int, hand: Hand) -> None:
    rows = [("hand", hand.cards)]
    if hand.again is not None:
        rows.append(("put back, drawn again" if hand.forced else "if put back", hand.again))
    for title, cards in rows:
        report.say(f"{title} {number}" if title == "hand" else f"  {title}")
        for line in _table(cards):
            report.say(f"    {line}")


def _table(cards: Sequence[Held]) -> list[str]:
    shown = [(card.title, card.kind or "?", card.level or "") for card in cards]
    return list(table(shown, ("card", "kind", "level")))[1:]


def _as_json(hand: Hand) -> dict[str, Any]:
    return {
        "cards": [card.key for card in hand.cards],
        "again": None if hand.again is None else [card.key for card in hand.again],
        "put_back": hand.forced,
    }
