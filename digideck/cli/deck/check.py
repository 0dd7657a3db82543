"""``digideck deck check``"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any

import typer

from digideck.catalog.cards import CardIndex
from digideck.cli.deck.deck_files import Checked, Decks, checked_decks
from digideck.cli.options import Db, Encoding, FromForm, Json
from digideck.cli.render.exits import Exit, worst
from digideck.cli.render.output import Report, command, styled, table
from digideck.core.codes import Code
from digideck.core.problems import FixAction, Problem, input_error
from digideck.core.text import STDIN, pluralize
from digideck.decks.deck_reader import deck_paths
from digideck.decks.matched_deck import Entry
from digideck.decks.rules.verdict import Status

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
_MOST_ALIKE = 5  # problems of one code that are shown in full
_MOST_PLACES = 20  # lines that are named beside those
_MOST_ROWS = 200  # unknown cards to fill in
_ROW = ("game", "number", "edition", "name", "kind", "level")


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
        setting = Decks(db, encoding, _day(as_of), draft, from_form)
        if format_name:
            setting.formats.get(format_name)
        counts: Counter[tuple[str, Status]] = Counter()
        unknown: dict[str, list[str]] = {}
        report.data["decks"] = []
        for checked in checked_decks(
            setting, deck_paths(decks), format_name, 1 if STDIN in decks else workers
        ):
            verdict = checked.verdict
            counts[checked.format_code, verdict.status] += 1
            _report(report, checked, brief)
            for entry in verdict.unknown:
                unknown.setdefault(*_row_to_fill(setting.index, checked, entry))
        if not counts:
            raise input_error(Code.NO_DECKS, "no files in this folder", file=", ".join(decks))
        _say_unknown(report, list(unknown.values()))
        _summary(report, counts)
        report.exit_code = worst(EXITS[status] for _, status in counts)


def _day(text: str) -> str:
    import datetime

    try:
        return datetime.date.fromisoformat(text).isoformat() if text else ""
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is not a day, expected YYYY-MM-DD", param_hint="--as-of"
        ) from None


def _report(report: Report, checked: Checked, brief: bool) -> None:
    verdict = checked.verdict
    if report.as_json:
        report.data["decks"].append(_as_json(checked))
    if verdict.status is Status.UNUSABLE:
        for problem in verdict.problems:
            report.problem(problem)
        return
    if report.as_json:
        report.problems.extend(verdict.problems)
        return
    lines = [_headline(checked)] if brief else list(_lines(checked))
    for line in lines:
        report.say(line)


def _as_json(checked: Checked) -> dict[str, Any]:
    verdict = checked.verdict
    return {
        "file": verdict.deck.file,
        "verdict": str(verdict.status),
        "format": checked.format_code or None,
        "rules_of": checked.revised or None,
        "format_chosen_by": verdict.chosen_by,
        "as_of": verdict.as_of,
        "cards": verdict.deck.cards(),
        "assumed": list(checked.assumed),
        "smallest_change": _change(checked),
        "problems": [problem.as_json() for problem in verdict.problems],
        "unknown_cards": [entry.line.shown for entry in verdict.unknown],
    }


def _change(checked: Checked) -> str | None:
    return ", ".join(fix.text for fix in checked.verdict.fixes) or None


def _headline(checked: Checked) -> str:
    verdict = checked.verdict
    word = styled(str(verdict.status), _STYLES[verdict.status])
    day = f", as of {verdict.as_of}" if checked.dated else ""
    return (
        f"{verdict.deck.file}: {word} in {checked.format_code}{day} "
        f"({checked.title}, rules of {checked.revised}; format {verdict.chosen_by})"
    )


def _lines(checked: Checked) -> Iterator[str]:
    verdict = checked.verdict
    yield _headline(checked)
    if verdict.fixes:
        yield f"  to make it legal: {_change(checked)}"
    for says in checked.assumed:
        yield f"  assumed: {says}"
    for group in _alike(verdict.problems):
        yield from _problem_lines(group, verdict.deck.file)


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
            row = " (a row to fill in is below)" if _imports(problem) else ""
            yield f"      to do: {problem.next_step}{row}"
    if len(group) > _MOST_ALIKE:
        places = [str(problem.line) for problem in group[_MOST_ALIKE:] if problem.line]
        shown = ", ".join(places[:_MOST_PLACES]) + (" ..." if places[_MOST_PLACES:] else "")
        yield f"  and {len(group) - _MOST_ALIKE} more like it, lines {shown}"


def _imports(problem: Problem) -> bool:
    return problem.fix is not None and problem.fix.action is FixAction.IMPORT


def _row_to_fill(index: CardIndex, checked: Checked, entry: Entry) -> tuple[str, list[str]]:
    line = entry.line
    number = line.number or ""
    if checked.game in index.games:
        number = index.games[checked.game].numbers.as_printed(number)
    row = [checked.game, number, line.edition or "", line.name or "", "", ""]
    return "\0".join(row), row


def _say_unknown(report: Report, rows: list[list[str]]) -> None:
    report.data["rows_to_fill_in"] = [dict(zip(_ROW, row, strict=True)) for row in rows]
    if not rows:
        return
    report.say(
        f"{pluralize(len(rows), 'unknown card')}. Fill in these rows, save them as cards.csv,"
    )
    report.say("then: digideck import cards.csv")
    for row in [_ROW, *rows[:_MOST_ROWS]]:
        report.say("  " + ",".join(map(_quoted, row)))
    if len(rows) > _MOST_ROWS:
        report.say(f"  and {len(rows) - _MOST_ROWS:,} more; --json lists them all")


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if any(mark in cell for mark in ',"\n') else cell


def _summary(report: Report, counts: Counter[tuple[str, Status]]) -> None:
    totals = {status: sum(n for (_, s), n in counts.items() if s is status) for status in Status}
    report.data["summary"] = {str(status): total for status, total in totals.items()}
    decks = sum(totals.values())
    if decks < 2:
        return
    formats = sorted({code for code, _ in counts})
    if len(formats) > 1:
        rows: Iterable[Sequence[object]] = (
            (code or "(no format)", *(counts[code, status] or "" for status in Status))
            for code in formats
        )
        header = ("format", *map(str, Status))
        for line in table(rows, header, right=range(1, len(header))):
            report.say(line)
    parts = ", ".join(f"{total:,} {status}" for status, total in totals.items() if total)
    report.say(f"{pluralize(decks, 'deck')}: {parts}")
