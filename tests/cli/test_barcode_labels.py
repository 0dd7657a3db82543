"""``digideck barcode labels``: sheets that are printed, photographed and read back."""

# ruff: noqa: TID253

from __future__ import annotations

import base64
import re
import subprocess
import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pytest

from digideck.scan.labels.sheets import SHEETS
from tests.cli.test_barcode import linked
from tests.cli.typed import needs_terminal, terminal
from tests.conftest import Run, Write
from tests.scan.conftest import noisy

DECK = Path(__file__).parents[2] / "examples" / "decks" / "hyper-colosseum-legal.txt"
NAMES_ALONE = str(DECK.with_name("alpha-japanese-legal.txt"))
CARDS = ["hyper-colosseum/Bo-12", "alpha/Dα-001", "dcg/BT1-010", "digi-battle/BO-109@upper-deck"]
RECT = re.compile(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/>')
PAGE = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')
BASE_LINE = re.compile(r'<text x="[\d.]+" y="([\d.]+)"')
MM = 72 / 25.4  # the points of a PDF


@dataclass
class Sheet:
    """What a file has on a page; mm from the upper left corner, as in `layout`."""

    size: tuple[float, ...]
    boxes: list[tuple[float, ...]]  # x, y, width, height
    lines: list[float]  # the base lines of the text

    def printed(self, dots: float = 12) -> np.ndarray:
        """The sheet on white paper, ``dots`` a millimetre."""
        width, height = (round(size * dots) for size in self.size)
        paper = np.full((height, width), 255, np.uint8)
        for box in self.boxes:
            x, y, across, down = (number * dots for number in box)
            paper[round(y) : round(y + down), round(x) : round(x + across)] = 20
        return paper


def numbers(found: Sequence[str | bytes]) -> tuple[float, ...]:
    return tuple(map(float, found))


def svg_sheet(path: Path) -> Sheet:
    text = path.read_text("utf-8")
    page = PAGE.search(text)
    assert page
    lines = list(numbers(BASE_LINE.findall(text)))
    return Sheet(numbers(page.groups()), list(map(numbers, RECT.findall(text))), lines)


def pdf_sheets(path: Path) -> Iterator[Sheet]:
    """What the pages of a PDF fill and write, by the operators of their contents."""
    data = path.read_bytes()
    sizes = re.findall(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", data)
    contents = re.findall(rb"/Filter \[ /ASCII85Decode /FlateDecode \].*?stream\n(.*?)~>endstream",
                          data, re.DOTALL)  # fmt: skip
    for size, content in zip(sizes, contents, strict=True):
        drawn = zlib.decompress(base64.a85decode(content))
        assert re.findall(rb"([\d. -]+) cm\b", drawn) == [b"1 0 0 1 0 0"]  # nothing is moved
        width, height = (side / MM for side in numbers(size))
        boxes = [
            (x / MM, height - (y + up) / MM, across / MM, up / MM)
            for x, y, across, up in map(
                numbers, re.findall(rb"(\S+) (\S+) (\S+) (\S+) re\b", drawn)
            )
        ]
        bases = numbers(re.findall(rb"BT 1 0 0 1 \S+ (\S+) Tm", drawn))
        yield Sheet((width, height), boxes, [height - y / MM for y in bases])


def printed(path: Path, dots: float = 12) -> np.ndarray:
    return svg_sheet(path).printed(dots)


def photographed(paper: np.ndarray) -> np.ndarray:
    """The sheet on a table, seen from the side, in uneven light, not quite sharp."""
    height, width = paper.shape
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    seen = corners + np.array(
        [[0.06, 0.05], [-0.03, 0.02], [-0.07, -0.04], [0.02, -0.02]], np.float32
    ) * np.array([width, height], np.float32)
    warp = cv2.getPerspectiveTransform(corners, seen)
    photo = cv2.warpPerspective(paper, warp, (width, height), borderValue=90)
    light = np.linspace(0.65, 1, width)[None, :]
    blurred = cv2.GaussianBlur(photo, (0, 0), 1.2)
    return noisy((blurred * light).astype(np.uint8), 5)


def confirmed(run: Run, picture: np.ndarray, path: Path) -> set[str]:
    assert cv2.imwrite(str(path), picture)
    done = run("scan", "photos", path, "--json")
    assert done.exit_code == 0, done.output
    seen = done.json["data"]["seen"]
    return {card for code in seen if code["state"] == "confirmed" for card in code["cards"]}


@pytest.mark.parametrize("sheet", SHEETS)
def test_a_printed_sheet_is_read_back(run: Run, tmp_path: Path, sheet: str) -> None:
    out = tmp_path / "labels.svg"
    done = run("barcode", "labels", *CARDS, "--sheet", sheet, "--out", out)
    assert done.exit_code == 0, done.output
    assert confirmed(run, photographed(printed(out)), tmp_path / "photo.png") == set(CARDS)


@pytest.mark.parametrize(
    ("code", "sheet"), [("qr", "sleeve"), ("qr", "l7651"), ("code128", "5160")]
)
def test_a_pdf_has_all_where_the_svg_has_it(
    run: Run, tmp_path: Path, code: str, sheet: str
) -> None:
    svg, pdf = tmp_path / "labels.svg", tmp_path / "labels.pdf"
    for out in (svg, pdf):
        done = run("barcode", "labels", *CARDS[:2], "--code", code, "--sheet", sheet, "--out", out)
        assert done.exit_code == 0, done.output
    one, (other,) = svg_sheet(svg), pdf_sheets(pdf)
    assert other.size == pytest.approx(one.size, abs=0.001)
    assert len(other.boxes) == len(one.boxes) > 50
    assert np.array(other.boxes) == pytest.approx(np.array(one.boxes), abs=0.002)
    assert {round(y, 2) for y in other.lines} == {round(y, 2) for y in one.lines}
    paper = other.printed(20)
    paper = paper[: len(paper) // 3] if code == "code128" else paper
    assert confirmed(run, photographed(paper), tmp_path / "photo.png") == set(CARDS[:2])


def test_printed_bars_are_read_back(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "labels.svg"
    done = run("barcode", "labels", *CARDS[:3], "--code", "code128", "--out", out)
    assert done.exit_code == 0, done.output
    paper = printed(out, dots=20)  # bars are finer than a QR: a closer photo
    picture = photographed(paper[: len(paper) // 3])
    assert confirmed(run, picture, tmp_path / "photo.png") == set(CARDS[:3])


def test_a_full_sheet_is_read_back(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "labels.svg"
    cards = [f"dcg/BT1-{number:03}" for number in range(1, 66)]
    done = run("barcode", "labels", *cards, "--sheet", "l7651", "--out", out)
    assert "65 labels on 1 sheet" in done.stdout, done.output
    assert confirmed(run, photographed(printed(out)), tmp_path / "photo.png") == set(cards)


def test_labels_are_linked_at_once_and_stay(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "labels.svg"
    first = run("barcode", "labels", *CARDS, "--out", out, "--json").json["data"]
    assert (first["labels"], first["sheets"], first["new"]) == (4, 1, 4)
    assert linked(run) == {f"QR:{card}": [card] for card in CARDS}
    again = run("barcode", "labels", *CARDS, "--out", out, "--json", "--force").json["data"]
    assert (again["labels"], again["new"]) == (4, 0)


def test_code_128_writes_an_a_for_alpha(run: Run, tmp_path: Path) -> None:
    run("barcode", "labels", "Dα-001", "--code", "code128", "--out", tmp_path / "a.svg")
    assert linked(run) == {"Code128:alpha/Da-001": ["alpha/Dα-001"]}


def test_decks_queries_and_cards_give_a_label_a_card(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "labels.pdf"
    done = run("barcode", "labels", "St-1", "--deck", DECK, "--query", "number=St-1", "--each", "2",
               "--out", out, "--json").json["data"]  # fmt: skip
    cards = [entry["card"] for entry in done["cards"]]
    assert cards[0] == "hyper-colosseum/St-1"
    assert len(cards) == len(set(cards)) > 10
    assert done["labels"] == 2 * len(cards)


def test_a_pdf_has_a_page_a_sheet(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "labels.pdf"
    done = run("barcode", "labels", *CARDS, "--each", "8", "--language", "ja", "--out", out)
    assert done.exit_code == 0, done.output
    assert "32 labels on 2 sheets" in done.stdout
    data = out.read_bytes()
    assert data.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type /Page\b", data)) == 2
    run("barcode", "labels", *CARDS, "--each", "8", "--language", "ja", "--out", out, "--force")
    assert out.read_bytes() == data  # the same today and tomorrow


def test_used_labels_are_left_out(run: Run, tmp_path: Path) -> None:
    done = run("barcode", "labels", *CARDS, "--skip", "19", "--out", tmp_path / "a.svg", "--json")
    assert done.json["data"]["sheets"] == 2
    first, second = (printed(tmp_path / f"a-{place}.svg") for place in (1, 2))
    assert first[: first.shape[0] * 4 // 5].min() == 255  # the rows that are used up
    assert second[: second.shape[0] // 5].min() < 255


def test_no_file_of_several_is_overwritten(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a-2.svg").write_text("mine")
    done = run("barcode", "labels", *CARDS, "--skip", "19", "--out", tmp_path / "a.svg")
    assert done.exit_code == 3
    assert "--force" in done.stderr
    assert not (tmp_path / "a-1.svg").exists()
    assert linked(run) == {}


def test_all_names_are_looked_at_before_the_first_file_is_replaced(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "a-1.svg").write_text("old")
    (tmp_path / "a-2.svg").mkdir()
    done = run("barcode", "labels", *CARDS, "--skip", "19", "--out", tmp_path / "a.svg", "--force")
    assert done.exit_code == 3
    assert "a-2.svg: cannot be written: this is a folder" in done.stderr
    assert (tmp_path / "a-1.svg").read_text() == "old"
    assert linked(run) == {}


def test_sheets_of_a_larger_run_are_told(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "a.svg"
    many = ("barcode", "labels", *CARDS, "--out", out, "--force", "--each")
    assert "another run" not in run(*many, "21").stderr  # four sheets
    two = run(*many, "10", "--json").json
    assert two["data"]["files"] == [str(tmp_path / f"a-{place}.svg") for place in (1, 2)]
    (problem,) = two["problems"]
    assert (problem["code"], problem["severity"], problem["have"]) == (
        "sheets-left-over", "note", 2,
    )  # fmt: skip
    one = run(*many, "1")
    assert one.exit_code == 0
    assert f"4 files of another run beside these: {tmp_path}/a-1.svg to " in one.stderr
    for place in (2, 3, 4):
        (tmp_path / f"a-{place}.svg").unlink()
    assert f"1 file of another run beside these: {tmp_path}/a-1.svg\n" in run(*many, "1").stderr
    assert f"1 file of another run beside these: {out}\n" in run(*many, "10").stderr


def test_a_missing_folder_is_told_before_the_sheets_are_drawn(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("digideck.cli.barcode.labels.Progress.show", None)  # no sheet is begun
    done = run("barcode", "labels", "St-1", "--out", tmp_path / "none" / "a.pdf")
    assert done.exit_code == 3
    assert "none/a.pdf: cannot be written: no such file or directory" in done.stderr


@pytest.mark.parametrize(
    ("card", "sheet", "bars"),
    [("ST-66@bandai", "l7160", "0.189"), ("Cα-054", "l7651", "0.187")],
)
def test_bars_that_are_nearly_wide_enough_are_not_called_so(
    run: Run, tmp_path: Path, card: str, sheet: str, bars: str
) -> None:
    done = run("barcode", "labels", card, "--code", "code128", "--sheet", sheet,
               "--out", tmp_path / "a.svg")  # fmt: skip
    assert done.exit_code == 1
    assert f"its bars would be {bars} mm, 0.19 are needed" in done.stderr


def test_a_code_of_another_card_is_left_out(run: Run, tmp_path: Path) -> None:
    run("barcode", "link", "qr:dcg/BT1-010", "St-1")
    done = run("barcode", "labels", *CARDS, "--out", tmp_path / "a.svg")
    assert done.exit_code == 1
    assert "linked to hyper-colosseum/St-1" in done.stderr
    assert "digideck barcode unlink QR:dcg/BT1-010" in done.stderr
    assert "3 labels" in done.stdout
    assert linked(run)["QR:dcg/BT1-010"] == ["hyper-colosseum/St-1"]


def test_a_code_that_does_not_fit_is_left_out(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "a.svg"
    done = run("barcode", "labels", *CARDS[:1], "--code", "code128", "--sheet", "l7651",
               "--out", out)  # fmt: skip
    assert done.exit_code == 1
    assert "does not fit l7651" in done.stderr
    assert "--code qr" in done.stderr
    assert not out.exists()
    assert linked(run) == {}


def test_a_fine_code_is_warned_of(run: Run, tmp_path: Path) -> None:
    done = run("barcode", "labels", CARDS[0], "--code", "code128", "--out", tmp_path / "a.svg")
    assert done.exit_code == 0
    assert "600 dpi" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "exit_code", "says"),
    [
        (("St-99999",), 3, "no card"),
        (("Agumon",), 4, "alpha/DM-183"),
        (("St-1", "Agumon"), 4, "alpha/DM-183"),
        (("St-1", "--deck", NAMES_ALONE), 4, "alpha-japanese-legal.txt:2: "),
        (("--deck", NAMES_ALONE), 4, "alpha/DMJ-007  Agumon"),
        (("--query", "greymon -g alpha"), 1, "game:alpha"),
        (("St-1", "--each", "5000000"), 3, "20,000 are the most"),
        (("St-1", "--language", "de"), 3, "en, ja, dub"),
        (("--query", "zzzzzz"), 1, "no card matches"),
        (("--deck", "there-is-none.txt"), 3, "there-is-none.txt"),
        ((), 3, "no cards are named"),
        (("St-1", "--sheet", "l9999"), 3, "l7160, l7651, 5160"),
        (("St-1", "--code", "ean"), 3, "qr, code128"),
        (("St-1", "--language", "fr"), 3, "en, ja, dub"),
        (("St-1", "--skip", "21"), 3, "has 21 labels"),
        (("St-1", "--each", "0"), 2, "--each"),
    ],
)
def test_what_cannot_be_printed(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], exit_code: int, says: str
) -> None:
    done = run("barcode", "labels", *arguments, "--out", tmp_path / "a.svg")
    assert done.exit_code == exit_code, done.output
    assert says in done.output
    assert not list(tmp_path.glob("a*.svg"))
    assert linked(run) == {}


def test_a_name_of_several_lines_is_asked_about_once(
    run: Run, tmp_path: Path, write: Write
) -> None:
    deck = write("deck.txt", "# format: alpha\n3 ジオグレイモン\n1 ジオグレイモン\n")
    done = run("barcode", "labels", "--deck", deck, "--out", tmp_path / "a.svg", "--json").json
    asked = [one["line"] for one in done["problems"] if one["code"] == "card-ambiguous"]
    assert asked == [2]


@pytest.mark.parametrize("language", ["ja", "jp", "Japanese"])
def test_a_card_without_a_name_in_the_language_says_which_it_gets(
    run: Run, tmp_path: Path, language: str
) -> None:
    out = tmp_path / "a.svg"
    done = run("barcode", "labels", "BO-109@upper-deck", "Dα-001", "--language", language,
               "--out", out)  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "1 card without the Japanese name, such as digi-battle/BO-109" in done.stderr
    assert "the English one is on the label" in done.stderr
    assert "アグモン" in out.read_text("utf-8")


@pytest.mark.parametrize(
    ("out", "says"),
    [
        ("none/a.pdf", "no such file or directory"),
        ("folder.pdf", "this is a folder"),
        ("a", "does not end with .pdf or .svg"),
    ],
)
def test_a_place_that_cannot_be_written_is_told(
    run: Run, tmp_path: Path, out: str, says: str
) -> None:
    (tmp_path / "folder.pdf").mkdir()
    done = run("barcode", "labels", "St-1", "--out", tmp_path / out)
    assert done.exit_code == 3
    assert f"{out}: " in done.stderr
    assert says in done.stderr
    assert linked(run) == {}


@needs_terminal
def test_a_terminal_shows_how_far_it_is(database: Path, tmp_path: Path) -> None:
    words = ("barcode", "labels", "St-1", "--each", "200", "--out", tmp_path / "a.pdf")
    with terminal(database, *words, stdout=subprocess.DEVNULL) as typed:
        said = typed.rest()
        assert typed.ended() == 0
    assert re.search(r"\[[#.]{30}\] +\d+ %  10 sheets", said)
    assert said.endswith("\r\x1b[K")  # and leaves nothing behind


def test_the_ending_tells_the_form(run: Run, tmp_path: Path) -> None:
    done = run("barcode", "labels", "St-1", "--out", tmp_path / "a.doc")
    assert done.exit_code == 3
    assert ".pdf or .svg" in done.stderr


def test_without_the_library_pdf_says_how_to_get_it(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "reportlab", None)
    done = run("barcode", "labels", "St-1", "--out", tmp_path / "a.pdf")
    assert done.exit_code == 3
    assert "pip install 'digideck[labels]'" in done.stderr
    assert run("barcode", "labels", "St-1", "--out", tmp_path / "a.svg").exit_code == 0


def test_the_help_names_every_sheet(run: Run) -> None:
    text = run("barcode", "labels", "--help").stdout
    assert all(re.search(rf"\b{name}\b", text) for name in SHEETS)
