"""What operations give back: answers, listings, and every result as JSON."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum, StrEnum
from pathlib import PurePath
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity

Row = TypeVar("Row")


class Answer(StrEnum):
    """How an operation came out: yes or done, no, input that cannot be used, undecided."""

    OK = "ok"
    NO = "no"
    UNUSABLE = "unusable"
    UNDECIDED = "undecided"


_WORST_FIRST = (Answer.UNUSABLE, Answer.NO, Answer.UNDECIDED, Answer.OK)


def worst(answers: Iterable[Answer]) -> Answer:
    """The answer for several: the worst of unusable, no, undecided, ok in that order."""
    found = set(answers)
    return next((answer for answer in _WORST_FIRST if answer in found), Answer.OK)


def answer_of(problems: Iterable[Problem], no: Collection[Code] = ()) -> Answer:
    """What problems make of an answer: an error is unusable input, or no where its code
    is among ``no``; what is unknown leaves it undecided; the rest changes nothing.
    """
    weights = {Severity.ERROR: Answer.UNUSABLE, Severity.UNKNOWN: Answer.UNDECIDED}
    return worst(
        Answer.NO
        if problem.code in no and problem.severity in weights
        else weights.get(problem.severity, Answer.OK)
        for problem in problems
    )


class Listing(NamedTuple, Generic[Row]):
    """Some of several rows, and how many there are in all."""

    rows: tuple[Row, ...]
    total: int

    @property
    def shown(self) -> int:
        """How many of them are here."""
        return len(self.rows)

    @property
    def left_out(self) -> int:
        """How many are not."""
        return self.total - len(self.rows)


def json_field(key: str | None, *, optional: bool = False, **settings: Any) -> Any:
    """A field of a result that JSON calls ``key``, or leaves out (None); with "" its own
    fields stand in its place. An ``optional`` one is left out where it is None.
    """
    return field(metadata={"json": key, "optional": optional}, **settings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What every operation gives back beside its own fields. ``no``: the codes of problems
    that make its answer no.
    """

    no: ClassVar[Collection[Code]] = ()
    problems: tuple[Problem, ...] = json_field(None, default=())

    @property
    def answer(self) -> Answer:
        """How it came out: what the problems make of it."""
        return answer_of(self.problems, self.no)


def to_json(value: Any) -> Any:
    """A result as JSON values: a dataclass or named tuple is an object with its fields, in
    their order, a `Listing` the list of its rows.

    `json_field` renames a field or leaves it out. Problems have keys of their own.
    """
    if isinstance(value, Problem):
        return value.as_json()
    if isinstance(value, Listing):
        return [to_json(row) for row in value.rows]
    if is_dataclass(value) and not isinstance(value, type):
        found: dict[str, Any] = {}
        for entry in fields(value):
            key, part = entry.metadata.get("json", entry.name), getattr(value, entry.name)
            if key is None or (part is None and entry.metadata.get("optional")):
                continue
            found |= {key: to_json(part)} if key else to_json(part)
        return found
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {str(key): to_json(entry) for key, entry in value.items()}
    if isinstance(value, Enum):
        return value.value if isinstance(value, int) else str(value)
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        return [to_json(entry) for entry in value]
    return value
