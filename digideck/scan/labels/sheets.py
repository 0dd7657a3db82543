"""The sheets that labels are printed on. A new one is a line of `SHEETS`; all lengths in mm."""

from __future__ import annotations

from dataclasses import dataclass

A4 = (210.0, 297.0)
LETTER = (215.9, 279.4)
CARD = (63.0, 88.0)


@dataclass(frozen=True, slots=True)
class Sheet:
    """Labels of one size in columns and rows, in the middle of a page.

    ``step`` is from the left edge of a label to that of the next, and from top to
    top. ``cut``: plain paper, with marks to cut along.
    """

    name: str
    says: str
    page: tuple[float, float]
    columns: int
    rows: int
    label: tuple[float, float]
    step: tuple[float, float]
    cut: bool = False

    @property
    def labels(self) -> int:
        """How many are on the sheet."""
        return self.columns * self.rows

    @property
    def lefts(self) -> list[float]:
        """The left edges of the columns."""
        return _starts(self.page[0], self.columns, self.label[0], self.step[0])

    @property
    def tops(self) -> list[float]:
        """The top edges of the rows."""
        return _starts(self.page[1], self.rows, self.label[1], self.step[1])


def _starts(page: float, count: int, size: float, step: float) -> list[float]:
    first = (page - (count - 1) * step - size) / 2
    return [first + place * step for place in range(count)]


_ALL = (
    Sheet("l7160", "Avery L7160, 21 on A4", A4, 3, 7, (63.5, 38.1), (66.04, 38.1)),
    Sheet("l7651", "Avery L7651, 65 on A4", A4, 5, 13, (38.1, 21.2), (40.6, 21.2)),
    Sheet("5160", "Avery 5160, 30 on Letter", LETTER, 3, 10, (66.675, 25.4), (69.85, 25.4)),
    Sheet("5167", "Avery 5167, 80 on Letter", LETTER, 4, 20, (44.45, 12.7), (52.07, 12.7)),
    Sheet("sleeve", "9 card backs to cut from A4", A4, 3, 3, CARD, CARD, cut=True),
    Sheet("sleeve-letter", "9 card backs to cut from Letter", LETTER, 3, 3, CARD, CARD, cut=True),
    # The pockets of common pages are three millimetres wider than a card, four higher.
    Sheet("binder", "an A4 page to lay behind nine pockets", A4, 3, 3, CARD, (66.0, 92.0)),
    Sheet("binder-letter", "the same on Letter", LETTER, 3, 3, CARD, (66.0, 92.0)),
)
SHEETS = {sheet.name: sheet for sheet in _ALL}
