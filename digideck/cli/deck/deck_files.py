"""Deck files as the deck commands take them: found, read, given a format, matched, judged."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from digideck.catalog.cards import CardIndex
from digideck.cli.render.output import Report
from digideck.core.codes import Code
from digideck.core.problems import InputError, Severity, input_error
from digideck.core.text import STDIN, shown_path
from digideck.decks.analysis.card_counts import readings
from digideck.decks.formats.registry import form_named
from digideck.decks.matched_deck import MatchedDeck
from digideck.decks.model import Deck, DeckVocabulary
from digideck.decks.parse.read_deck import read_deck
from digideck.decks.rules.rule_files import FormatTable
from digideck.decks.rules.verdict import Judge, Verdict
from digideck.schema.connection import open_to_read

MOST_WORKERS = 61  # as many as Windows can wait for
_DECKS_A_TASK = 50  # enough that handing them over costs little
_MOST_NAMED = 5  # decks of a dead worker that are named


class Decks:
    """Reads and judges decks against one database."""

    def __init__(
        self,
        db: Path | None,
        encoding: str = "",
        as_of: str = "",
        draft: bool = False,
        from_form: str = "",
    ) -> None:
        self.settings = (db, encoding, as_of, draft, from_form)
        self.form = form_named(from_form) if from_form else None
        self.connection = open_to_read(db)
        self.index = CardIndex(self.connection)
        self.formats = FormatTable(self.connection, self.index.games)
        self.judge = Judge(self.index, self.formats, as_of, draft)
        self.words = DeckVocabulary(self.index.games.values())
        self.encoding = encoding or None

    def check(self, path: str, format_name: str = "") -> Checked:
        """The verdict on the deck in a file."""
        deck = self._read(path)
        return Checked.of(self.judge.verdict(deck, format_name or None))

    def _read(self, path: str) -> Deck:
        deck = read_deck(path, self.words, self.encoding, self.form)
        missing = [problem.code for problem in deck.problems] == [Code.FILE_MISSING]
        if missing and path in self.formats.codes:
            hint = f"{path} is a format: name it with --format {path}"
            return replace(deck, problems=(replace(deck.problems[0], next_step=hint),))
        return deck

    def matched(self, report: Report, path: str, format_name: str = "") -> MatchedDeck | None:
        """The deck in a file with its cards; None where it cannot be used, which is said."""
        deck = self._read(path)
        for problem in deck.problems:
            report.problem(problem)
        if deck.unreadable:
            return None
        try:
            matched = self.judge.matched(deck, format_name or None)
        except InputError as error:
            for problem in error.problems:
                report.problem(problem)
            return None
        for problem in matched.problems:
            if problem.severity is not Severity.NOTE:
                report.problem(problem)
        return matched


def said_readings(report: Report, deck: MatchedDeck) -> None:
    """Say which lines of a deck count as the first of the cards that they can mean."""
    note = readings(deck)
    if note:
        report.problem(note)


@dataclass(frozen=True)
class Checked:
    """A verdict with what is told of its format; unlike the format it can go between processes."""

    verdict: Verdict
    format_code: str
    game: str
    title: str
    revised: str
    dated: bool
    assumed: tuple[str, ...]

    @classmethod
    def of(cls, verdict: Verdict) -> Checked:
        """What is to be told of a verdict."""
        rules = verdict.format
        told = replace(verdict, format=None)
        if rules is None:
            return cls(told, "", "", "", "", False, ())
        assumed = tuple(rule.says for rule in rules.rules if rule.assumed)
        return cls(told, rules.code, rules.game, rules.title, rules.revised, rules.dated, assumed)


def deck_paths(named: Iterable[str]) -> Iterator[str]:
    """The files that are named, those of folders in the order of their names.

    Hidden files are left out of folders, and links to folders are not followed.
    A folder that cannot be read is among them, so that reading it says why.
    """
    for path in named:
        if path == STDIN or not os.path.isdir(path):
            yield path
            continue
        unread: list[str] = []
        for folder, folders, files in os.walk(path, onerror=_adds_to(unread)):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            yield from (os.path.join(folder, name) for name in sorted(files) if name[0] != ".")
        yield from unread


def _adds_to(unread: list[str]) -> Callable[[OSError], None]:
    def add(error: OSError) -> None:
        unread.append(str(error.filename))

    return add


def checked_decks(
    decks: Decks, paths: Iterable[str], format_name: str, workers: int
) -> Iterator[Checked]:
    """The verdicts in the order of the paths, one after the other as they come.

    Raises InputError when a worker process dies.
    """
    if workers == 1:
        for path in paths:
            yield decks.check(path, format_name)
        return
    from digideck.core.workers import Died, each

    tasks = list(enumerate(_in_tasks(paths)))
    workers = min(workers, MOST_WORKERS, 4 * (os.cpu_count() or 1))
    waiting: dict[int, list[Checked]] = {}  # answers that came before their turn
    turn = 0
    try:
        for answer in each(tasks, _checker, (decks.settings, format_name), workers):
            if isinstance(answer, Died):
                raise _worker_died(answer.job[1], answer.how)
            waiting[answer[0]] = answer[1]
            while turn in waiting:
                yield from waiting.pop(turn)
                turn += 1
    except RuntimeError as error:
        raise _worker_died([path for _, some in tasks for path in some], str(error)) from None


def _in_tasks(paths: Iterable[str]) -> Iterator[tuple[str, ...]]:
    rest = iter(paths)
    while some := tuple(islice(rest, _DECKS_A_TASK)):
        yield some


def _worker_died(decks: Sequence[str], how: str) -> InputError:
    paths = [shown_path(path) for path in decks]
    named = ", ".join(paths[:_MOST_NAMED])
    more = f" and {len(paths) - _MOST_NAMED:,} more" if len(paths) > _MOST_NAMED else ""
    return input_error(
        Code.WORKER_DIED,
        f"a worker process ended before its time ({how}); in hand were {named}{more}",
        have=len(paths),
        next_step="look for a lack of memory, then check again with fewer --workers",
    )


def _checker(
    settings: tuple[tuple[Path | None, str, str, bool, str], str],
) -> Callable[[tuple[int, Sequence[str]]], tuple[int, list[Checked]]]:
    """What a worker process does with a task: its place, and the verdicts of its decks."""
    decks, format_name = Decks(*settings[0]), settings[1]

    def check(task: tuple[int, Sequence[str]]) -> tuple[int, list[Checked]]:
        place, paths = task
        return place, [decks.check(path, format_name) for path in paths]

    return check
