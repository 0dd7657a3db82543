"""``digideck deck odds``"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated, Optional

import typer

from digideck.cli.options import Db, Encoding, FromForm, Json
from digideck.cli.render.output import command, table
from digideck.cli.render.progress import Progress
from digideck.core.text import pluralize
from digideck.operations.decks.deck_request import DeckRequest
from digideck.operations.decks.draw_cards import (
    Odds,
    OddsRow,
    OddsWanted,
    ShuffledDeck,
    compute_odds,
)

_Texts = Optional[list[str]]  # noqa: UP045 - typer reads the annotation at run time


def run(
    deck: Annotated[str, typer.Argument(metavar="DECK", help="A deck file; - is standard input.")],
    card: Annotated[
        _Texts, typer.Option("--card", "-c", metavar="CARD", help="One card, best by its number.")
    ] = None,
    name: Annotated[
        _Texts, typer.Option("--name", "-n", metavar="NAME", help="All that count as one name.")
    ] = None,
    level: Annotated[
        _Texts, typer.Option("--level", "-l", metavar="LEVEL", help="All cards of a level.")
    ] = None,
    query: Annotated[
        _Texts, typer.Option("--find", "-q", metavar="QUERY", help="All that find would find.")
    ] = None,
    at_least: Annotated[
        int, typer.Option(min=1, max=99, metavar="N", help="How many of each are wanted.")
    ] = 1,
    together: Annotated[
        bool, typer.Option("--together", help="Add the chance of all of them together.")
    ] = False,
    turn: Annotated[
        int, typer.Option(min=0, max=99, metavar="T", help="The last turn of the table.")
    ] = 4,
    replace: Annotated[
        str,
        typer.Option(
            metavar="N|all|none",
            help="Cards of the hand played or discarded each turn, where hands are filled up.",
        ),
    ] = "",
    keep_hand: Annotated[
        bool, typer.Option("--keep-hand", help="Never put the opening hand back.")
    ] = False,
    second: Annotated[bool, typer.Option("--second", help="You go second.")] = False,
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
    """How likely it is to have drawn at least so many of some cards: in the opening
    hand and by each turn, exactly, by the drawing rules of the game. Any of --card,
    --name, --level and --find may be given several times, each with a number of its
    own in front ("2x St-1"). Without any, the levels of the deck.
    """
    with command("deck odds", json) as report:
        wanted = OddsWanted(
            card or (),
            name or (),
            level or (),
            query or (),
            at_least,
            together,
            turn,
            _replaced(replace),
            keep_hand,
            second,
            start,
        )
        request = DeckRequest((deck,), format_name, from_form, encoding)
        with Progress(quiet=json) as progress:
            odds = compute_odds(request, wanted, progress=progress.show, db=db)
        report.show(odds)
        for line in (*rules_lines(odds.deck), *_lines(odds)):
            report.say(line)


def _replaced(text: str) -> int | None:
    """The number of cards that are replaced each turn; None for none and for all."""
    words = {"": None, "none": 0, "all": 99}
    if text in words:
        return words[text]
    if not (text.isascii() and text.isdigit() and len(text) <= 2):
        raise typer.BadParameter("a number of cards, all or none", param_hint="--replace")
    return int(text)


def rules_lines(deck: ShuffledDeck) -> Iterator[str]:
    """The setup and the rules it is by, for people."""
    yield f"{deck.file}: {deck.format}, {pluralize(deck.shuffled, 'card')} shuffled"
    if deck.start_title:
        yield f"  starts with {deck.start_title} (another: --start CARD)"
    for rule in deck.rules:
        assumed = ", assumed" if rule.assumed else ""
        yield f"  {rule.text}"
        yield f"      {rule.certainty}{assumed}; source: {rule.source}"


def _lines(odds: Odds) -> Iterator[str]:
    yield "  Counted: every card drawn by then, whatever became of it, without costs and effects."
    if odds.redraw:
        yield f"  Opening hand: {odds.redraw}."
    if odds.turn_matters:
        yield f"  You go {'second' if odds.second else 'first (--second for second)'}."
    for replaced, turn in odds.drawn_through:
        policy = "" if replaced is None else f"{_kept(odds, replaced)}: "
        yield f"  {policy}all is drawn by turn {turn}; a deck shuffled anew is not counted."
    refills = odds.rows[0].replaced_each_turn is not None
    turns = len(odds.rows[0].chances)
    header = ["at least", "of", "in deck", *(["each turn"] if refills else []), "hand"]
    header += [f"turn {turn}" for turn in range(1, turns)]
    yield ""
    right = [place for place, title in enumerate(header) if title not in ("of", "each turn")]
    yield from table([_cells(odds, row) for row in odds.rows], header, right)
    if any(target.copies < target.at_least for row in odds.rows for target in row.targets):
        yield "0.0% where the deck has too few of them."


def _kept(odds: Odds, replaced: int) -> str:
    if replaced in (0, odds.deck.hand):
        return "replace all" if replaced else "keep all"
    return f"replace {replaced}"


def _cells(odds: Odds, row: OddsRow) -> list[str]:
    cells = ["", "all of these together", ""]
    if len(row.targets) == 1:
        target = row.targets[0]
        cells = [str(target.at_least), target.target, str(target.copies)]
    if row.replaced_each_turn is not None:
        cells.append(_kept(odds, row.replaced_each_turn))
    return cells + [percent(found.chance) for found in row.chances]


def percent(chance: Fraction) -> str:
    """To one decimal, but never 0.0% or 100.0% of what can happen or fail."""
    tenths = round(chance * 1000)
    if tenths == 0 and chance:
        return "<0.1%"
    if tenths == 1000 and chance != 1:
        return ">99.9%"
    return f"{tenths // 10}.{tenths % 10}%"
