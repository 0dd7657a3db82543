"""Which cards were held before a camera."""

from __future__ import annotations

import pytest

from digideck.scan.camera.watching import Watch
from digideck.scan.decode.engines import Read
from digideck.scan.decode.symbologies import Symbology
from digideck.scan.store.links import Barcode

QUAD = ((100.0, 100.0), (300.0, 100.0), (300.0, 150.0), (100.0, 150.0))
LINKED = {Barcode("Code 128", "A"): (1,), Barcode("Code 128", "B"): (2,)}
HERE, ELSEWHERE = (200.0, 125.0), (900.0, 700.0)


def watch(plan: str, step: float = 0.1, bars: tuple[tuple[float, float], ...] = ()) -> list[str]:
    """A letter is the code that a frame shows, "." nothing, "~" bars that cannot be read."""
    watcher = Watch(LINKED)
    seen = []
    for number, letter in enumerate(plan):
        reads = []
        if letter.isalpha():
            reads = [Read(Symbology.CODE_128, letter, QUAD, "zxing", "whole")]
        places = (HERE,) if letter == "~" else bars
        seen += [one.code.payload for one in watcher.see(reads, number * step, lambda p=places: p)]
    return seen


@pytest.mark.parametrize(
    ("plan", "seen"),
    [
        ("A", "A"),  # a link is believed at once
        ("X", ""),  # one frame is not
        ("XX", "X"),
        ("X.X", ""),  # not in a row
        ("XYXY", ""),
        ("XXXXXXXXXX", "X"),
        ("A" * 60, "A"),  # six seconds without leaving
        ("AAA..AAA", "A"),  # missed for two frames
        ("AAA" + "." * 8 + "A", "AA"),  # left, and came again
        ("AAA" + "~" * 20 + "A", "A"),  # blurred for two seconds
        ("AAA" + "~" * 31 + "A", "AA"),  # three seconds later it is another card
        ("AAABBBAAA", "AB"),  # back within half a second
        ("AAA" + "B" * 8 + "AAA", "ABA"),
        ("ABABAB", "AB"),
    ],
)
def test_each_card_counts_once(plan: str, seen: str) -> None:
    assert "".join(watch(plan)) == seen


def test_bars_elsewhere_do_not_hold_a_card() -> None:
    assert watch("AAA" + "." * 8 + "A", bars=(ELSEWHERE,)) == ["A", "A"]


def test_slow_frames() -> None:
    assert watch("AA.AA", step=1.0) == ["A"]
    assert watch("AA..AA", step=1.0) == ["A", "A"]


def test_two_codes_in_one_frame_are_two_cards() -> None:
    watcher = Watch(LINKED)
    reads = [Read(Symbology.CODE_128, letter, QUAD, "zxing", "whole") for letter in "AB"]
    assert [one.cards for one in watcher.see(reads, 0, lambda: ())] == [(1,), (2,)]
