"""``digideck deck check``"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from digideck.cli.exits import Exit, worst
from digideck.cli.options import Db, Encoding, FromForm, Json
from digideck.cli.output import Report, command, counted, styled
from digideck.decks.files import read_deck
from digideck.decks.forms.table import form_named
from digideck.decks.judge import Judge, Status, Verdict
from digideck.decks.match import Entry
from digideck.decks.model import DeckWords
from digideck.decks.rules import FormatTable
from digideck.schema.cards import CardIndex
from digideck.schema.database import open_to_read
from digideck.schema.problems import Problem

EXITS = {
    Status.LEGAL: Exit.OK,
    Status.ILLEGAL: Exit.NO,
    Status.UNDECIDED: Exit.UNDECIDED,
    Status.UNUSABLE: Exit.UNUSABLE,
}
_STYLES = {
    Status.LEGAL: "good",
    Status.ILLEGAL: "error",
    Status.UNDECIDED: "unknown",
    Status.UNUSABLE: "error",
}


def run(
    decks: Annotated[
        list[str], typer.Argument(metavar="DECK...", help="Deck files; - is standard input.")
    ],
    format_name: Annotated[
        str, typer.Option("--format", "-f", metavar="FORMAT", help="The format to judge by.")
    ] = "",
    from_form: FromForm = "",
    encoding: Encoding = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """A DECK is a text file with lines such as "3 Agumon", "3x Agumon (St-1)" or
    "St-1 x3", YAML, CSV, a deck code, or a file of another program (digideck deck
    convert lists them). Its format is --format, else its line "# format: alpha",
    else that of the only game its cards fit.

    Exit codes: 0 legal, 1 illegal, 4 undecided, 3 a file that cannot be read.
    """
    with command("deck check", json) as report:
        connection = open_to_read(db)
        index = CardIndex(connection)
        formats = FormatTable(connection, index.games)
        if format_name:
            formats.get(format_name)
        form = form_named(from_form) if from_form else None
        judge = Judge(index, formats)
        words = DeckWords(index.games.values())
        counts: Counter[Status] = Counter()
        unknown: dict[str, list[str]] = {}
        report.data["decks"] = []
        for path in decks:
            verdict = judge.verdict(
                read_deck(path, words, encoding or None, form), format_name or None
            )
            counts[verdict.status] += 1
            _report(report, verdict)
            for entry in verdict.unknown:
                unknown.setdefault(*_row_to_fill(verdict, entry))
        _say_unknown(report, list(unknown.values()))
        if len(decks) > 1:
            parts = ", ".join(f"{counts[status]} {status}" for status in Status if counts[status])
            report.say(f"{counted(len(decks), 'deck')}: {parts}")
        report.data["summary"] = {str(status): counts[status] for status in Status}
        report.exit_code = worst(EXITS[status] for status in counts)


def _report(report: Report, verdict: Verdict) -> None:
    report.data["decks"].append(_as_json(verdict))
    if verdict.status is Status.UNUSABLE:
        for problem in verdict.problems:
            report.problem(problem)
        return
    report.problems.extend(verdict.problems)
    for line in _lines(verdict):
        report.say(line)


def _as_json(verdict: Verdict) -> dict[str, Any]:
    return {
        "file": verdict.deck.file,
        "verdict": str(verdict.status),
        "format": verdict.format.code if verdict.format else None,
        "rules_of": verdict.format.revised if verdict.format else None,
        "format_chosen_by": verdict.chosen_by,
        "cards": verdict.deck.cards(),
        "problems": [problem.as_json() for problem in verdict.problems],
        "unknown_cards": [entry.line.shown for entry in verdict.unknown],
    }


def _lines(verdict: Verdict) -> Iterator[str]:
    rules = verdict.format
    assert rules is not None
    word = styled(str(verdict.status), _STYLES[verdict.status])
    yield (
        f"{verdict.deck.file}: {word} in {rules.code} "
        f"({rules.title}, rules of {rules.revised}; format {verdict.chosen_by})"
    )
    for group in _alike(verdict.problems):
        yield from _problem_lines(group, verdict.deck.file)


def _alike(problems: Sequence[Problem]) -> list[list[Problem]]:
    """Problems in their order; those about single cards put together by their code."""
    groups: dict[object, list[Problem]] = {}
    for problem in problems:
        groups.setdefault((problem.code, problem.rule is None or id(problem)), []).append(problem)
    return list(groups.values())


def _problem_lines(group: Sequence[Problem], file: str) -> Iterator[str]:
    for problem in group[:5]:
        place = f"{problem.place}: " if problem.line else ""
        yield f"  {problem.severity}: {place}{problem.message}"
        if problem.rule:
            for card in problem.cards if len(problem.cards) > 1 else ():
                place = f"{file}:{card.line}: " if card.line else ""
                yield f"      {place}{card.count} x {card.card}"
            yield f"      rule: {problem.rule}"
            yield f"      source: {problem.source}"
        if problem.next_step:
            yield f"      to do: {problem.next_step}"
    if len(group) > 5:
        places = ", ".join(str(problem.line) for problem in group[5:] if problem.line)
        yield f"  and {len(group) - 5} more like it, lines {places}"


def _row_to_fill(verdict: Verdict, entry: Entry) -> tuple[str, list[str]]:
    line = entry.line
    game = verdict.format.game if verdict.format else ""
    row = [game, line.number or "", line.edition or "", line.name or "", "", ""]
    return "\0".join(row), row


def _say_unknown(report: Report, rows: list[list[str]]) -> None:
    columns = ["game", "number", "edition", "name", "kind", "level"]
    report.data["rows_to_fill_in"] = [dict(zip(columns, row, strict=True)) for row in rows]
    if not rows:
        return
    report.say(f"{counted(len(rows), 'unknown card')}. Fill in these rows, save them as cards.csv,")
    report.say("then: digideck import cards.csv")
    for row in [columns, *rows]:
        report.say("  " + ",".join(map(_quoted, row)))


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if any(mark in cell for mark in ',"\n') else cell
