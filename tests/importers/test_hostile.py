"""Files that would fill the memory, run for ever or crash a reader: one clear line each."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import pytest

from digideck.importers.row_identity import RowIdentifier
from digideck.importers.rows import Row
from tests.conftest import Run, Write
from tests.importers.made import as_json, workbook


def bomb(parts: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


ZEROS = b"0" * 30_000_000
LAUGHS = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        pytest.param(
            "x.xlsx",
            bomb({"[Content_Types].xml": b"<a/>", "xl/worksheets/sheet1.xml": ZEROS}),
            "unpacks to 30,000,004 bytes in 2 parts, too much for a card list",
            id="zip-bomb",
        ),
        pytest.param(
            "x.xlsx",
            bomb({f"xl/{n}": b"" for n in range(5_001)}),
            "in 5,001 parts",
            id="zip-of-many-parts",
        ),
        pytest.param("x.xlsx", bomb({"a": b"b"}), "a zip archive without a workbook", id="zip"),
        pytest.param("x.xlsx", b"PK\x03\x04garbage", "not an Excel workbook", id="zip-garbage"),
        pytest.param(
            "x.xlsx",
            workbook({"Cards": [["number"], ["St-1"]]})[:-300],
            "not an Excel workbook",
            id="zip-cut-short",
        ),
        pytest.param(
            "x.xlsx",
            bomb(
                {
                    "[Content_Types].xml": b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
                    "xl/workbook.xml": b"<a/>",
                }
            ),
            "[Content_Types].xml declares a document type",
            id="xlsx-entities",
        ),
        pytest.param(
            "x.yaml",
            ("a0: &a0 [lol]\n" + LAUGHS + "cards:\n- number: St-1\n").encode(),
            "anchors and aliases are not accepted",
            id="yaml-alias-bomb",
        ),
        pytest.param("x.yaml", b"cards: " + b"[" * 100_000, "depth", id="yaml-deep"),
        pytest.param("x.yaml", b"- number: St-1\n  number: St-2\n", "twice", id="yaml-twice"),
        pytest.param("x.json", b"[" * 100_000, "not JSON: nested too deeply", id="json-deep"),
        pytest.param(
            "x.json", b'[{"number": ' + b"[" * 100_000, "nested too deeply", id="json-deep-value"
        ),
        pytest.param(
            "x.json",
            b'[{"number": "' + b"x" * 3_000_000 + b'"}]',
            "no end of the value within 1,000,000 characters",
            id="json-endless-value",
        ),
        pytest.param("x.json", b'[{"number": "St-1"}, ', ":1: not JSON", id="json-cut-short"),
        pytest.param("x.json", b'[{"number": "St-1"}\n{}]', ":2: not JSON: expected", id="comma"),
        pytest.param(
            "x.json",
            b'[{"number": "St-1", "number": "St-2"}]',
            ":1: the key 'number' stands twice",
            id="json-twice",
        ),
        pytest.param(
            "x.json",
            b'[{"number": {"a": 1}}]',
            "number: keys with values of their own",
            id="json-object",
        ),
        pytest.param("x.json", b'[1, "a", null]', ":1: not an object", id="json-no-objects"),
        pytest.param("x.json", b'[{"title": "x"}]', "found: title", id="json-no-number"),
        pytest.param(
            "x.jsonl",
            b'{"number": "St-1"}\nnot json\n' + b"[" * 100_000 + b"\n",
            ":2: not an object",
            id="jsonl-broken",
        ),
        pytest.param(
            "x.csv",
            b"number,name\nSt-1," + b"x" * 100_000_000 + b"\n",
            ":2: not CSV: a line of more than 1,000,000 characters",
            id="csv-field-of-100-MB",
        ),
        pytest.param(
            "x.csv",
            b'number,name\nSt-1,"' + b"x\n" * 200_000,
            ":2: not CSV: field larger than field limit",
            id="csv-quote-that-never-ends",
        ),
        pytest.param("x.csv", b"number,name\nSt-1,a\x00b\n", "NUL byte at offset 18", id="csv-nul"),
        pytest.param("x.html", b"<table>" * 100_000, "no header row", id="html-deep"),
        pytest.param(
            "x.html",
            b"<table><tr><th>number<th colspan=99999999>name<tr><td>St-1<td>Agumon</table>",
            "goes over several columns",
            id="html-wide",
        ),
        pytest.param("x.bin", os.urandom(5_000).replace(b"\0", b"\1"), "x.bin", id="random"),
    ],
)
def test_hostile_files(run: Run, write: Write, name: str, content: bytes, message: str) -> None:
    path = write(name, content)
    result = run("import", path)
    assert result.exit_code == 3
    assert message in result.stderr
    assert str(path) in result.stderr
    assert len(result.output) < 3000
    assert "Traceback" not in result.output


def test_many_refused_rows_are_grouped(run: Run, write: Write) -> None:
    rows = "".join(f"Qx-{place},x\n" for place in range(60_000))
    result = run("import", write("list.csv", "number,name\n" + rows))
    assert result.exit_code == 3
    assert len(result.output.splitlines()) < 25
    assert "60,000 rows: 0 added, 0 changed, 0 unchanged, 60,000 refused" in result.stdout
    assert "59,000 more rows as with number-shape, the last on line 60,001" in result.stderr


def test_a_file_that_changes_while_it_is_read(
    run: Run, write: Write, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write("list.csv", "number,attack_a\nSt-1,361\n")
    number = RowIdentifier.number

    def meanwhile(self: RowIdentifier, row: Row) -> str:
        path.write_text("number,attack_a\nSt-1,362\n")
        return number(self, row)

    before = database.read_bytes()
    monkeypatch.setattr(RowIdentifier, "number", meanwhile)
    result = run("import", path)
    assert result.exit_code == 3
    assert "the file changed while it was read; nothing was written" in result.stderr
    assert database.read_bytes() == before


def test_a_database_that_changes_meanwhile(
    run: Run, write: Write, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3

    number = RowIdentifier.number

    def meanwhile(self: RowIdentifier, row: Row) -> str:
        other = sqlite3.connect(database)
        with other:
            other.execute("INSERT OR REPLACE INTO meta VALUES ('other', 'x')")
        other.close()
        return number(self, row)

    monkeypatch.setattr(RowIdentifier, "number", meanwhile)
    result = run("import", "-", stdin="number,attack_a\nSt-1,361\n")
    assert result.exit_code == 3
    assert "another digideck wrote to the database" in result.stderr
    assert "360" in run("show", "St-1").stdout


@pytest.mark.skipif(os.name == "nt", reason="no FIFOs there")
def test_what_is_no_file(run: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in run("import", tmp_path / "pipe").stderr
    assert "a folder, expected a card list" in run("import", tmp_path).stderr
    assert "no such file" in run("import", tmp_path / "none.csv").stderr


def test_a_json_list_of_any_length_needs_no_more_memory(run: Run, write: Write) -> None:
    import tracemalloc

    cards = [{"number": f"N-{place}", "name": f"Name {place}"} for place in range(30_000)]
    path = write("list.json", as_json(cards))
    tracemalloc.start()
    result = run("import", path, "--new-game", "own", "--dry-run")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "30,000 added" in result.stdout
    assert peak < path.stat().st_size * 5  # in one piece it takes about fifteen times as much
