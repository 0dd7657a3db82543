"""``digideck deck convert``: what users see of it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from digideck.decks.formats.registry import DECK_FILE_FORMATS
from digideck.decks.model import Deck, DeckLine, DeckVocabulary
from tests.conftest import Run

Write = Callable[[str, str | bytes], Path]

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "decks"
ALPHA = "# format: alpha\n3 Da-1\n2 Dα-058 Agumon (2006 Anime Version)\n"


def test_numbers_and_names_are_filled_in(run: Run) -> None:
    done = run("deck", "convert", "--to", "csv", "-", stdin=ALPHA)
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[:2] == [
        "count,number,name,zone,set,game",
        "3,Dα-001,Agumon (2006 Anime Version),main,,alpha",
    ]


def test_a_name_stays_in_its_language(run: Run) -> None:
    done = run(
        "deck", "convert", "--to", "text", "-", stdin="3 アグモン St-1\n3 ＡＧＵＭＯＮ St-1\n"
    )
    assert done.stdout.splitlines()[-2:] == ["3 アグモン (St-1)", "3 Agumon (St-1)"]


@pytest.mark.parametrize(
    ("deck", "form", "code", "said"),
    [
        ("2 BT1-010_P1", "tts", "variants-lost", "BT1-010_P1"),
        ("2 BT1-010\nSB: 1 BT1-011", "digimoncard.dev", "zones-lost", "the zone side"),
        ("# name: Blue\n# author: Ken\n2 BT1-010", "deck-code", "metadata-lost", "author"),
        ("# format: dcg\n2 XY9-999 Newmon\n2 BT1-010", "digimonmeta", "names-lost", "Newmon"),
        ("2\tBT1-010\tAgumon\tBooster 1", "text", "sets-lost", "BT1-010"),
        ("# name: " + "ア" * 30 + "\n2 BT1-010", "deck-code", "name-cut", "63 bytes"),
        ("2 BT1-010-Errata", "deck-code", "variants-lost", "BT1-010-Errata"),
        ("# language: fr\n2 BT1-010", "deck-code", "language-lost", "'fr'"),
        ("# icon: BT1-010_P1\n2 BT1-010", "deck-code", "icon-lost", "BT1-010_P1"),
        ("2 BT1-010\n2 ST1-03", "cockatrice", "names-ambiguous", "Agumon"),
        ("3 St-1", "tts", "form-of-other-game", "Digimon Card Game (2020)"),
    ],
)
def test_what_is_lost_is_said(deck: str, form: str, code: str, said: str, run: Run) -> None:
    done = run("deck", "convert", "--to", form, "--json", "-", stdin=deck)
    assert done.exit_code == 0, done.output
    (problem,) = [entry for entry in done.json["problems"] if entry["code"] == code]
    assert said in problem["message"]
    assert problem["severity"] == "warning"
    plain = run("deck", "convert", "--to", form, "-", stdin=deck)
    assert problem["message"] in plain.stderr
    assert plain.stdout == done.json["data"]["decks"][0]["text"]


@pytest.mark.parametrize(
    ("deck", "form", "said"),
    [
        ("# game: dcg\n2 BT1-010\n3 Agumon", "tts", "<stdin>:3: 3"),
        ("# game: dcg\n2 BT1-010\n3 Newmon", "deck-code", "needs its number"),
        ("2 St-1", "deck-code", "numbers such as BT1-001"),
        ("2 St-1", "digimonmeta-code", "numbers such as BT1-001"),
        ("# game: alpha\n1 DM02-095@asia", "tts", "no place for the edition"),
        (
            "# game: dcg\n" + "\n".join(f"1 BT{n}-001" for n in range(1, 9)),
            "deck-code",
            "Digi-Eggs",
        ),
    ],
)
def test_a_line_that_cannot_be_written_stops_the_deck(
    deck: str, form: str, said: str, run: Run, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done = run("deck", "convert", "--to", form, "--out", out, "-", stdin=deck)
    assert done.exit_code == 3
    assert said.replace("<stdin>:3: 3", "<stdin>:3: Agumon cannot be written") in done.stderr
    assert not out.exists()


def test_every_line_that_cannot_be_written_is_named(run: Run) -> None:
    done = run("deck", "convert", "--to", "deck-code", "-", stdin="3 St-1\n3 St-2\n3 Bo-5\n")
    assert [done.stderr.count(number) for number in ("St-1 ", "St-2 ", "Bo-5 ")] == [1, 1, 1]
    assert done.stdout == ""


def test_an_unreadable_line_stops_the_deck(run: Run) -> None:
    done = run("deck", "convert", "--to", "text", "-", stdin="3 St-1\n400 St-2\n")
    assert (done.exit_code, done.stdout) == (3, "")
    assert "<stdin>:2: cannot read '400 St-2'" in done.stderr


def test_files_are_not_overwritten(run: Run, write: Write) -> None:
    out = write("out.cod", "mine")
    done = run("deck", "convert", "--to", "cockatrice", "--out", out, "-", stdin=ALPHA)
    assert done.exit_code == 3
    assert "--force" in done.stderr
    assert out.read_text() == "mine"
    forced = run("deck", "convert", "--to", "cockatrice", "--out", out, "--force", "-", stdin=ALPHA)
    assert forced.exit_code == 0
    assert out.read_text("utf-8").startswith("<?xml")
    assert "5 cards read as text, written as cockatrice" in forced.stdout


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_a_folder_that_is_not_there(run: Run, tmp_path: Path, force: list[str]) -> None:
    out = tmp_path / "no" / "out.txt"
    done = run("deck", "convert", "--to", "text", "--out", out, *force, "-", stdin=ALPHA)
    assert done.exit_code == 3
    assert "cannot be written: no such file or directory" in done.stderr


def test_several_decks_go_into_a_folder(run: Run, tmp_path: Path, write: Write) -> None:
    good, bad = write("good.txt", ALPHA), write("bad.txt", "3 Agumon x\n[[[\n400 x\n")
    out = tmp_path / "out"
    out.mkdir()
    done = run("deck", "convert", "--to", "lackey", "--out", out, good, bad)
    assert done.exit_code == 3
    assert [path.name for path in out.iterdir()] == ["good.dek"]
    refused = run("deck", "convert", "--to", "lackey", good, bad)
    assert refused.exit_code == 2
    assert "--out FOLDER" in refused.stderr


def test_two_decks_for_one_file_are_refused(run: Run, tmp_path: Path, write: Write) -> None:
    (tmp_path / "a").mkdir()
    one, two = write("deck.txt", ALPHA), write("a/deck.txt", ALPHA)
    done = run("deck", "convert", "--to", "csv", "--out", tmp_path, one, two)
    assert done.exit_code == 3
    assert not (tmp_path / "deck.csv").exists()


@pytest.mark.parametrize("option", ["--to", "--from"])
def test_an_unknown_form_lists_all(option: str, run: Run) -> None:
    rest = ["--to", "text"] if option == "--from" else []
    done = run("deck", "convert", option, "docx", *rest, "-", stdin=ALPHA)
    assert done.exit_code == 3
    assert all(code in done.stderr for code in DECK_FILE_FORMATS)


def test_the_help_lists_all_forms(run: Run) -> None:
    done = run("deck", "convert", "--help")
    assert all(f"{code} " in done.stdout for code in DECK_FILE_FORMATS)


def test_a_form_can_be_forced(run: Run) -> None:
    text = "number,count\n"  # a header, or a card called so
    assert run("deck", "convert", "--to", "text", "-", stdin=text).exit_code == 3
    done = run("deck", "convert", "--from", "text", "--to", "text", "-", stdin=text)
    assert (done.exit_code, done.stdout) == (0, "1 number,count\n")
    assert run("deck", "check", "--from", "tts", "-", stdin="3 Agumon").exit_code == 3


@pytest.mark.parametrize(
    ("deck", "option", "card"),
    [
        ("3 DM-035", ["--game", "dccg"], "3 Agumon (DM-035)"),
        ("3 DM-035", ["--format", "dccg"], "3 Agumon (DM-035)"),
        ("3 dccg/DM-035", [], "3 Agumon (dccg/DM-035)"),
        ("# game: dccg\n3 DM-035", [], "3 Agumon (DM-035)"),
    ],
)
def test_the_game_is_given_or_found(deck: str, option: list[str], card: str, run: Run) -> None:
    done = run("deck", "convert", "--to", "text", *option, "-", stdin=deck)
    assert done.exit_code == 0, done.output
    assert card in done.stdout.splitlines()


def test_a_number_of_two_games_is_written_as_it_stands_and_said(run: Run) -> None:
    done = run("deck", "convert", "--to", "text", "-", stdin="3 DM-035\n")
    assert (done.exit_code, done.stdout) == (0, "3 DM-035\n")
    assert "DM-035 can mean" in done.stderr


def test_lackey_zones_are_those_of_the_games_plugin(run: Run) -> None:
    deck = "# game: hyper-colosseum\n2 St-1\nSB: 1 St-5\n"
    done = run("deck", "convert", "--to", "lackey", "-", stdin=deck)
    assert '<superzone name="Net Ocean">' in done.stdout
    assert '<superzone name="Side Deck">' in done.stdout
    assert done.stdout.count('<name id="St-1">Agumon</name><set>St1</set>') == 2


def test_a_code_keeps_name_language_icon_zones_and_printings(run: Run) -> None:
    deck = (
        "# game: dcg\n# name: アグモン\n# language: ja\n# icon: BT1-010\n\n"
        "Egg Deck:\n4 Koromon (ST1-01)\n\n"
        "Main Deck:\n2 Agumon (BT1-010)\n2 Agumon (BT1-010_P1)\n\n"
        "Sideboard:\n1 Agumon (ST1-03)\n"
    )
    code = run("deck", "convert", "--to", "deck-code", "-", stdin=deck)
    assert (code.exit_code, code.stderr) == (0, "")
    back = run("deck", "convert", "--to", "text", "-", stdin=code.stdout)
    assert back.stdout == deck


JUDGED = sorted(EXAMPLES.glob("*-legal.*")) + sorted(EXAMPLES.glob("*-illegal.txt"))


@pytest.mark.parametrize("path", JUDGED, ids=lambda path: path.name)
@pytest.mark.parametrize("code", [code for code, form in DECK_FILE_FORMATS.items() if form.write])
def test_a_deck_has_the_same_verdict_in_every_form(
    code: str, path: Path, run: Run, tmp_path: Path
) -> None:
    before = run("deck", "check", "--json", path).json["data"]["decks"][0]
    out = tmp_path / f"deck{DECK_FILE_FORMATS[code].extension}"
    done = run("deck", "convert", "--to", code, "--out", out, path)
    if done.exit_code == 3:  # names alone, or numbers of another game
        assert "cannot be written" in done.stderr
        assert DECK_FILE_FORMATS[code].game == "dcg"
        return
    assert done.exit_code == 0, done.output
    after = run("deck", "check", "--json", "--format", before["format"], out).json["data"]["decks"][
        0
    ]
    assert (after["verdict"], after["cards"]) == (before["verdict"], before["cards"])
    assert {problem["code"] for problem in after["problems"]} >= {
        problem["code"] for problem in before["problems"] if problem["severity"] == "error"
    }


def test_the_shell_completes_forms(
    shell: Callable[..., subprocess.CompletedProcess[bytes]],
) -> None:
    done = shell("__complete", "forms", "digimonm")
    assert done.stdout.decode().split() == ["digimonmeta", "digimonmeta-code"]


@pytest.mark.parametrize("form", ["tts", "drasil", "lackey"])
def test_an_absurd_deck_is_not_written_copy_by_copy(form: str, run: Run, write: Write) -> None:
    deck = write("deck.txt", "99 BT1-010\n" * 900)
    result = run("deck", "convert", deck, "--to", form)
    assert result.exit_code == 3
    assert f"89,100 cards are too many for {form}" in result.stderr
    assert "at most 1,000 cards" in result.stderr
    assert not result.stdout
    assert run("deck", "convert", deck, "--to", "text").exit_code == 0
    enough = write("enough.txt", "99 BT1-010\n" * 10 + "10 BT1-010\n")
    assert run("deck", "convert", enough, "--to", form).stdout.count("BT1-010") >= 1000


def test_every_form_that_writes_copy_by_copy_says_so(words: DeckVocabulary) -> None:
    """What is written of 99 copies is as short as of 9 wherever the form does not say so."""
    for form in DECK_FILE_FORMATS.values():
        if form.write:
            one, many = (
                form.write(Deck("x", (DeckLine(n, "BT1-010", "BT1-010", "Agumon"),)), words).text
                for n in (9, 99)
            )
            assert form.copy_by_copy == (len(many) > 2 * len(one)), form.code


def test_several_decks_make_their_folder(run: Run, tmp_path: Path) -> None:
    decks = [EXAMPLES / "hyper-colosseum-legal.txt", EXAMPLES / "dcg-legal.txt"]
    out = tmp_path / "new"
    assert run("deck", "convert", *decks, "--to", "yaml", "--out", out).exit_code == 0
    assert len(list(out.iterdir())) == 2
    file = tmp_path / "file"
    file.write_text("mine")
    refused = run("deck", "convert", *decks, "--to", "yaml", "--out", file)
    assert refused.exit_code == 3
    assert "where a folder is needed" in refused.stderr
    assert file.read_text() == "mine"


def test_where_nothing_converts_no_folder_is_made(run: Run, tmp_path: Path, write: Write) -> None:
    decks = [write(f"{name}.txt", "[[[\n400 x\n") for name in "ab"]
    new = tmp_path / "new"
    assert run("deck", "convert", *decks, "--to", "lackey", "--out", new).exit_code == 3
    assert not new.exists()
