"""``digideck scan review``: naming the cards of codes that wait."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.pictures import photo, video
from tests.cli.typed import needs_terminal, terminal
from tests.conftest import Run


@pytest.fixture
def box(run: Run, tmp_path: Path) -> Path:
    """Three photos that were scanned: a code twice, and a QR code with spaces."""
    folder = tmp_path / "box"
    photo(folder / "1.png", "AAA111111")
    photo(folder / "2.png", "AAA111111")
    photo(folder / "3.png", "AAA 2\nx", kind="QR")
    assert run("scan", "photos", folder, "--workers", "1").exit_code == 0
    return folder


def owned(run: Run, card: str) -> int:
    return int(run("show", card, "--json").json["data"]["cards"][0]["owned"])


def waiting(run: Run) -> list[tuple[str, int]]:
    data = run("scan", "review", "--json").json["data"]
    return [(one["code"], one["reads"]) for one in data["waiting"]]


def test_nothing_waits(run: Run) -> None:
    assert run("scan", "review").exit_code == 1


def test_what_waits_is_listed_with_its_files(run: Run, box: Path) -> None:
    done = run("scan", "review")
    assert done.exit_code == 0
    for shown in ("Code128:AAA111111  2 reads", "1.png", "2.png", r"QR:AAA 2\x0ax  1 read"):
        assert shown in done.stdout
    assert waiting(run) == [("Code128:AAA111111", 2), (r"QR:AAA 2\x0ax", 1)]


@pytest.mark.usefixtures("box")
def test_lines_name_cards_link_them_and_enter_what_waited(run: Run) -> None:
    done = run("scan", "review", "--place", "album", stdin="AAA111111 St-1\n")
    assert done.exit_code == 0, done.output
    assert "+2  hyper-colosseum/St-1  Agumon (album); owned: 2" in done.stdout
    assert run("barcode", "list", "--json").json["data"]["links"][0]["from"] == "review"
    run("collection", "undo")
    assert owned(run, "St-1") == 0


@pytest.mark.usefixtures("box")
def test_a_payload_with_spaces_and_a_name_with_spaces(run: Run) -> None:
    lines = "AAA 2\\x0ax Omegamon X-Antibody: nobody\nqr:AAA 2\\x0ax\tSt-2\n"
    done = run("scan", "review", "-", "--json", stdin=lines)
    assert done.exit_code == 3
    assert [problem["line"] for problem in done.json["problems"]] == [1]
    assert done.json["data"]["linked"] == [
        {"code": r"QR:AAA 2\x0ax", "card": "hyper-colosseum/St-2"}
    ]
    assert owned(run, "St-2") == 1


@pytest.mark.usefixtures("box")
def test_linking_alone(run: Run) -> None:
    assert run("scan", "review", "--no-add", stdin="AAA111111 St-1\n").exit_code == 0
    assert owned(run, "St-1") == 0
    assert waiting(run) == [(r"QR:AAA 2\x0ax", 1)]


@pytest.mark.usefixtures("box")
def test_a_code_that_is_no_cards_is_dismissed_for_good(run: Run) -> None:
    assert run("scan", "review", stdin="AAA111111 -\n").exit_code == 0
    assert waiting(run) == [(r"QR:AAA 2\x0ax", 1)]
    assert run("barcode", "list").exit_code == 1


@pytest.mark.parametrize(
    ("lines", "exit_code", "says"),
    [
        ("NOPE St-1", 3, "no read of Code128:NOPE is waiting"),
        ("AAA111111 St-99999", 3, "no card"),
        ("AAA111111 Agumon", 4, "can be any of"),
        ("AAA111111", 3, "no card"),
        ("AAA111111 St-1\nAAA111111 St-2", 3, "was named St-1 Agumon before"),
        (b"\xff\xfe\xff", 3, "<stdin>"),
    ],
)
@pytest.mark.usefixtures("box")
def test_lines_that_cannot_be_used(run: Run, lines: str | bytes, exit_code: int, says: str) -> None:
    done = run("scan", "review", "-", stdin=lines)
    assert done.exit_code == exit_code
    assert says in done.stderr


@pytest.mark.usefixtures("box")
def test_lines_can_be_given_again(run: Run) -> None:
    lines = "AAA111111 St-1\nNOPE St-2\nAAA 2\\x0ax -\n"
    assert run("scan", "review", "-", stdin=lines).exit_code == 3
    again = run("scan", "review", "-", stdin=lines.replace("NOPE St-2\n", ""))
    assert again.exit_code == 0, again.output
    assert "2 lines of what was so before" in again.stdout
    assert owned(run, "St-1") == 2
    other = run("scan", "review", "-", stdin="AAA111111 St-2\n")
    assert other.exit_code == 3
    assert "is linked already, to St-1 Agumon" in other.stderr


def test_what_a_camera_noted_is_dismissed_for_good(run: Run, tmp_path: Path) -> None:
    film = video(tmp_path / "film.avi", [("", 3), ("AAA111111", 5), ("", 3)])
    run("scan", "camera", "--no-preview", "--source", film)
    assert waiting(run) == [("Code128:AAA111111", 1)]
    assert run("scan", "review", "-", stdin="AAA111111 -\n").exit_code == 0
    assert waiting(run) == []


@needs_terminal
@pytest.mark.usefixtures("box")
def test_at_a_terminal_a_card_is_chosen_from_the_nearest(run: Run, database: Path) -> None:
    with terminal(database, "scan", "review", "--game", "hyper-colosseum") as typed:
        said = typed.until("card: ")
        assert "1/2  Code128:AAA111111" in said
        assert "1.png" in said
        typed.type("Greimon\n")
        choices = typed.until("card: ")
        assert "1  hyper-colosseum/" in choices
        assert "Greymon" in choices
        typed.type("1\n")
        assert "2/2" in typed.until("card: ")
        typed.type("q\n")
        typed.until("1 code waiting")
        assert typed.ended() == 0
    links = run("barcode", "list", "--json").json["data"]["links"]
    assert [link["code"] for link in links] == ["Code128:AAA111111"]
    assert owned(run, links[0]["card"]) == 2


@needs_terminal
@pytest.mark.usefixtures("box")
def test_at_a_terminal_help_is_no_card_and_no_choice_is_hidden(database: Path) -> None:
    with terminal(database, "scan", "review") as typed:
        typed.until("card: ")
        for word in ("?", "help"):
            typed.type(f"{word}\n")
            said = typed.until("card: ")
            assert "Enter leaves it for later" in said
            assert "no card is called so" not in said
        for name in ("Kuwagamom", "Agumon"):  # nearly a name, and one of many cards
            typed.type(f"{name}\n")
            said = typed.until("card: ")
            assert "    9  " in said
            assert re.search("and [0-9]+ more: name a card number", said)
        typed.type("q\n")
        typed.until("2 codes waiting")
        assert typed.ended() == 0
