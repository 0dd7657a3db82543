"""Decks judged by the rules of their formats, one after the other or by several processes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from digideck.core.codes import Code
from digideck.core.problems import InputError, Problem, input_error
from digideck.core.results import Answer, json_field, worst
from digideck.core.text import STDIN, shown_path, some_of
from digideck.decks.deck_reader import DeckReader, deck_paths
from digideck.decks.model import Occasion
from digideck.decks.rules.verdict import Status, Verdict
from digideck.operations.decks.deck_request import DeckRequest
from digideck.schema.connection import closing_connections, open_to_read

MOST_WORKERS = 61  # as many as Windows can wait for
_DECKS_A_TASK = 50  # enough that handing them over costs little
_ANSWERS = {
    Status.LEGAL: Answer.OK,
    Status.ILLEGAL: Answer.NO,
    Status.UNDECIDED: Answer.UNDECIDED,
    Status.UNUSABLE: Answer.UNUSABLE,
}


@dataclass(frozen=True, slots=True)
class RowToFillIn:
    """A row of a card list for a card that is not in the database, as far as it is known."""

    game: str
    number: str
    edition: str
    name: str
    kind: str = ""
    level: str = ""


@dataclass(frozen=True, slots=True)
class CheckedDeck:
    """A verdict with what is told of its format. ``dated``: it depends on the day."""

    file: str
    verdict: Status
    format: str | None
    rules_of: str | None
    format_chosen_by: str
    as_of: str
    region: str | None
    cards: int
    assumed: tuple[str, ...]
    smallest_change: str | None
    problems: tuple[Problem, ...]
    unknown_cards: tuple[str, ...]
    title: str = json_field(None, default="")
    dated: bool = json_field(None, default=False)
    list_used: str = json_field(None, default="")
    rows: tuple[RowToFillIn, ...] = json_field(None, default=())


@dataclass(frozen=True, slots=True)
class DeckChecks:
    """The verdicts, the rows to fill in for all unknown cards, and how many decks there
    are of each status. ``by_format`` counts them by the format's code, "" for none.
    """

    decks: tuple[CheckedDeck, ...]
    rows_to_fill_in: tuple[RowToFillIn, ...]
    summary: Mapping[Status, int]
    by_format: Mapping[tuple[str, Status], int] = json_field(None)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems of all decks."""
        return tuple(problem for deck in self.decks for problem in deck.problems)

    @property
    def answer(self) -> Answer:
        """The worst of the verdicts."""
        return worst(_ANSWERS[status] for status, decks in self.summary.items() if decks)


@closing_connections()
def check_decks(
    request: DeckRequest,
    *,
    as_of: str = "",
    region: str = "",
    draft: bool = False,
    workers: int = 1,
    tell: Callable[[CheckedDeck], None] | None = None,
    db: Path | None = None,
) -> DeckChecks:
    """Judge decks, those of a folder in the order of their names.

    ``as_of`` is the day to judge for (YYYY-MM-DD, today unless given), ``region`` names the
    lists of restrictions; a ``draft`` is still being built, so that its size is no error.
    Each deck goes to ``tell`` as it comes, if that is given, and is then not kept in the result.

    Raises InputError where there are no decks, and where a worker process dies.
    """
    checker = _Checker(
        request, Occasion(as_of, region, draft), db
    )  # before any worker: it may refuse the request
    paths = deck_paths(request.decks)
    checked = (
        map(checker.check, paths)
        if workers == 1 or STDIN in request.decks
        else _by_workers(checker.settings, paths, workers)
    )
    kept: list[CheckedDeck] = []
    counts: Counter[tuple[str, Status]] = Counter()
    rows: dict[RowToFillIn, None] = {}
    for deck in checked:
        counts[deck.format or "", deck.verdict] += 1
        rows |= dict.fromkeys(deck.rows)
        (tell or kept.append)(deck)
    if not counts:
        raise input_error(Code.NO_DECKS, "no files in this folder", file=", ".join(request.decks))
    summary = {status: sum(n for (_, s), n in counts.items() if s is status) for status in Status}
    return DeckChecks(tuple(kept), tuple(rows), summary, counts)


class _Checker:
    """Checks deck after deck; its settings make another one, in another process."""

    def __init__(self, request: DeckRequest, occasion: Occasion, db: Path | None) -> None:
        self.settings = (request, occasion, db)
        self.reader = DeckReader(
            open_to_read(db), request.format, request.form, request.encoding, occasion
        )

    def check(self, path: str) -> CheckedDeck:
        verdict = self.reader.verdict(path)
        rules = verdict.format
        return CheckedDeck(
            verdict.deck.file,
            verdict.status,
            rules.code if rules else None,
            rules.revised if rules else None,
            verdict.chosen_by,
            verdict.occasion.day,
            verdict.occasion.region or None,
            verdict.deck.cards(),
            tuple(rule.says for rule in rules.rules if rule.assumed) if rules else (),
            ", ".join(fix.text for fix in verdict.fixes) or None,
            verdict.problems,
            tuple(entry.line.shown for entry in verdict.unknown),
            rules.title if rules else "",
            rules.dated if rules else False,
            self._list_used(verdict),
            tuple(self._rows(verdict)),
        )

    def _list_used(self, verdict: Verdict) -> str:
        """What the list of restrictions of the region is called."""
        if not verdict.format:
            return ""
        game = self.reader.index.games[verdict.format.game]
        return game.regions.get(verdict.occasion.region, "")

    def _rows(self, verdict: Verdict) -> Iterator[RowToFillIn]:
        game = verdict.format.game if verdict.format else ""
        for line in (entry.line for entry in verdict.unknown):
            number = self.reader.index.games[game].numbers.as_printed(line.number or "")
            yield RowToFillIn(game, number, line.edition or "", line.name)


def _by_workers(
    settings: tuple[DeckRequest, Occasion, Path | None], paths: Iterable[str], workers: int
) -> Iterator[CheckedDeck]:
    """The verdicts of several processes, in the order of the paths."""
    from digideck.core.workers import Died, each  # start-up

    rest = iter(paths)
    tasks = list(enumerate(iter(lambda: tuple(islice(rest, _DECKS_A_TASK)), ())))
    workers = min(workers, MOST_WORKERS, 4 * (os.cpu_count() or 1))
    waiting: dict[int, list[CheckedDeck]] = {}  # answers that came before their turn
    turn = 0
    try:
        for answer in each(tasks, _checks, settings, workers):
            if isinstance(answer, Died):
                raise _worker_died(answer.job[1], answer.how)
            waiting[answer[0]] = answer[1]
            while turn in waiting:
                yield from waiting.pop(turn)
                turn += 1
    except RuntimeError as error:
        raise _worker_died([path for _, some in tasks for path in some], str(error)) from None


def _checks(
    settings: tuple[DeckRequest, Occasion, Path | None],
) -> Callable[[tuple[int, Sequence[str]]], tuple[int, list[CheckedDeck]]]:
    """What a worker process does with a task: its place, and the verdicts of its decks."""
    checker = _Checker(*settings)
    return lambda task: (task[0], [checker.check(path) for path in task[1]])


def _worker_died(decks: Sequence[str], how: str) -> InputError:
    paths = [shown_path(path) for path in decks]
    return input_error(
        Code.WORKER_DIED,
        f"a worker process ended before its time ({how}); in hand were {some_of(paths, 5)}",
        have=len(paths),
        next_step="look for a lack of memory, then check again with fewer --workers",
    )
