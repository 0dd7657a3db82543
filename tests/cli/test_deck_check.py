"""deck check: where the format comes from, what is printed, exit codes, bad files."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import digideck
from digideck.core.problems import InputError, Problem, Severity
from tests.conftest import Run, Write

DECKS = Path(__file__).parent.parent / "decks"
LEGAL, ILLEGAL, UNDECIDED = (
    DECKS / kind / f"{kind_of}.txt"
    for kind, kind_of in (
        ("legal", "alpha-plain"), ("illegal", "alpha-31"), ("undecided", "alpha-unknown-card")
    )
)  # fmt: skip


def chosen(run: Run, text: str, *arguments: str) -> tuple[str | None, str]:
    (deck,) = run("deck", "check", "-", "--json", *arguments, stdin=text).json["data"]["decks"]
    return deck["format"], deck["format_chosen_by"]


@pytest.mark.parametrize(
    ("text", "arguments", "expected", "why"),
    [
        ("3 St-1", ("--format", "alpha"), "alpha", "asked for"),
        ("# format: dccg\n3 St-1", ("-f", "ALPHA"), "alpha", "asked for"),
        ("# format: alpha\n3 St-1", (), "alpha", "named in the file"),
        ("Format: Ultimate-Battle\n3 St-1", (), "ultimate-battle", "named in the file"),
        ("---\nformat: alpha\ncards: [St-1]\n", (), "alpha", "named in the file"),
        ("# game: alpha\n3 St-1", (), "alpha", "of the game named in the file"),
        ("game: Digi-Battle\n3 St-1", (), "digi-battle", "of the game named in the file"),
        ("3 St-1", (), "hyper-colosseum", "by its cards: all lines are of hyper-colosseum"),
        ("1 ST-01", (), "digi-battle", "by its cards: all lines are of digi-battle"),
        ("3 Dα-065\n3 Dα-002", (), "alpha", "by its cards: 1 of 2 lines are of alpha"),
        ("3 DM-035 Agumon\n1 DD-001", (), "dccg", "by its cards: all lines are of dccg"),
    ],
)
def test_where_the_format_comes_from(
    run: Run, text: str, arguments: tuple[str, ...], expected: str, why: str
) -> None:
    assert chosen(run, text, *arguments) == (expected, why)
    assert why in run("deck", "check", "-", *arguments, stdin=text).stdout


@pytest.mark.parametrize(
    ("text", "arguments", "place", "message"),
    [
        pytest.param(
            "3 DM-035",
            (),
            "<stdin>",
            "its cards fit several games: alpha, dccg",
            id="several-games",
        ),
        pytest.param(
            "3 st1",
            (),
            "<stdin>",
            "its cards fit several games: digi-battle, hyper-colosseum",
            id="bare-number",
        ),
        pytest.param(
            "3 Foomon XX-1",
            (),
            "<stdin>",
            "none of its cards is in the database",
            id="unknown-cards",
        ),
        pytest.param(
            "\n# format: chess\n3 St-1",
            (),
            "<stdin>:2",
            "no format is called 'chess'",
            id="unknown-format",
        ),
        pytest.param(
            "# game: pokemon\n3 St-1",
            (),
            "<stdin>:1",
            "no game is called 'pokemon'",
            id="unknown-game",
        ),
        pytest.param(
            "3 St-1", ("-f", "chess"), "", "no format is called 'chess'", id="unknown-option"
        ),
        pytest.param("asdasd", (), "<stdin>", "no card line found", id="A24-garbage"),
        pytest.param(
            "asdasd", ("-f", "alpha"), "<stdin>", "no card line found", id="A24-garbage-with-format"
        ),
        pytest.param("", (), "<stdin>", "no card line found", id="empty"),
        pytest.param(
            "3 St-1\n0 St-2", (), "<stdin>:2", "cannot read '0 St-2': a count of 0", id="A26-zero"
        ),
        pytest.param("3 St-1\n-1 St-2", (), "<stdin>:2", "a count of -1", id="A26-negative"),
        pytest.param("3 St-1\n400 St-2", (), "<stdin>:2", "a count of 400", id="A26-400"),
        pytest.param(
            f"3 St-1\n{10**30} St-2", (), "<stdin>:2", "more than a billion", id="A26-10^30"
        ),
    ],
)
def test_decks_that_cannot_be_judged(
    run: Run, text: str, arguments: tuple[str, ...], place: str, message: str
) -> None:
    result = run("deck", "check", "-", *arguments, stdin=text)
    assert result.exit_code == 3
    assert message in result.stderr
    assert f"{place}: " in result.stderr or not place
    assert result.stderr.splitlines()[1].startswith("    ")  # and what to do
    assert "legal" not in result.stdout


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(None, "no such file", id="missing"),
        pytest.param(b"\0" * 500, "not a text file: NUL byte at offset 0", id="nul"),
        pytest.param(bytes(range(256)), "not a text file", id="binary"),
        pytest.param(
            b"3 St-1\n3 \xff\xfe", "byte 0xFF at offset 9 is not utf-8", id="invalid-utf-8"
        ),
        pytest.param(b"3 " + b"A" * 10_000_000, "too large for a deck file", id="10-MB-line"),
    ],
)
def test_files_that_cannot_be_used(
    run: Run, tmp_path: Path, database: Path, content: bytes | None, message: str
) -> None:
    path = tmp_path / "deck.txt"
    if content is not None:
        path.write_bytes(content)
    before = database.read_bytes()
    result = run("deck", "check", path)
    assert result.exit_code == 3
    assert result.stderr.startswith(f"{path}:")
    assert message in result.stderr
    assert database.read_bytes() == before


def test_an_empty_folder_is_no_deck(run: Run, tmp_path: Path) -> None:
    (tmp_path / "decks").mkdir()
    result = run("deck", "check", tmp_path / "decks")
    assert result.exit_code == 3
    assert str(tmp_path / "decks") in result.stderr


@pytest.mark.parametrize(
    ("decks", "code"),
    [
        ([LEGAL], 0), ([ILLEGAL], 1), ([UNDECIDED], 4), (["none.txt"], 3),
        ([LEGAL, LEGAL], 0), ([LEGAL, UNDECIDED], 4), ([UNDECIDED, ILLEGAL], 1), ([ILLEGAL, "none.txt", LEGAL], 3),
    ],
)  # fmt: skip
def test_the_exit_code_is_the_worst(run: Run, decks: list[Path], code: int) -> None:
    result = run("deck", "check", *decks)
    assert result.exit_code == code
    assert run("deck", "check", *reversed(decks)).exit_code == code


def test_one_bad_file_hides_no_other(run: Run, tmp_path: Path) -> None:
    result = run("deck", "check", tmp_path / "none.txt", LEGAL, ILLEGAL, UNDECIDED)
    assert f"{LEGAL}: legal in alpha" in result.stdout
    assert f"{ILLEGAL}: illegal in alpha" in result.stdout
    assert f"{UNDECIDED}: undecided in alpha" in result.stdout
    assert "none.txt: no such file" in result.stderr
    assert "4 decks: 1 legal, 1 illegal, 1 undecided, 1 unusable" in result.stdout


def test_a_broken_rule_is_explained(run: Run) -> None:
    """F1: the rule, the cards with their lines, have and allowed, the source, what to do."""
    path = DECKS / "illegal/alpha-four-with-x-antibody.txt"
    shown = run("deck", "check", path).stdout
    for text in (
        "4 copies of War Greymon (2 numbers), 3 allowed",
        "no limit of its own is recorded for the card",
        "2 x DM-032 War Greymon",
        "2 x DM-119 War Greymon (X-Antibody)",
        "rule: At most 3 cards of one name, an X-Antibody Digimon counting as its base",
        "source: wikimon.net, Digital Monster Card Game Alpha (one source)",
        "to do: take out 1 War Greymon",
        "rules of 2026-11-29",
    ):
        assert text in shown
    lines = path.read_text("utf-8").splitlines()
    for name in ("DM-032", "DM-119"):
        (place,) = (number for number, line in enumerate(lines, 1) if name in line)
        assert f"{path}:{place}: 2 x {name}" in shown


def test_a_hundred_equal_problems_are_few_lines(run: Run) -> None:
    deck = "# format: alpha\n" + "".join(f"1 Foo{number}mon\n" for number in range(1, 91))
    shown = run("deck", "check", "-", stdin=deck).stdout
    assert shown.count("is not among the alpha cards") == 5
    assert "and 85 more like it" in shown
    assert shown.count("alpha,,,Foo") == 90  # the rows to fill in are all there


def test_workers_give_the_same_answers(run: Run) -> None:
    alone = run("deck", "check", DECKS / "published", "--json")
    together = run("deck", "check", DECKS / "published", "--workers", "2", "--json")
    assert together.exit_code == alone.exit_code == 1
    assert together.json == alone.json


def test_workers_keep_the_order_of_many_decks(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "decks"
    folder.mkdir()
    for number in range(130):  # several tasks for the workers, the last not full
        (folder / f"{number:03}.txt").write_text(f"# format: alpha\n{number % 3 + 2} St-1\n")
    alone = run("deck", "check", folder, "--json")
    together = run("deck", "check", folder, "--json", "--workers", "9999")
    assert len(alone.json["data"]["decks"]) == 130
    assert together.json == alone.json


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no list of processes here")
@pytest.mark.parametrize("again", [False, True], ids=["one", "all"])
def test_a_worker_that_dies_is_a_problem_and_no_wait_for_ever(
    database: Path, tmp_path: Path, again: bool
) -> None:
    folder = tmp_path / "decks"
    folder.mkdir()
    for number in range(70):
        (folder / f"{number:03}.txt").write_text("3 St-1\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "digideck", "deck", "check", folder, "--workers", "2"],
        env=os.environ
        | {
            "PYTHONPATH": str(Path(digideck.__file__).parent.parent),
            "DIGIDECK_DB": str(database),
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    killed = 0
    while process.poll() is None and (again or not killed):
        for worker in workers_of(process.pid):
            with suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
                killed += 1
        time.sleep(0.002)
    _, err = process.communicate(timeout=120)
    assert b"Traceback" not in err
    if process.returncode == 1:  # one that had no deck yet is replaced
        assert not again
        return
    assert process.returncode == 3, err
    assert b"a worker process ended" in err
    assert b"000.txt" in err or b"050.txt" in err
    assert b"more" in err
    assert b"--workers" in err


def workers_of(pid: int) -> list[int]:
    """The worker processes of a process, as soon as they have become Python."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [
            int(child)
            for child in children
            if b"multiprocessing-fork" in Path(f"/proc/{child}/cmdline").read_bytes()
        ]
    except OSError:
        return []


def test_a_problem_goes_from_a_worker_to_the_main_process() -> None:
    problem = Problem("a", Severity.ERROR, "b", next_step="c")
    assert pickle.loads(pickle.dumps(InputError(problem, problem))).problems == (problem, problem)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_folder_that_cannot_be_read_is_a_problem(
    run: Run, tmp_path: Path, workers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sealed = tmp_path / "decks" / "sealed"
    sealed.mkdir(parents=True)
    (tmp_path / "decks" / "legal.txt").write_bytes(LEGAL.read_bytes())
    scandir = os.scandir

    def refusing(path: str) -> Any:
        if Path(path) == sealed:
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    with monkeypatch.context() as patch:  # permissions would not stop root
        patch.setattr(os, "scandir", refusing)
        result = run(
            "deck", "check", tmp_path / "decks", "-f", "alpha", "--json", "--workers", workers
        )
    assert result.exit_code == 3
    verdicts = {deck["file"]: deck["verdict"] for deck in result.json["data"]["decks"]}
    assert verdicts == {
        str(tmp_path / "decks" / "legal.txt"): "legal",
        str(sealed): "unusable",
    }
    if workers == "1":
        (problem,) = [p for p in result.json["problems"] if p["file"] == str(sealed)]
        assert problem["message"] == "cannot be read: permission denied"


def test_names_from_stdin_and_windows_line_ends(run: Run, write: Write) -> None:
    text = LEGAL.read_text("utf-8").replace("\n", "\r\n")
    assert run("deck", "check", write("deck.txt", text)).exit_code == 0
    assert run("deck", "check", "-", stdin=text).exit_code == 0


def test_a_name_with_markup_is_shown_as_written(run: Run) -> None:
    """B3: nothing is escaped twice, nor taken for colours or links."""
    shown = run(
        "deck", "check", "-", stdin="# format: alpha\n3 <b>Ag'u</b> [bold]&amp;mon\n"
    ).stdout
    assert "<b>Ag'u</b> [bold]&amp;mon" in shown


def test_control_characters_do_not_reach_the_terminal(run: Run) -> None:
    result = run(
        "deck", "check", "-", stdin="# format: alpha\n3 \x1b[31mFoo\x07mon\n0 \x1b]0;x\x07y\n"
    )
    assert "\x1b" not in result.output
    assert "\x07" not in result.output


def test_only_deck_check_says_that_rows_are_below(run: Run, write: Write) -> None:
    deck = write("deck.txt", "# format: hyper-colosseum\n3 Nosuch Mon\n3 St-1\n")
    checked = run("deck", "check", deck).stdout
    assert "(a row to fill in is below)" in checked
    assert "hyper-colosseum,,,Nosuch Mon,," in checked
    for command in ("show", "lines", "convert --to yaml"):
        assert "below" not in run("deck", *command.split(), deck).output


def test_what_is_to_do_about_a_doubtful_card_settles_it(run: Run, write: Write) -> None:
    deck = write("deck.txt", "# format: alpha\n3 DM-185 Gabumon\n")
    doubt = run("deck", "check", deck).stdout
    assert "DM-185 Gabumon may not be a card of alpha" in doubt
    assert "with --game alpha" in doubt
    rows = write("rows.csv", "number,name\nDM-185,Gabumon\n")
    assert run("import", rows, "--game", "alpha").exit_code == 0
    assert "may not be a card" not in run("deck", "check", deck).stdout


def test_a_format_in_the_place_of_a_deck_is_seen(run: Run) -> None:
    for command in ("check", "show"):
        refused = run("deck", command, "hyper-colosseum")
        assert refused.exit_code == 3
        assert "name it with --format hyper-colosseum" in refused.stderr


def test_one_card_to_add_is_one_card(run: Run, write: Write) -> None:
    legal = LEGAL.read_text("utf-8").splitlines()
    place = next(n for n, line in enumerate(legal) if line[:1].isdigit())
    count, rest = legal[place].split(maxsplit=1)
    for missing, said in ((1, "add 1 card\n"), (2, "add 2 cards\n")):
        fewer = [f"{int(count) - missing} {rest}"] if int(count) > missing else []
        deck = write("deck.txt", "\n".join([*legal[:place], *fewer, *legal[place + 1 :]]))
        assert f"to make it legal: {said}" in run("deck", "check", deck).stdout
