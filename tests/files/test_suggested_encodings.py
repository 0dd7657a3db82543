"""An encoding is suggested only where it makes names of what is in the file."""

from __future__ import annotations

import io
import re

import pytest

from digideck.catalog.cards import CardIndex
from digideck.core.problems import InputError
from digideck.files.encodings import encoding_of
from tests.conftest import Run, Write
from tests.strategies import half_width

JAPANESE = re.compile("[ぁ-ヿ\u4e00-\u9fff\uff61-\uff9f]")
LINES = ("1 {}\n", "{} x2", "1\u3000{}", "number,name\nBT1-010,Agumon\nBT1-011,{}\n")


def suggested(data: bytes, named: str | None = None) -> list[str] | None:
    """The encodings in the advice on a file; None where it was read."""
    try:
        encoding_of(io.BytesIO(data), "list.csv", named, None)
    except InputError as error:
        return re.findall(r"--encoding ([-\w]+)", str(error.problems[0].next_step))
    return None


@pytest.mark.parametrize(
    ("encoding", "change"),
    [
        ("cp932", str),
        ("cp932", half_width),
        ("euc-jp", str),
        ("cp1252", lambda name: name.replace("'", "’")),
        ("utf-16-le", str),
        ("utf-16-be", str),
        ("utf-32-le", str),
        ("utf-32-be", str),
    ],
)
def test_following_a_suggestion_gives_the_name(index: CardIndex, encoding: str, change) -> None:  # type: ignore[no-untyped-def]
    """Every name that ships, alone in a list."""
    tried = doubtful = 0
    for name in map(change, index.known_names(None).values()):
        if encoding in ("cp932", "euc-jp") and not JAPANESE.search(name):
            continue  # a Latin name with an accent is in no Japanese list
        for line in LINES:
            try:
                data = line.format(name).encode(encoding)
            except UnicodeEncodeError:
                continue
            advice = suggested(data)
            if advice is not None:
                tried += 1
                assert encoding in advice, name
                doubtful += len(advice) > 1
    assert tried > 100
    assert doubtful <= tried / 10  # kanji alone, or half-width kana without ﾝ, ﾞ and ｰ


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (b"\0\1\2" * 50, None),
        (b"3 Agumon\0", "cp1252"),
        ("1 Löwemon\n".encode() + b"1 L\xf6wemon", None),
        ("1 デーモン超究極体".encode("utf-16-be"), "utf-16-be"),
        (b"1 Agumon\x81\n2 L\x90", None),
        ("1 アグモン\n".encode() + b"\xff", None),
        ("number,name\nSt-1,アグモン\n".encode()[:-2], None),
    ],
    ids=["binary", "nul", "latin", "read", "no-encoding", "damaged", "cut-short"],
)
def test_nothing_is_suggested_that_makes_no_names(data: bytes, named: str | None) -> None:
    assert not suggested(data, named)


def test_utf_16_as_told_is_read_from_the_end_that_makes_text(run: Run, write: Write) -> None:
    for encoding in ("utf-16-le", "utf-16-be"):
        deck = write("deck.txt", "3　アグモン\n".encode(encoding))
        assert (
            "アグモン" in run("deck", "convert", deck, "-t", "text", "--encoding", "utf-16").stdout
        )


def test_a_short_list_of_windows(run: Run, write: Write) -> None:
    """H24."""
    deck = write("deck.txt", b"# format: dcg\n1 Hell\x92s Gate\n")
    refused = run("deck", "check", deck)
    assert refused.exit_code == 3
    assert "its bytes would fit --encoding cp1252\n" in refused.stderr
    read = run("deck", "check", deck, "--encoding", "cp1252", "--json")
    assert read.json["data"]["decks"][0]["unknown_cards"] == []


def test_a_damaged_file_is_said_to_be_damaged(run: Run, write: Write) -> None:
    deck = write("deck.txt", "3 アグモン\n3 ".encode() + b"\x83\x41\n")
    assert "the file is damaged there, save it again" in run("deck", "check", deck).stderr
