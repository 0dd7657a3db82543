"""``digideck deck check``"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple, fields
from typing import Annotated

import typer

from digideck.cli.options import Db, Encoding, FromForm, Json
from digideck.cli.render.output import Report, command, styled
from digideck.cli.render.paging import say_first
from digideck.core.problems import FixAction, Problem
from digideck.core.text import pluralize
from digideck.operations.decks.check_decks import CheckedDeck, DeckChecks, RowToFillIn, check_decks
from digideck.operations.decks.deck_request import DeckRequest

_STYLES = {"legal": "good", "illegal": "error", "undecided": "unknown", "unusable": "error"}
_MOST_ALIKE = 5  # problems of one code that are shown in full
_MOST_PLACES = 20  # lines that are named beside those
_MOST_ROWS = 200  # unknown cards to fill in


def run(
    decks: Annotated[
        list[str],
        typer.Argument(metavar="DECK...", help="Deck files or folders; - is standard input."),
    ],
    format_name: Annotated[
        str, typer.Option("--format", "-f", metavar="FORMAT", help="The format to judge by.")
    ] = "",
    as_of: Annotated[
        str, typer.Option("--as-of", metavar="DATE", help="Judge for this day, YYYY-MM-DD.")
    ] = "",
    region: Annotated[
        str,
        typer.Option(metavar="REGION", help="Whose lists of restrictions: en (default) or ja."),
    ] = "",
    draft: Annotated[
        bool, typer.Option("--draft", help="Decks still being built: their size is no error.")
    ] = False,
    brief: Annotated[
        bool, typer.Option("--brief", help="One line a deck, and the table at the end.")
    ] = False,
    workers: Annotated[
        int, typer.Option(min=1, help="Processes to check with, for folders of decks.")
    ] = 1,
    from_form: FromForm = "",
    encoding: Encoding = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """A DECK is a text file with lines such as "3 Agumon", "3x Agumon (St-1)" or
    "St-1 x3", YAML, CSV, a deck code, or a file of another program (digideck deck
    convert lists them). Its format is --format, else its line "# format: alpha",
    else that of the only game its cards fit. FORMAT may also be a YAML file of
    your own.

    Exit codes: 0 legal, 1 illegal, 4 undecided, 3 a file that cannot be read.
    """
    with command("deck check", json) as report:
        request = DeckRequest(decks, format_name, from_form, encoding)
        found = check_decks(
            request,
            as_of=_day(as_of),
            region=region,
            draft=draft,
            workers=workers,
            tell=None if json else lambda deck: _say(report, deck, brief),
            db=db,
        )
        report.show(found)
        _say_unknown(report, found.rows_to_fill_in)
        _say_summary(report, found)


def _day(text: str) -> str:
    import datetime

    try:
        return datetime.date.fromisoformat(text).isoformat() if text else ""
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is not a day, expected YYYY-MM-DD", param_hint="--as-of"
        ) from None


def _say(report: Report, deck: CheckedDeck, brief: bool) -> None:
    if deck.format is None:
        for problem in deck.problems:
            report.problem(problem)
        return
    word = styled(deck.verdict, _STYLES[deck.verdict])
    day = f", as of {deck.as_of}" if deck.dated else ""
    if deck.dated and deck.list_used:
        day += f" by {deck.list_used}"
    report.say(
        f"{deck.file}: {word} in {deck.format}{day} "
        f"({deck.title}, rules of {deck.rules_of}; format {deck.format_chosen_by})"
    )
    for line in () if brief else _lines(deck):
        report.say(line)


def _lines(deck: CheckedDeck) -> Iterator[str]:
    if deck.smallest_change:
        yield f"  to make it legal: {deck.smallest_change}"
    for says in deck.assumed:
        yield f"  assumed: {says}"
    for group in _alike(deck.problems):
        yield from _problem_lines(group, deck.file)


def _alike(problems: Sequence[Problem]) -> list[list[Problem]]:
    """Problems in their order; those about single cards put together by their code."""
    groups: dict[object, list[Problem]] = {}
    for problem in problems:
        groups.setdefault((problem.code, problem.rule is None or id(problem)), []).append(problem)
    return list(groups.values())


def _problem_lines(group: Sequence[Problem], file: str) -> Iterator[str]:
    for problem in group[:_MOST_ALIKE]:
        place = f"{problem.place}: " if problem.line else ""
        yield f"  {problem.severity}: {place}{problem.message}"
        if problem.rule:
            for card in problem.cards if len(problem.cards) > 1 else ():
                place = f"{file}:{card.line}: " if card.line else ""
                yield f"      {place}{card.count} x {card.card}"
            yield f"      rule: {problem.rule}"
            yield f"      source: {problem.source}"
        if problem.next_step:
            row = " (a row to fill in is below)" if problem.is_fixed_by(FixAction.IMPORT) else ""
            yield f"      to do: {problem.next_step}{row}"
    if len(group) > _MOST_ALIKE:
        places = [str(problem.line) for problem in group[_MOST_ALIKE:] if problem.line]
        shown = ", ".join(places[:_MOST_PLACES]) + (" ..." if places[_MOST_PLACES:] else "")
        yield f"  and {len(group) - _MOST_ALIKE} more like it, lines {shown}"


def _say_unknown(report: Report, rows: Sequence[RowToFillIn]) -> None:
    if not rows:
        return
    report.say(
        f"{pluralize(len(rows), 'unknown card')}. Fill in these rows, save them as cards.csv,"
    )
    report.say("then: digideck import cards.csv")
    report.say("  " + ",".join(field.name for field in fields(RowToFillIn)))
    say_first(report, ["  " + ",".join(map(_quoted, astuple(row))) for row in rows], _MOST_ROWS)


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if any(mark in cell for mark in ',"\n') else cell


def _say_summary(report: Report, found: DeckChecks) -> None:
    decks = sum(found.summary.values())
    if decks < 2:
        return
    formats = sorted({code for code, _ in found.by_format})
    if len(formats) > 1:
        rows = [
            (
                code or "(no format)",
                *(found.by_format.get((code, status), "") for status in found.summary),
            )
            for code in formats
        ]
        header = ("format", *found.summary)
        report.table(rows, header, right=range(1, len(header)))
    parts = ", ".join(f"{total:,} {status}" for status, total in found.summary.items() if total)
    report.say(f"{pluralize(decks, 'deck')}: {parts}")
