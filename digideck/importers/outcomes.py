"""What an import would do, row by row, as values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity

MOST_LISTED = 1_000  # changes that are listed, and problems of each kind
ON_CONFLICT = ("fail", "keep", "replace")


class Outcome(StrEnum):
    """What becomes of a row."""

    ADDED = "added"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class ValueChange:
    """A value of a card, before and after."""

    column: str
    old: Any
    new: Any


@dataclass(frozen=True, slots=True)
class RowOutcome:
    """One row's outcome: the values that change, and the sets that the card is put into."""

    line: int
    outcome: Outcome
    card: str
    changes: tuple[ValueChange, ...] = ()
    new_sets: tuple[str, ...] = ()


@dataclass(frozen=True)
class Options:
    """How to import: into which game and set, what to do with refusals and conflicts."""

    game: str | None = None
    set_code: str | None = None
    dry_run: bool = False
    partial: bool = False
    new_sets: bool = False
    on_conflict: str = "fail"


@dataclass
class Plan:
    """What an import would do. ``counts`` is of rows by outcome, and "read",
    "printings" (cards new in their set) and "kept" (values left to another source).

    At most MOST_LISTED changes, and as many problems of each code, are listed;
    ``problem_counts`` has all.
    """

    counts: Counter[str] = field(default_factory=Counter)
    changes: list[RowOutcome] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    problem_counts: Counter[str] = field(default_factory=Counter)
    last_lines: dict[str, int] = field(default_factory=dict)
    new_sets: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def refused(self) -> bool:
        """Whether any row was refused."""
        return self.counts[Outcome.REFUSED] > 0

    def add(self, change: RowOutcome) -> None:
        """Count one row's outcome, and list it if it says something."""
        self.counts["read"] += 1
        self.counts[change.outcome] += 1
        self.counts["printings"] += len(change.new_sets)
        if len(self.changes) < MOST_LISTED:
            self.changes.append(change)

    def add_unchanged(self) -> None:
        """Count a row that says nothing new."""
        self.counts["read"] += 1
        self.counts[Outcome.UNCHANGED] += 1

    def add_unlisted(self, outcome: Outcome, printings: int) -> None:
        """Count a row beyond those that are listed."""
        self.counts["read"] += 1
        self.counts[outcome] += 1
        self.counts["printings"] += printings

    def report(self, problem: Problem) -> None:
        """Keep a problem, or count it with those of its code."""
        self.problem_counts[problem.code] += 1
        if self.problem_counts[problem.code] <= MOST_LISTED:
            self.problems.append(problem)
        elif problem.line:
            self.last_lines[problem.code] = problem.line

    def grouped(self) -> Iterator[Problem]:
        """The problems, those beyond MOST_LISTED of a code as one."""
        yield from self.problems
        for code, count in self.problem_counts.items():
            if count > MOST_LISTED:
                yield Problem(
                    Code.MORE_OF_A_KIND,
                    Severity.NOTE,
                    f"{count - MOST_LISTED:,} more rows as with {code}, "
                    f"the last on line {self.last_lines.get(code, 0):,}",
                    self.problems[0].file,
                    have=count,
                )
