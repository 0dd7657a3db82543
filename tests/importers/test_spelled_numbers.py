"""Numbers in a column are read as every other command reads them."""

from __future__ import annotations

import pytest

from tests.conftest import Run, Write

SPELLINGS = [
    ("hyper-colosseum/St-1", "hyper-colosseum"),
    ("Hyper Colosseum/st1", "hyper-colosseum"),
    ("alpha/DM02-095@asia", "alpha"),
    ("ＤＭ０２－０９５@Asia", "alpha"),
    ("BT5-001_P1", "dcg"),
    ("bt5-1", "dcg"),
    ("alpha/Da-65", "alpha"),
]


@pytest.mark.parametrize(("number", "game"), SPELLINGS)
def test_a_number_with_its_game_and_edition(run: Run, write: Write, number: str, game: str) -> None:
    rows = write("cards.csv", f"number\n{number}\n")
    done = run("import", rows, "--dry-run", "--json", "-g", game)
    assert done.exit_code == 0, done.output
    (file,) = done.json["data"]["files"]
    assert (file["rows"], file["unchanged"], file["added"]) == (1, 1, 0)


def test_a_game_beside_a_number_of_another_is_refused(run: Run, write: Write) -> None:
    rows = write("cards.csv", "number\nalpha/DM02-095@asia\n")
    refused = run("import", rows, "--dry-run", "-g", "dcg")
    assert refused.exit_code == 3
    assert "the row is of alpha, --game says dcg" in refused.stderr
