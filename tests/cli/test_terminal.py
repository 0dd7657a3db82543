"""Names from files cannot steer a terminal."""

from __future__ import annotations

import io
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digideck.cli.render.output import Report, styled, table
from digideck.core.problems import Problem, Severity
from digideck.core.text import width
from tests.conftest import Run, Write

CONTROLS = [chr(code) for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"]
TITLE = "\x1b]0;owned\x07\x1b[2J\x9b31m"


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


def printed(line: str, terminal: bool, monkeypatch: pytest.MonkeyPatch) -> str:
    stream = Terminal() if terminal else io.StringIO()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        Report("test", as_json=False).say(styled(line, "good") + line)
    return stream.getvalue()


@given(text=st.text(st.sampled_from([*CONTROLS, "\n", "\t", "a", "ア", "[", "0", "m"])))
def test_no_control_character_is_printed(text: str) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        plain = printed(text, False, monkeypatch)
        coloured = printed(text, True, monkeypatch)
    assert not set(plain).intersection(CONTROLS)
    shown = plain[: len(plain) // 2]
    assert coloured == f"\033[32m{shown}\033[0m{shown}\n"


def test_problems_show_them_and_keep_the_place_on_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = Report("test", as_json=False)
    report.problem(
        Problem("x", Severity.ERROR, TITLE, file="a\nb\x1b[2J", line=3, next_step=f"see {TITLE}")
    )
    said = capsys.readouterr().err
    assert not set(said).intersection(CONTROLS)
    assert said.startswith("a\\nb\\x1b[2J:3: \\x1b]0;owned")


def test_cells_are_measured_as_they_are_shown() -> None:
    lines = list(table([("\x1b[2J", "x"), ("a\nb", "y")], ("name", "to")))
    assert lines == ["name     to", "\\x1b[2J  x", "a\\nb     y"]


def test_a_deck_with_escapes(run: Run, write: Write) -> None:
    deck = write(
        "deck.yaml", f'name: "{TITLE.encode("unicode_escape").decode()}"\nmain:\n  - 3 St-1\n'
    )
    for words in (
        ("deck", "show", deck),
        ("deck", "check", deck),
        ("deck", "check", f"{deck}{TITLE}"),
        ("find", TITLE),
        (TITLE,),
        *(
            ("deck", "convert", deck, "--to", form)
            for form in ("text", "yaml", "cockatrice", "csv")
        ),
    ):
        assert not set(run(*words).output).intersection(CONTROLS), words


def test_json_escapes_what_steers_a_terminal(run: Run, write: Write) -> None:
    name = f"アグモン{TITLE}\x85\u202e\u2066"
    deck = write("deck.yaml", f"name: {json.dumps(name)}\nmain:\n  - 3 St-1\n")
    result = run("deck", "show", deck, "--json")
    assert "アグモン" in result.stdout
    assert not set(result.stdout).intersection({*CONTROLS, "\u202e", "\u2066"})
    (shown,) = json.loads(result.stdout)["data"]["decks"]
    assert shown["name"] == name


def test_converted_details_carry_none(run: Run) -> None:
    deck = '<cockatrice_deck version="1"><deckname>My\x9b2J\x85Deck</deckname><zone name="main">\
<card number="3" name="Agu\x9bmon"/></zone></cockatrice_deck>'
    for form in ("text", "yaml", "cockatrice", "csv"):
        result = run("deck", "convert", "-", "--to", form, stdin=deck)
        assert result.exit_code == 0, result.output
        assert "Agumon" in result.stdout
        assert "9b" not in result.stdout
        assert not set(result.output).intersection(CONTROLS)


def test_a_table_is_fitted_to_a_narrow_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        ("alpha/Dα-065", "シャーマモンシャーマモン", "A very long name of a card", 12345, "Vaccine")
    ]
    header = ("card", "Japanese", "name", "hp", "attribute")

    def lines(columns: int, terminal: bool = True) -> list[str]:
        with monkeypatch.context() as patch:
            patch.setenv("COLUMNS", str(columns))
            patch.setattr(sys, "stdout", Terminal() if terminal else io.StringIO())
            return list(table(rows, header, right=(3,), texts=(1, 2), spare=(4,)))

    whole = lines(200)
    assert lines(20, terminal=False) == whole
    assert "A very long name of a card" in whole[1]
    narrow = lines(70)
    assert max(map(width, narrow)) <= 70
    assert "…" in narrow[1]
    assert "12345" in narrow[1]
    assert "alpha/Dα-065" in narrow[1]
    assert "Vaccine" in narrow[1]
    narrowest = lines(50)
    assert "Vaccine" not in narrowest[1]
    assert "attribute" in narrowest[2]  # which column is left out is said
    assert "alpha/Dα-065" in lines(5)[1]
