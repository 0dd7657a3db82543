"""``digideck deck odds``"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Annotated, Any, Optional

import typer

from digideck.cli.deck.deck_files import Decks, said_readings
from digideck.cli.options import Db, Encoding, FromForm, Json
from digideck.cli.render.exits import Exit
from digideck.cli.render.output import Report, command, table
from digideck.cli.render.progress import Progress
from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity
from digideck.core.text import pluralize
from digideck.decks.analysis.odds import Play, Target, chances, drawn, last_turn, redraw_rule
from digideck.decks.analysis.opening_setup import Setup, set_up
from digideck.decks.analysis.targets import Targets
from digideck.decks.matched_deck import MatchedDeck
from digideck.schema.games.drawing import REFILL

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
        replaced = _replaced(replace)
        reader = Decks(db, encoding, from_form=from_form)
        matched = reader.matched(report, deck, format_name)
        if matched is None:
            report.exit_code = Exit.UNUSABLE
            return
        said_readings(report, matched)
        setup = set_up_as_asked(report, reader, matched, start)
        finder = Targets(reader.index, matched.game, setup.cards, matched.deck.file, at_least)
        targets = [finder.card(text) for text in card or ()]
        targets += [finder.name(text) for text in name or ()]
        targets += [finder.level(text) for text in level or ()]
        targets += [finder.query(text) for text in query or ()]
        targets = targets or finder.every_level()
        plays = _plays(setup, replaced, second, not keep_hand)
        wanted = [[target] for target in targets]
        if together and len(targets) > 1:
            wanted.append(targets)
        progress = Progress(quiet=json)

        def show(share: float) -> None:
            progress.show("counting", share)

        try:
            rows = [
                (group, play, chances(setup, group, play, turn, show))
                for group in wanted
                for play in plays
            ]
        finally:
            progress.clear()
        report.data = _as_json(matched, setup, plays, rows)
        for line in rules_lines(matched, setup):
            report.say(line)
        for line in _lines(setup, plays, rows, turn):
            report.say(line)


def set_up_as_asked(report: Report, reader: Decks, deck: MatchedDeck, start: str) -> Setup:
    """The deck before its first hand; ``start`` is what the player wants to start with."""
    starts = None
    if start:
        whole = set_up(deck)
        cards = [*whole.cards, *([whole.start] if whole.start else [])]
        starts = Targets(reader.index, deck.game, cards, deck.deck.file, 1).card(start).ids
    setup = set_up(deck, starts)
    for problem in setup.problems:
        report.problem(problem)
    if deck.format in setup.drawing.unknown_for:
        report.problem(_other_format(deck))
    return setup


def _other_format(deck: MatchedDeck) -> Problem:
    usual = deck.game.definition["default_format"]
    return Problem(
        Code.DRAWING_ASSUMED,
        Severity.WARNING,
        f"no source tells how hands are drawn in {deck.format}; assumed to be as in {usual}",
        deck.deck.file,
    )


def _replaced(text: str) -> int | str:
    """The number of cards that are replaced each turn; "" for none and for all."""
    words: dict[str, int | str] = {"": "", "none": 0, "all": 99}
    if text in words:
        return words[text]
    if not (text.isascii() and text.isdigit() and len(text) <= 2):
        raise typer.BadParameter("a number of cards, all or none", param_hint="--replace")
    return int(text)


def _plays(setup: Setup, replaced: int | str, second: bool, redraws: bool) -> list[Play]:
    """Where hands are filled up: nothing replaced and everything, unless one is asked for."""
    if setup.drawing.each_turn != REFILL:
        return [Play(0, second, redraws)]
    numbers = (0, setup.hand) if isinstance(replaced, str) else (min(replaced, setup.hand),)
    return [Play(number, second, redraws) for number in numbers]


_Row = tuple[Sequence[Target], Play, Sequence[Fraction]]


def rules_lines(deck: MatchedDeck, setup: Setup) -> Iterator[str]:
    """The setup and the rules it is by, for people."""
    yield f"{deck.deck.file}: {deck.format}, {pluralize(setup.size, 'card')} shuffled"
    if setup.start:
        yield f"  starts with {setup.start.title} (another: --start CARD)"
    for saying in setup.drawing.says:
        assumed = ", assumed" if saying.assumed else ""
        yield f"  {saying.text}"
        yield f"      {saying.certainty}{assumed}; source: {saying.source}"


def _lines(setup: Setup, plays: Sequence[Play], rows: Sequence[_Row], turns: int) -> Iterator[str]:
    yield "  Counted: every card drawn by then, whatever became of it, without costs and effects."
    redraw = redraw_rule(setup.drawing, plays[0])
    if redraw:
        yield f"  Opening hand: {redraw}."
    if setup.drawing.turn_one == "second":
        yield f"  You go {'second' if plays[0].second else 'first (--second for second)'}."
    for play in plays:
        through = last_turn(setup, play, turns)
        if through is not None:
            policy = _policy(setup, play)
            yield f"  {policy}all is drawn by turn {through}; a deck shuffled anew is not counted."
    header = ["at least", "of", "in deck"]
    if setup.drawing.each_turn == REFILL:
        header.append("each turn")
    header += ["hand", *(f"turn {turn}" for turn in range(1, turns + 1))]
    yield ""
    right = [0, *range(2, len(header))]
    if setup.drawing.each_turn == REFILL:
        right.remove(3)
    shown = [_cells(setup, *row) for row in rows]
    yield from table(shown, header, right)
    if any(target.copies(setup) < target.at_least for group, _, _ in rows for target in group):
        yield "0.0% where the deck has too few of them."


def _policy(setup: Setup, play: Play) -> str:
    return f"{_kept(setup, play)}: " if setup.drawing.each_turn == REFILL else ""


def _kept(setup: Setup, play: Play) -> str:
    if play.replaced in (0, setup.hand):
        return "replace all" if play.replaced else "keep all"
    return f"replace {play.replaced}"


def _cells(
    setup: Setup, group: Sequence[Target], play: Play, found: Sequence[Fraction]
) -> list[str]:
    if len(group) == 1:
        cells = [str(group[0].at_least), group[0].label, str(group[0].copies(setup))]
    else:
        cells = ["", "all of these together", ""]
    if setup.drawing.each_turn == REFILL:
        cells.append(_kept(setup, play))
    return cells + [percent(chance) for chance in found]


def percent(chance: Fraction) -> str:
    """To one decimal, but never 0.0% or 100.0% of what can happen or fail."""
    tenths = round(chance * 1000)
    if tenths == 0 and chance:
        return "<0.1%"
    if tenths == 1000 and chance != 1:
        return ">99.9%"
    return f"{tenths // 10}.{tenths % 10}%"


def _as_json(
    deck: MatchedDeck, setup: Setup, plays: Sequence[Play], rows: Sequence[_Row]
) -> dict[str, Any]:
    return {
        **setup_json(deck, setup),
        "second": plays[0].second,
        "redraw": redraw_rule(setup.drawing, plays[0]),
        "rows": [
            {
                "targets": [
                    {
                        "target": target.label,
                        "at_least": target.at_least,
                        "copies": target.copies(setup),
                    }
                    for target in group
                ],
                "replaced_each_turn": play.replaced if setup.drawing.each_turn == REFILL else None,
                "chances": [
                    {
                        "turn": turn,
                        "drawn": drawn(setup, play, turn),
                        "percent": round(float(chance * 100), 1),
                        "fraction": f"{chance.numerator}/{chance.denominator}",
                    }
                    for turn, chance in enumerate(found)
                ],
            }
            for group, play, found in rows
        ],
    }


def setup_json(deck: MatchedDeck, setup: Setup) -> dict[str, Any]:
    """The setup and the rules it is by, for scripts."""
    return {
        "file": deck.deck.file,
        "game": deck.game.code,
        "format": deck.format,
        "start": setup.start.key if setup.start else None,
        "shuffled": setup.size,
        "unseen": setup.drawing.unseen,
        "hand": setup.hand,
        "rules": [
            {
                "says": saying.text,
                "source": saying.source,
                "certainty": saying.certainty,
                "assumed": saying.assumed,
            }
            for saying in setup.drawing.says
        ],
    }
