"""Profiles of bars at the command line: named as they are listed, refused with their place."""

# ruff: noqa: TID253

from __future__ import annotations

import re
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.cli.pictures import bars, photo
from tests.conftest import Run, Write
from tests.scan.conftest import code_image, on_canvas
from tests.scan.test_profile_text import TEXT, profile

FLAT = profile("0" * 208)


@pytest.fixture
def name(run: Run, tmp_path: Path) -> str:
    """A profile that was enrolled, as the list of links calls it: profile:e251aa17."""
    assert run("barcode", "enrol", bars(tmp_path / "1.png", 1), "Bo-400").exit_code == 0
    (line,) = [line for line in run("barcode", "list").stdout.splitlines() if "Bo-400" in line]
    return line.partition("  ")[0]


@pytest.mark.parametrize("between", [":", " "])
def test_a_profile_goes_by_the_name_it_is_listed_under(run: Run, name: str, between: str) -> None:
    typed = name.replace(":", between)
    assert name in run("show", "Bo-400").stdout
    assert name in run("barcode", "list", typed).stdout
    known = run("barcode", "link", typed, "Bo-400")
    assert f"{name} is hyper-colosseum/Bo-400" in known.stdout
    refused = run("barcode", "unlink", typed, "St-1")
    assert refused.exit_code == 1
    assert f"{name} is not linked to" in refused.stderr
    gone = run("barcode", "unlink", typed)
    assert gone.stdout == f"1 link forgotten: {name}, hyper-colosseum/Bo-400\n"
    again = run("barcode", "unlink", typed)
    assert again.exit_code == 3
    assert f"no profile is called {name.partition(':')[2]}" in again.stderr
    assert "digideck barcode list" in again.stderr


def test_a_photo_that_is_enrolled_again_is_called_known(
    run: Run, tmp_path: Path, name: str
) -> None:
    again = run("barcode", "enrol", tmp_path / "1.png", "Bo-400")
    assert again.exit_code == 0
    assert re.search(rf"{name} is .*, as it was before; profiles of this card: 1\n", again.stdout)
    other = run("barcode", "enrol", bars(tmp_path / "3.png", 1, 0.7), "Bo-400")
    assert "before" not in other.stdout
    assert "profiles of this card: 2" in other.stdout


def test_a_photo_to_enrol_is_a_file(run: Run, tmp_path: Path) -> None:
    photo = bars(tmp_path / "1.png", 1).read_bytes()
    done = run("barcode", "enrol", "-", "Bo-400", stdin=photo)
    assert done.exit_code == 3
    assert "<stdin>: a picture is not read from standard input" in done.stderr
    assert "name its file" in done.stderr


def test_a_conflict_names_the_profile_and_how_to_forget_it(
    run: Run, write: Write, name: str
) -> None:
    text = run("barcode", "export").stdout.replace("Bo-400", "Bo-401")
    done = run("barcode", "import", write("links.yaml", text))
    assert done.exit_code == 1
    assert f"links.yaml:3: {name} is hyper-colosseum/Bo-401" in done.stderr
    assert f"digideck barcode unlink {name}," in done.stderr
    assert not re.search(r"[\w-]{150}", done.output)  # the whole profile is for files


def test_imported_profiles_that_are_refused_have_their_line(
    run: Run, write: Write, tmp_path: Path
) -> None:
    run("barcode", "enrol", bars(tmp_path / "1.png", 1), "Bo-400")
    exported = run("barcode", "export", "--to", "csv").stdout
    run("barcode", "unlink", exported.split(",")[3])
    run("barcode", "enrol", bars(tmp_path / "2.png", 1, 1.0), "Bo-401")
    header, row = exported.splitlines()
    rows = [header, "Code 128,A,St-1", row, f"profile,{FLAT},St-2", "Code 128,B,St-99999"]
    done = run("barcode", "import", write("links.csv", "\n".join(rows)))
    assert done.exit_code == 3
    assert [line.split(": ")[0].rpartition("/")[2] for line in done.stderr.splitlines()
            if not line.startswith(" ")] == ["links.csv:3", "links.csv:4", "links.csv:5"]  # fmt: skip
    assert "shows no bars" in done.stderr
    assert "1 new link, 0 known, 1 conflict, 2 refused" in done.stdout


@pytest.mark.parametrize("text", [FLAT, TEXT[:-1] + "4", "2:abc:0", "²:abc:0"])
def test_what_is_no_profile_is_not_linked(run: Run, text: str) -> None:
    done = run("barcode", "link", f"profile:{text}", "St-1")
    assert done.exit_code == 3
    assert ("update digideck" in done.stderr) == text.startswith("2")


def test_bars_that_can_be_read_are_not_enrolled(run: Run, tmp_path: Path) -> None:
    done = run("barcode", "enrol", photo(tmp_path / "1.png", "DM 013A"), "Bo-400")
    assert done.exit_code == 3
    assert "1.png: bars in it can be read: Code128:DM 013A" in done.stderr
    assert "digideck barcode link 'Code128:DM 013A' CARD" in done.stderr
    other = run("barcode", "enrol", photo(tmp_path / "3.png", "070429", kind="ITF"), "Bo-400")
    assert "digideck barcode link ITF:070429 CARD" in other.stderr
    assert run("barcode", "list").exit_code == 1
    beside = bars(tmp_path / "2.png", 1)  # a printed label says nothing of the bars
    image = cv2.imread(str(beside), cv2.IMREAD_GRAYSCALE)
    assert cv2.imwrite(str(beside), np.minimum(image, on_canvas(code_image("QR", "A"), at=(5, 5))))
    assert run("barcode", "enrol", beside, "Bo-400").exit_code == 0
