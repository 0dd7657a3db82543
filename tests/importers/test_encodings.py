"""What encoding was taken is said; what does not fit is named by byte, line and option."""

from __future__ import annotations

import pytest

from digideck.files import encodings
from tests.conftest import Run, Write

TEXT = "number,name_ja,attack_a\nSt-1,アグモン,361\n"


@pytest.mark.parametrize(
    ("data", "arguments", "said"),
    [
        pytest.param(TEXT.encode(), (), "CSV, UTF-8,", id="utf-8"),
        pytest.param(TEXT.encode("utf-8-sig"), (), "UTF-8 with a byte order mark", id="bom"),
        pytest.param(TEXT.encode("utf-16"), (), "UTF-16 (little-endian", id="utf-16-le-bom"),
        pytest.param(
            "\ufeff".encode("utf-16-be") + TEXT.encode("utf-16-be"),
            (),
            "UTF-16 (big-endian",
            id="utf-16-be-bom",
        ),
        pytest.param(
            TEXT.encode("utf-16-le"),
            ("--encoding", "utf-16-le"),
            "UTF-16-LE as told",
            id="utf-16-le",
        ),
        pytest.param(TEXT.encode("cp932"), ("--encoding", "cp932"), "CP932 as told", id="cp932"),
        pytest.param(TEXT.encode("euc-jp"), ("--encoding", "euc-jp"), "EUC-JP as told", id="euc"),
    ],
)
def test_an_encoding_is_taken_and_said(
    run: Run, write: Write, data: bytes, arguments: tuple[str, ...], said: str
) -> None:
    result = run("import", write("list.csv", data), *arguments)
    assert result.exit_code == 0, result.stderr
    assert said in result.stdout
    assert "attack_a: 360 -> 361" in result.stdout


@pytest.mark.parametrize(
    ("data", "arguments", "message"),
    [
        pytest.param(
            b"number,name\nSt-1,x\n" + "St-2,グレイモン\n".encode("cp932"),
            (),
            ":3: byte 0x83 at offset 24 is not utf-8\n    name the file's encoding; its bytes "
            "would fit --encoding cp932",
            id="cp932",
        ),
        pytest.param(
            "number,name\nSt-1,グレイモン、アグモン\n".encode("euc-jp"),
            (),
            "would fit --encoding euc-jp",
            id="euc-jp-before-cp932",
        ),
        pytest.param(
            b"number,name\nSt-1,\x92\n", (), ":2: byte 0x92 at offset 17 is not utf-8", id="cp1252"
        ),
        pytest.param(
            "number,name\nSt-1,ア\n".encode()[:-2], (), "byte 0xE3 at offset 17", id="cut-short"
        ),
        pytest.param(
            TEXT.encode("utf-16-le"), (), "NUL byte at offset 1\n    if it is UTF-16 text without "
            "a byte order mark, add --encoding utf-16-le", id="utf-16-le",
        ),
        pytest.param(TEXT.encode("utf-16-be"), (), "add --encoding utf-16-be", id="utf-16-be"),
        pytest.param(
            TEXT.encode(), ("--encoding", "cp933x"), "no encoding is called 'cp933x'", id="none"
        ),
        pytest.param(TEXT.encode(), ("--encoding", "ascii"), "is not ascii", id="told-wrongly"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named(
    run: Run, write: Write, data: bytes, arguments: tuple[str, ...], message: str
) -> None:
    result = run("import", write("list.csv", data), *arguments)
    assert result.exit_code == 3
    assert message in result.stderr


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 64])
def test_the_byte_is_found_wherever_pieces_end(
    run: Run, write: Write, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(encodings, "CHUNK", chunk)
    data = "number,name\nSt-1,アグモン\n".encode() + b"St-2,\xff\n"
    result = run("import", write("list.csv", data))
    offset = data.index(b"\xff")
    assert f":3: byte 0xFF at offset {offset} is not utf-8" in result.stderr
