"""The codes of a picture are counted along the rows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from digideck.scan.store.read_store import in_reading_order


def quad(x: float, y: float, width: float = 60, height: float = 60) -> tuple:
    left, right, top, bottom = x - width / 2, x + width / 2, y - height / 2, y + height / 2
    return (left, top), (right, top), (right, bottom), (left, bottom)


@given(
    st.integers(1, 6),
    st.integers(1, 6),
    st.sampled_from([(60, 60), (80, 6), (12, 70)]),
    st.data(),
)
def test_a_sheet_held_a_little_askew_is_read_row_by_row(
    rows: int, columns: int, size: tuple[int, int], data: st.DataObject
) -> None:
    """Within a row no code is more than a fifth of a code lower than another."""
    uneven = st.floats(0, 0.2 * max(size))
    wanted = [
        quad(column * 100 + 50, row * 100 + 50 + data.draw(uneven), *size)
        for row in range(rows)
        for column in range(columns)
    ]
    assert in_reading_order(data.draw(st.permutations(wanted)), tuple) == wanted


def test_what_has_no_place_is_kept() -> None:
    assert len(in_reading_order([(), quad(1, 1), ()], tuple)) == 3
