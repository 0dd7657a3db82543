"""Deck files as the deck commands take them: found, read, given a format, matched, judged."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from digideck.cli.render.output import Report
from digideck.core.codes import Code
from digideck.core.problems import InputError, input_error
from digideck.core.text import shown_path
from digideck.decks.analysis.card_counts import readings
from digideck.decks.deck_reader import DeckReader
from digideck.decks.matched_deck import MatchedDeck
from digideck.decks.rules.verdict import Verdict
from digideck.schema.connection import open_to_read

MOST_WORKERS = 61  # as many as Windows can wait for
_DECKS_A_TASK = 50  # enough that handing them over costs little
_MOST_NAMED = 5  # decks of a dead worker that are named


class Decks(DeckReader):
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
        super().__init__(open_to_read(db), "", from_form, encoding, as_of, draft=draft)

    def check(self, path: str, format_name: str = "") -> Checked:
        """The verdict on the deck in a file."""
        return Checked.of(self.judge.verdict(self.read(path), format_name or None))

    def matched(self, report: Report, path: str, format_name: str = "") -> MatchedDeck | None:
        """The deck in a file with its cards; None where it cannot be used, which is said."""
        self.format_name = format_name or None
        read = self.match(path)
        for problem in read.problems:
            report.problem(problem)
        return read.matched


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
