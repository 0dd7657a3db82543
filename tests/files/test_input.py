"""One way into every command for a user's file: whatever its encoding, packed or not."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.conftest import Run, Write

LIST = "number,name,count\nSt-1,アグモン,2\n"
WITH_MARK = {
    "utf-8": LIST.encode("utf-8-sig"),
    "utf-16-le": b"\xff\xfe" + LIST.encode("utf-16-le"),
    "utf-16-be": b"\xfe\xff" + LIST.encode("utf-16-be"),
    "utf-32-le": b"\xff\xfe\0\0" + LIST.encode("utf-32-le"),
    "utf-32-be": b"\0\0\xfe\xff" + LIST.encode("utf-32-be"),
}
COMMANDS = (("deck", "show"), ("import",), ("collection", "import", "--add"))


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("encoding", WITH_MARK)
def test_a_byte_order_mark_is_obeyed(
    run: Run, write: Write, command: tuple[str, ...], encoding: str
) -> None:
    result = run(*command, write("list.csv", WITH_MARK[encoding]))
    assert result.exit_code == 0, result.stderr


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "cp932"])
def test_an_encoding_without_a_mark_is_suggested_and_taken(
    run: Run, write: Write, command: tuple[str, ...], encoding: str
) -> None:
    path = write("list.csv", LIST.encode(encoding))
    refused = run(*command, path)
    assert refused.exit_code == 3
    assert f"--encoding {encoding}" in refused.stderr
    assert run(*command, path, "--encoding", encoding).exit_code == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_encodings_that_are_for_no_file_are_refused(
    run: Run, write: Write, command: tuple[str, ...]
) -> None:
    path = write("list.csv", LIST)
    for name in ("undefined", "hex", "klingon", "utf\0"):
        refused = run(*command, path, "--encoding", name)
        assert refused.exit_code == 3
        assert f"no encoding is called {name!r}" in refused.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_what_gzip_packed_is_unpacked(run: Run, write: Write, command: tuple[str, ...]) -> None:
    packed = gzip.compress(WITH_MARK["utf-16-be"])
    assert run(*command, write("list.csv.gz", packed)).exit_code == 0
    more = gzip.compress(WITH_MARK["utf-16-be"] + "\n".encode("utf-16-be"))  # no list twice
    assert run(*command, "-", stdin=more).exit_code == 0
    damaged = run(*command, write("cut.gz", packed[:-12]))
    assert damaged.exit_code == 3
    assert "gzip cannot unpack it" in damaged.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_a_small_file_that_unpacks_to_a_huge_one_is_refused(
    run: Run, write: Write, command: tuple[str, ...]
) -> None:
    refused = run(*command, write("bomb.gz", gzip.compress(b"\n" * 201_000_000, 1)))
    assert refused.exit_code == 3
    assert "unpacks to more than" in refused.stderr


def test_files_of_near_names_are_suggested(run: Run, write: Write) -> None:
    path = write("cards.csv", LIST)
    for command in COMMANDS:
        refused = run(*command, str(Path(path).with_name("card.csv")))
        assert refused.exit_code == 3
        assert "did you mean cards.csv?" in refused.stderr
