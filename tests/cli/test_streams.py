"""Terminals and pipes of every kind: nothing a reader or an encoding does is a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import digideck
from tests.cli.typed import needs_terminal, terminal
from tests.conftest import Run, Shell

JAPANESE = Path(__file__).parent.parent / "decks/illegal/alpha-four-in-japanese.txt"
COMMANDS = [
    ("show", "アグモン", "-g", "alpha"),
    ("find", "グレイモン"),
    ("find", "グレイモン", "--json"),
    ("deck", "check", str(JAPANESE)),
    ("deck", "check", str(JAPANESE), "--json"),
    ("show", "Dα-065"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words[:3]))
@pytest.mark.parametrize(
    "env",
    [
        pytest.param({"LC_ALL": "C"}, id="LC_ALL=C"),
        pytest.param(
            {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}, id="C-for-real"
        ),
        pytest.param({"PYTHONIOENCODING": "ascii"}, id="ascii"),
        pytest.param({"PYTHONIOENCODING": "cp1252"}, id="cp1252"),
        pytest.param({"PYTHONIOENCODING": "cp932"}, id="cp932"),
        pytest.param({"PYTHONIOENCODING": "utf-16"}, id="utf-16"),
    ],
)
def test_letters_that_a_terminal_cannot_show(
    shell: Shell, words: tuple[str, ...], env: dict[str, str]
) -> None:
    result = shell(*words, env=env)
    assert b"Traceback" not in result.stderr
    # With neither UTF-8 mode nor a UTF-8 locale the arguments arrive as bytes without meaning.
    assert result.returncode in (0, 1, 4, *([3] if "PYTHONUTF8" in env else []))
    assert result.stdout or result.stderr


def test_json_is_ascii_where_the_stream_is(shell: Shell) -> None:
    import json

    result = shell("show", "Dα-065", "--json", env={"PYTHONIOENCODING": "ascii"})
    (card,) = json.loads(result.stdout.decode("ascii"))["data"]["cards"]
    assert card["number"] == "Dα-065"


@pytest.mark.skipif(os.name == "nt", reason="pipes close otherwise there")
@pytest.mark.parametrize(
    "words",
    [
        ("find", "mon", "--limit", "9000"),
        ("find", "mon", "--limit", "9000", "--json"),
        ("sets",),
        ("--help",),
        ("deck", "check", "--help"),
        ("deck", "check", str(JAPANESE)),
    ],
    ids=lambda words: " ".join(words[:3]),
)
@pytest.mark.parametrize("buffered", [True, False])
def test_a_reader_that_has_seen_enough(
    database: Path, words: tuple[str, ...], buffered: bool
) -> None:
    """``digideck find mon | head -1``: no word on stderr, no traceback, no answer as exit code."""
    env = os.environ | {
        "PYTHONPATH": str(Path(digideck.__file__).parent.parent),
        "DIGIDECK_DB": str(database),
    }
    if not buffered:
        env["PYTHONUNBUFFERED"] = "1"
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.run(
        [sys.executable, "-m", "digideck", *words],
        stdout=writing, stderr=subprocess.PIPE, env=env, check=False, timeout=120,
    )  # fmt: skip
    os.close(writing)
    assert process.stderr == b""
    assert process.returncode == (1 if "--help" in words else 141)  # help is typer's


@pytest.mark.skipif(os.name == "nt", reason="no such shell there")
def test_head(shell: Shell) -> None:
    script = f"'{sys.executable}' -m digideck find mon --limit 9000 | head -2"
    result = subprocess.run(
        ["sh", "-c", script],
        env=os.environ | {
            "PYTHONPATH": str(Path(digideck.__file__).parent.parent),
            "DIGIDECK_DB": shell("db", "info", "--json").stdout.decode().split('"file": "')[1].split('"')[0],
        },
        capture_output=True, check=False, timeout=120,
    )  # fmt: skip
    assert result.stderr == b""
    assert len(result.stdout.splitlines()) == 2


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device here")
def test_a_full_disk_behind_the_output(shell: Shell) -> None:
    with open("/dev/full", "wb") as full:
        result = shell("sets", capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert result.returncode != 0
    assert b"Traceback" not in result.stderr
    assert b"No space left" in result.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device here")
@pytest.mark.parametrize("json", [[], ["--json"]])
def test_what_is_done_is_done_though_nobody_can_be_told(
    run: Run, shell: Shell, json: list[str]
) -> None:
    """Whoever sees a failure tries again, and would have twice as many."""
    with open("/dev/full", "wb") as full:
        result = shell("collection", "add", "St-1", "2", *json, capture_output=False, stdout=full,
                       stderr=subprocess.PIPE)  # fmt: skip
    assert result.returncode == 0
    assert b"what was asked for is done; only the output cannot be written" in result.stderr
    (card,) = run("collection", "list", "--json").json["data"]["cards"]
    assert card["count"] == 2


# Says when modules begin to be loaded, and takes long over it.
SLOW_START = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a script's shell may ignore it
class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "digideck.cli":
            print("loading", flush=True)
            time.sleep(20)
sys.meta_path.insert(0, Slow())
sys.argv = ["digideck", "sets"]
from digideck.__main__ import main
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals there")
def test_a_command_that_is_stopped_while_it_starts_says_so(database: Path) -> None:
    started = subprocess.Popen(
        [sys.executable, "-c", SLOW_START],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ
        | {"PYTHONPATH": str(Path(digideck.__file__).parent.parent), "DIGIDECK_DB": str(database)},
    )
    assert started.stdout
    assert started.stdout.readline() == b"loading\n"
    started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=120)
    assert said == b"stopped; nothing was left half written\n"
    assert started.returncode == 130


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals there")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_command_that_is_told_to_end_cleans_up(database: Path, tmp_path: Path, name: str) -> None:
    """As it builds a database, of which nothing is left then."""
    fresh = tmp_path / "place" / "fresh.db"
    started = subprocess.Popen(
        [sys.executable, "-c", "from digideck.schema import shipped\n"
         "import time\ndef load(connection):\n    print('loading', flush=True)\n"
         "    time.sleep(20)\nshipped.load = load\nfrom digideck.cli.main import main\n"
         f"main(['db', 'create', {str(fresh)!r}])"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(Path(digideck.__file__).parent.parent)},
    )  # fmt: skip
    assert started.stdout
    assert started.stdout.readline() == b"loading\n"
    started.send_signal(getattr(signal, name))
    _, said = started.communicate(timeout=120)
    assert said == b"stopped; nothing was left half written\n"
    assert started.returncode == 128 + getattr(signal, name)
    assert list(fresh.parent.iterdir()) == []


def test_colours_only_on_a_terminal(shell: Shell) -> None:
    assert b"\x1b[" not in shell("deck", "check", str(JAPANESE)).stdout


@needs_terminal
@pytest.mark.parametrize(("env", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colours_on_a_terminal(database: Path, env: dict[str, str], coloured: bool) -> None:
    with terminal(database, "show", "St-1", env=env) as typed:
        assert ("\x1b[32m" in typed.rest()) is coloured
        assert typed.ended() == 0


CLOSED = ["<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"]
LEGAL = Path(__file__).parent.parent / "decks/legal/alpha-plain.txt"


def in_a_shell(database: Path, words: str) -> subprocess.CompletedProcess[bytes]:
    """A command line of a POSIX shell, with its redirections."""
    env = os.environ | {
        "PYTHONPATH": str(Path(digideck.__file__).parent.parent),
        "DIGIDECK_DB": str(database),
    }
    return subprocess.run(
        ["sh", "-c", f"'{sys.executable}' -m digideck {words}"],
        env=env, capture_output=True, check=False, timeout=120,
    )  # fmt: skip


@pytest.mark.skipif(os.name == "nt", reason="no such shell there")
@pytest.mark.parametrize("closed", CLOSED)
def test_closed_streams_change_no_answer(database: Path, closed: str) -> None:
    for options in ("", "--json", "--workers 2"):
        legal = in_a_shell(database, f"deck check '{LEGAL}' {options} -f alpha {closed}")
        assert (legal.returncode, legal.stderr) == (0, b"")
        assert bool(legal.stdout) is (" >&-" not in f" {closed}")
    illegal = in_a_shell(database, f"deck check '{JAPANESE}' {closed}")
    assert (illegal.returncode, illegal.stderr) == (1, b"")
    assert in_a_shell(database, f"__complete cards St-1 {closed}").returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="no such shell there")
@pytest.mark.parametrize("words", ["deck check -", "import -", "collection import - --add"])
def test_reading_a_closed_stdin_is_a_clear_problem(database: Path, words: str) -> None:
    result = in_a_shell(database, f"{words} <&-")
    assert result.returncode == 3
    assert b"<stdin>: standard input is closed" in result.stderr
    assert b"Traceback" not in result.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device here")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (f"deck check '{LEGAL}' -f alpha", 0),
        (f"deck check '{JAPANESE}'", 1),
        ("deck check no-such-file", 3),
        ("deck check --no-such-option", 2),
    ],
)
def test_a_full_disk_behind_the_messages_changes_no_answer(
    database: Path, words: str, code: int
) -> None:
    assert in_a_shell(database, words).returncode == code
    assert in_a_shell(database, f"{words} 2>/dev/full").returncode == code


@pytest.mark.skipif(os.name == "nt", reason="the current folder cannot be deleted there")
@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ("sets", 3, b"no longer exists"),
        ("sets --json", 3, b""),
        ("db backup", 3, b"no longer exists"),
        ("sets --db other.db", 2, b"no longer exists"),
        ("db restore x.db", 3, b"no such file"),
        ("doctor", 1, b""),
        ("__complete cards St-1", 0, b""),
    ],
)
def test_the_current_folder_is_deleted(tmp_path: Path, words: str, code: int, says: bytes) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f"cd '{gone}' && rmdir '{gone}' && '{sys.executable}' -m digideck {words}"
    env = os.environ | {
        "PYTHONPATH": str(Path(digideck.__file__).parent.parent),
        "DIGIDECK_DB": "x.db",
    }
    result = subprocess.run(
        ["sh", "-c", script], env=env, capture_output=True, check=False, timeout=120
    )
    assert (result.returncode, b"Traceback" in result.stderr) == (code, False)
    assert says in result.stderr


HOMELESS = """
import os
import signal
import platformdirs
for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
    os.environ.pop(name, None)
def unknown(*_, **__):
    raise RuntimeError("could not determine the home directory")
platformdirs.user_data_dir = platformdirs.user_config_dir = unknown
from digideck.__main__ import main
main()
"""


def test_a_user_without_a_home(shell: Shell) -> None:
    homeless = ("-c", HOMELESS)
    result = shell("sets", python=homeless, env={"DIGIDECK_DB": ""})
    assert result.returncode == 3
    assert b"DIGIDECK_DB" in result.stderr
    assert b"Traceback" not in result.stderr
    assert shell("doctor", python=homeless, env={"DIGIDECK_DB": ""}).returncode == 1
    complete = shell("__complete", "cards", "S", python=homeless, env={"DIGIDECK_DB": ""})
    assert (complete.returncode, complete.stdout, complete.stderr) == (0, b"", b"")
    listed = shell("formats", python=homeless)
    assert (listed.returncode, listed.stderr) == (0, b"")
    assert b"None" not in listed.stdout


@pytest.mark.skipif(os.name == "nt", reason="arguments are no bytes there")
@pytest.mark.parametrize("kind", ["cards", "formats", "forms", "sets"])
def test_completing_bytes_that_are_no_text_says_nothing(shell: Shell, kind: str) -> None:
    result = shell("__complete", kind, b"St-\xff")
    assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp932", "utf-8"])
@pytest.mark.parametrize(
    "words",
    [
        ("deck", "convert", str(JAPANESE), "--to", "text"),
        ("find", "グレイモン", "--csv"),
        ("find", "number:Dα-065", "--numbers"),
    ],
    ids=lambda words: " ".join((*words[:2], words[-1])),
)
def test_content_is_utf8_whatever_the_terminal(
    shell: Shell, words: tuple[str, ...], encoding: str
) -> None:
    """What goes into a file by > is what --out would have written."""
    result = shell(*words, env={"PYTHONIOENCODING": encoding, "PYTHONUTF8": "1"})
    assert result.returncode == 0
    content = result.stdout.decode("utf-8")
    assert "\\u" not in content
    assert not content.isascii()


def test_messages_keep_their_escapes(shell: Shell) -> None:
    result = shell("show", "Dα-065", env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "1"})
    assert b"D\\u03b1-065" in result.stdout
