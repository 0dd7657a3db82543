"""Results as JSON, and the answer that problems make."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity
from digideck.core.results import Answer, Listing, Result, answer_of, json_field, to_json, worst


@dataclass(frozen=True, slots=True)
class Inner:
    """Something in a result."""

    set_code: str = json_field("set")


@dataclass(frozen=True, slots=True)
class Outer(Result):
    """A result with each kind of field."""

    inner: Inner = field(metadata={"json": ""})
    rows: Listing[Inner]
    path: Path
    sources: str | None = json_field("sources", optional=True)
    hidden: str = json_field(None)


def test_json_has_the_fields_in_their_order() -> None:
    result = Outer(Inner("AE5"), Listing((Inner("AE1"),), 7), Path("a"), None, "no")
    assert list(to_json(result).items()) == [
        ("set", "AE5"),
        ("rows", [{"set": "AE1"}]),
        ("path", "a"),
    ]
    assert result.rows.left_out == 6
    told = Outer(result.inner, result.rows, result.path, "all", "no")
    assert to_json(told)["sources"] == "all"


@pytest.mark.parametrize(
    ("severities", "no", "answer"),
    [
        ((), (), Answer.OK),
        ((Severity.WARNING, Severity.NOTE), (), Answer.OK),
        ((Severity.ERROR,), (), Answer.UNUSABLE),
        ((Severity.UNKNOWN, Severity.WARNING), (), Answer.UNDECIDED),
        ((Severity.UNKNOWN, Severity.ERROR), (Code.TOO_FEW,), Answer.NO),
        ((Severity.NOTE,), (Code.TOO_FEW,), Answer.OK),
    ],
)
def test_the_answer_is_the_worst_that_the_problems_make(
    severities: tuple[Severity, ...], no: tuple[Code, ...], answer: Answer
) -> None:
    problems = tuple(Problem(Code.TOO_FEW, severity, "few") for severity in severities)
    assert answer_of(problems, no) is answer
    if not no:
        assert (
            Outer(Inner(""), Listing((), 0), Path(), None, "", problems=problems).answer is answer
        )


def test_the_order_of_answers() -> None:
    order = [Answer.UNUSABLE, Answer.NO, Answer.UNDECIDED, Answer.OK]
    for place, answer in enumerate(order):
        assert worst(order[place:]) is answer
    assert worst([]) is Answer.OK
