"""What was meant by a word that is none."""

from __future__ import annotations

import pytest

from digideck.core.suggestions import did_you_mean, is_near, nearest, similar


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("alhpa", ["alpha"]),
        ("ALPHA", ["alpha"]),
        ("colosseum", ["Hyper-Colosseum"]),
        ("zzz", []),
        ("", []),
    ],
)
def test_the_nearest_words(word: str, found: list[str]) -> None:
    assert nearest(word, ["alpha", "dcg", "Hyper-Colosseum"]) == found


def test_no_more_than_asked_for_and_the_nearest_first() -> None:
    assert nearest("agumon", ["gabumon", "agumons", "agumon x"], 2) == ["agumons", "agumon x"]


def test_a_question_where_there_is_something_to_ask() -> None:
    assert did_you_mean(["a", "b"], "one of: c") == "did you mean a, b?"
    assert did_you_mean([], "one of: c") == "one of: c"


def test_one_slip_is_similar_and_another_name_is_not() -> None:
    names = ["agumon", "agumonx", "gabumon"]
    assert next(key for _, key in similar("agumonn", names)) == "agumon"
    assert [key for _, key in similar("agunom", names)] == ["agumon"]
    assert is_near("agumonn", names)
    assert not is_near("agumon", ["gabumon"])
