"""One table reader: what one command makes of a table, every other makes of it too."""

from __future__ import annotations

import io

import pytest

from digideck.core.problems import RowError
from digideck.files.tables import DelimitedTable
from tests.conftest import Run

COMMANDS = (
    ("import", "-", "--json"),
    ("collection", "import", "-", "--add", "--json"),
    ("deck", "convert", "-", "--to", "csv"),
)
ROWS = [["number", "name", "count"], ["St-1", "Agumon", "2"], ["St-2", "Greymon", "1"]]


def lines(mark: str) -> str:
    return "".join(mark.join(row) + "\n" for row in ROWS)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "text",
    [
        *(pytest.param(lines(mark), id=repr(mark)) for mark in ",;\t|"),
        pytest.param("sep=;\n" + lines(";"), id="sep"),
        pytest.param('"sep=^"\n' + lines("^"), id="sep-of-its-own"),
        pytest.param("My cards, all of them\n\n2026;;\n" + lines(","), id="below-titles"),
        pytest.param("# mine\n// mine\n" + lines(","), id="below-comments"),
        pytest.param(lines(",").replace("\n", "\r\n"), id="crlf"),
        pytest.param(lines(",").replace("\n", "\r"), id="cr"),
        pytest.param(lines(",").replace("number,", '"card\nnumber",'), id="title-of-two-lines"),
        pytest.param(lines(",") + "# the end,,\n,,\n" + lines(","), id="header-again"),
        pytest.param(lines(",").replace("Agumon,2", "Agumon,2,,"), id="blank-cells-more"),
        pytest.param(lines(",").replace("Greymon,1", "Greymon"), id="cells-less"),
    ],
)
def test_a_table_is_read_alike(run: Run, command: tuple[str, ...], text: str) -> None:
    result = run(*command, stdin=text)
    if command[0] == "collection" and text.endswith("Greymon\n"):
        assert result.exit_code == 3  # copies are not guessed
        assert "count '' is not a number" in result.stdout
        return
    assert result.exit_code == 0, result.output
    if command[0] == "import":
        (file,) = result.json["data"]["files"]
        assert file["rows"] == file["unchanged"] == text.count("St-")
    else:
        assert "St-2" in result.stdout


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("row", "line", "message"),
    [
        ('St-2,"Grey"mon,1', 3, "not CSV: "),
        ("St-2,Greymon,1,5", 3, "4 values for 3 columns"),
        ('St-2,"Greymon,1', 3, "a quote opens here that never ends: lines 3 to 3 were not read"),
    ],
)
def test_a_broken_row_is_told_alike(
    run: Run, command: tuple[str, ...], row: str, line: int, message: str
) -> None:
    result = run(*command, stdin=f"number,name,count\nSt-1,Agumon,2\n{row}\n")
    assert result.exit_code == 3
    assert message in result.output
    assert f'"line": {line}' in result.output or f":{line}: " in result.output


def test_rows_behind_a_broken_one_are_read() -> None:
    text = 'a,b\n1,"2"3\n4,5\n6,7,8\n#9,1\n#N/A,0\n\n"1\n2",3\n9,"'
    table = DelimitedTable(io.StringIO(text, newline=""), "t", len)
    rows = table.rows(lambda line, cells: (line, cells))
    found = [(row.line, str(row)[:9]) if isinstance(row, RowError) else row for row in rows]
    assert found == [
        (2, "not CSV: "),
        (3, ["4", "5"]),
        (4, "3 values "),
        (6, ["#N/A", "0"]),
        (8, ["1\n2", "3"]),
        (10, "a quote o"),
    ]
    assert [problem.message for problem in table.comments_left_out()] == [
        "1 line that begins with # was taken as comments"
    ]
