"""YAML without its traps (F9): strings stay strings, keys stand once, nothing is ignored."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digideck.core.problems import InputError
from digideck.core.strict_yaml import Mapping, load


@pytest.mark.parametrize(
    "text", ["no", "010", "1_000", "2000-01-02", "12:30", "0x1F", "1e3", ".inf", "true", "2026-11"]
)
def test_a_scalar_is_what_was_written(text: str) -> None:
    entry = load(f"key: {text}\n", "f.yaml")
    assert entry.text("key") == text


@pytest.mark.parametrize(
    "text", ["010", "1_000", "12:30", "-1", "+1", "1.0", "²", "４", "no", "9999999999"]
)
def test_a_number_is_written_in_plain_digits(text: str) -> None:
    entry = load(f"a: 1\nmax: '{text}'\n", "f.yaml")
    if text == "010":
        assert entry.integer("max") == 10  # never 8
        return
    with pytest.raises(InputError) as caught:
        entry.integer("max")
    assert caught.value.problems[0].place == "f.yaml:2:6"


def refused(text: str) -> tuple[str, str, str]:
    with pytest.raises(InputError) as caught:
        load(text, "f.yaml").done()
    problem = caught.value.problems[0]
    return problem.code, problem.place, problem.message


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        pytest.param("a: 1\nb: 2\na: 3\n", "yaml-duplicate-key", "f.yaml:3:1", id="twice"),
        pytest.param("a:\n  b: 1\n  b: 1\n", "yaml-duplicate-key", "f.yaml:3:3", id="twice-inside"),
        pytest.param("colour: red\n", "yaml-value", "f.yaml:1:1", id="unknown-key"),
        pytest.param("? [a]\n: 1\n", "yaml-key", "f.yaml:1:3", id="list-as-key"),
        pytest.param("a: &x [1]\nb: *x\n", "yaml-alias", "f.yaml:1:4", id="alias"),
        pytest.param("a: {<<: {b: 1}\n", "yaml-syntax", "f.yaml:2:1", id="unclosed"),
        pytest.param("a: " + "[" * 200 + "]" * 200, "yaml-depth", "f.yaml:1:54", id="deep"),
        pytest.param("- a\n", "yaml-type", "f.yaml:1", id="list"),
        pytest.param("", "yaml-empty", "f.yaml", id="empty"),
        pytest.param("a: 1\n---\nb: 2\n", "yaml-syntax", "f.yaml:2:1", id="two-documents"),
    ],
)
def test_what_is_refused_has_line_and_column(text: str, code: str, place: str) -> None:
    assert refused(text)[:2] == (code, place)


def test_an_unknown_key_names_the_known_ones() -> None:
    entry = load("titel: x\n", "f.yaml")
    entry.text("title", "")
    entry.optional_integer("most")
    with pytest.raises(InputError) as caught:
        entry.done()
    assert caught.value.problems[0].allowed == "title, most"


@pytest.mark.parametrize(
    "read",
    [
        lambda entry: entry.text("a"),
        lambda entry: entry.texts("b"),
        lambda entry: entry.mapping("d"),
        lambda entry: entry.mappings("a"),
        lambda entry: entry.choice("d", ["y", "z"]),
        lambda entry: entry.flag("d"),
    ],
)
def test_wrong_types_are_named(read: Callable[[Mapping], object]) -> None:
    entry = load("a: [1]\nb: {c: 1}\nd: x\n", "f.yaml")
    with pytest.raises(InputError) as caught:
        read(entry)
    problem = caught.value.problems[0]
    assert problem.line in (1, 2, 3)
    assert "expected" in problem.message or problem.allowed


def test_values_survive_the_database() -> None:
    entry = load("a: '010'\nb: [x, {c: no}]\nd: ~\n", "f.yaml")
    again = Mapping.from_plain(entry.as_plain(), "f.yaml")
    assert again.as_plain() == entry.as_plain() == {"a": "010", "b": ["x", {"c": "no"}], "d": None}


def mapping_or_problem(text: str) -> object:
    try:
        return load(text, "f.yaml").as_plain()
    except InputError as error:
        return error.problems[0].file


@given(st.text(max_size=200))
def test_any_text_is_a_mapping_or_a_problem(text: str) -> None:
    assert mapping_or_problem(text) is not None


@given(
    st.recursive(
        st.text("ab:-[]{}#&*!|>'\"%@`\n ~?", max_size=8),
        lambda inner: st.lists(inner, max_size=4).map("\n".join),
        max_leaves=12,
    )
)
def test_any_yaml_like_text_is_a_mapping_or_a_problem(text: str) -> None:
    assert mapping_or_problem(text) is not None
