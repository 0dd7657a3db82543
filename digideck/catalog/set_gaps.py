"""Numbers that no known card has: inside the range of a set, and between known numbers."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_PARTS = re.compile(r"(.*?)([0-9]+)([^0-9]*)")
MOST_NUMBERS = 100_000  # of one series: beyond, the numbers are no running numbers


@dataclass(frozen=True, slots=True)
class Gap:
    """A run of numbers without a known card, ``first`` to ``last`` as they are printed.

    ``set_code`` is that of the set whose range has them, None where only the
    numbers around them are known: then whether they exist is not known.
    """

    game: str
    set_code: str | None
    first: str
    last: str
    count: int

    @property
    def shown(self) -> str:
        """One number, or the first and the last."""
        return self.first if self.count == 1 else f"{self.first} to {self.last}"


def set_gaps(
    connection: sqlite3.Connection, game: str | None = None
) -> dict[tuple[str, str], list[Gap] | None]:
    """The unknown numbers of each set whose ranges are known.

    None where a range is known but not which of its numbers were printed.
    """
    known = _known_numbers(connection, game)
    found: dict[tuple[str, str], list[Gap] | None] = {}
    for row in connection.execute(
        """SELECT game, set_code, first_number, last_number, cards FROM set_range
           WHERE ? IS NULL OR game = ? ORDER BY game, set_code, position""",
        (game, game),
    ):
        key = (row["game"], row["set_code"])
        numbers = _range(row["first_number"], row["last_number"])
        if numbers is None or row["cards"] not in (None, len(numbers)) or row["cards"] is None:
            found[key] = None
        elif found.get(key, []) is not None:
            missing = [number for number in numbers if number not in known.get(key[0], ())]
            found[key] = [*(found.get(key) or ()), *_runs(key[0], key[1], numbers, missing)]
    return found


def series_gaps(connection: sqlite3.Connection, game: str) -> Iterator[tuple[str, int, list[Gap]]]:
    """Each series of a game's numbers (``Dα-#``) with its highest known number and the
    numbers below that which no known card has.
    """
    series: dict[tuple[str, str], dict[int, str]] = {}
    for number in _known_numbers(connection, game).get(game, ()):
        match = _PARTS.fullmatch(number)
        if match:
            series.setdefault((match[1], match[3]), {})[int(match[2])] = match[2]
    for (before, after), values in sorted(series.items()):
        highest = max(values)
        if highest > MOST_NUMBERS:
            continue
        width = min(map(len, values.values()))
        numbers = [f"{before}{value:0{width}}{after}" for value in range(1, highest + 1)]
        missing = [numbers[value - 1] for value in range(1, highest + 1) if value not in values]
        yield f"{before}#{after}", highest, _runs(game, None, numbers, missing)


def _known_numbers(connection: sqlite3.Connection, game: str | None) -> dict[str, set[str]]:
    known: dict[str, set[str]] = {}
    for code, number in connection.execute(
        "SELECT game, number FROM card WHERE ? IS NULL OR game = ?", (game, game)
    ):
        known.setdefault(code, set()).add(number)
    return known


def _range(first: str | None, last: str | None) -> list[str] | None:
    """Every number from ``first`` to ``last``; None where they are not of one series."""
    start, end = _PARTS.fullmatch(first or ""), _PARTS.fullmatch(last or "")
    if not start or not end or (start[1], start[3]) != (end[1], end[3]):
        return None
    values = range(int(start[2]), int(end[2]) + 1)
    if len(values) > MOST_NUMBERS:
        return None
    return [f"{start[1]}{value:0{len(start[2])}}{start[3]}" for value in values]


def _runs(
    game: str, set_code: str | None, numbers: Sequence[str], missing: Sequence[str]
) -> list[Gap]:
    """``missing`` as runs of what is next to each other in ``numbers``."""
    place = {number: index for index, number in enumerate(numbers)}
    gaps: list[Gap] = []
    for number in missing:
        last = gaps[-1] if gaps else None
        if last and place[number] == place[last.last] + 1:
            gaps[-1] = Gap(game, set_code, last.first, number, last.count + 1)
        else:
            gaps.append(Gap(game, set_code, number, number, 1))
    return gaps
