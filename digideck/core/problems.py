"""What can be wrong, as values: collected by readers and checks, printed elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from digideck.core.codes import Code


class Severity(StrEnum):
    """How much a problem weighs; the order is the order of reporting."""

    ERROR = "error"  # a rule is broken, or an input cannot be used
    UNKNOWN = "unknown"  # the outcome hangs on something the data does not tell
    WARNING = "warning"  # worth a look; changes no answer
    NOTE = "note"  # how an answer came about


class FixAction(StrEnum):
    """What a fix does."""

    ADD = "add"
    TAKE_OUT = "take out"
    IMPORT = "import"


@dataclass(frozen=True, slots=True)
class Fix:
    """What would put a problem right: so many copies of a card, or of any card.

    ``count`` None is all of its copies; an empty ``card`` is any card.
    """

    action: FixAction
    count: int | None = None
    card: str = ""

    @property
    def text(self) -> str:
        """The fix in words: "take out 2 Agumon", "add 1 card"."""
        number = "" if self.count is None else f"{self.count} "
        return f"{self.action} {number}{self.card or ('card' if self.count == 1 else 'cards')}"


@dataclass(frozen=True, slots=True)
class CardMention:
    """A card as one line of an input named it.

    ``card`` is what to show (number and name), ``count`` the copies on that
    line, ``line`` its place in the file (1-based, None without a file).
    """

    card: str
    count: int
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, unknown or worth saying.

    ``code`` is stable and meant for scripts. ``have`` and ``allowed`` are what
    the input has and what would be accepted; ``rule`` is the sentence of the
    rule, ``source`` where that rule or fact is from, ``next_step`` what to do:
    the words of the ``fix`` where there is one and no other words are given.
    """

    code: Code
    severity: Severity
    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    cards: tuple[CardMention, ...] = ()
    have: int | str | None = None
    allowed: int | str | None = None
    rule: str | None = None
    source: str | None = None
    next_step: str | None = None
    rule_id: str | None = None
    fix: Fix | None = None

    def __post_init__(self) -> None:
        if self.fix and self.next_step is None:
            object.__setattr__(self, "next_step", self.fix.text)

    def is_fixed_by(self, action: FixAction) -> bool:
        """Whether ``action`` is what puts it right."""
        return self.fix is not None and self.fix.action is action

    @property
    def public_code(self) -> str:
        """The code that scripts are told: of a broken rule its id."""
        return self.rule_id or str(self.code)

    @property
    def place(self) -> str:
        """``file:line:column`` as far as it is known, for editors to jump to."""
        if self.file is None:
            return ""
        parts = [self.file, self.line, self.column]
        return ":".join(str(part) for part in parts if part is not None)

    def as_json(self) -> dict[str, Any]:
        """The same keys for every problem, so that scripts can rely on them."""
        return {
            "code": self.public_code,
            "severity": str(self.severity),
            "message": self.message,
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "cards": [{"card": c.card, "count": c.count, "line": c.line} for c in self.cards],
            "have": self.have,
            "allowed": self.allowed,
            "rule": self.rule,
            "source": self.source,
            "next_step": self.next_step,
        }


class InputError(Exception):
    """Work that cannot go on, carrying what to tell the user.

    Exit code 3, or 4 where the problems are unknowns.
    """

    def __init__(self, *problems: Problem) -> None:
        super().__init__("; ".join(problem.message for problem in problems))
        self.problems = problems

    def at(self, file: str, line: int | None) -> InputError:
        """The same, at its place in a file."""
        return InputError(*(replace(problem, file=file, line=line) for problem in self.problems))

    def __reduce__(self) -> tuple[type[InputError], tuple[Problem, ...]]:
        """Goes between processes with its problems."""
        return InputError, self.problems


class RowError(Exception):
    """Why one row or value cannot be taken: raised where it is met, or yielded in the row's place.

    ``line`` is 0 and ``part`` (a sheet, a table) blank where they are not known here.
    """

    def __init__(
        self,
        code: Code,
        message: str,
        next_step: str | None = None,
        *,
        allowed: int | str | None = None,
        line: int = 0,
        part: str = "",
    ) -> None:
        super().__init__(message)
        self.code = code
        self.next_step = next_step
        self.allowed = allowed
        self.line = line
        self.part = part

    def problem(self, file: str | None = None, line: int | None = None) -> Problem:
        """The same as an error at its place."""
        return Problem(
            self.code,
            Severity.ERROR,
            str(self),
            f"{file}[{self.part}]" if self.part else file,
            line or self.line or None,
            allowed=self.allowed,
            next_step=self.next_step,
        )


def input_error(code: Code, message: str, **details: Any) -> InputError:
    """Shorthand for an `InputError` with one error."""
    return InputError(Problem(code, Severity.ERROR, message, **details))
