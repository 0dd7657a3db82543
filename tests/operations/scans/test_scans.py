"""Scanning without a command line: a photo to an entry, and bars that were matched."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from digideck.operations.barcodes.link_barcodes import link_barcode, list_barcodes
from digideck.operations.collection.undo_batch import undo_batch
from digideck.operations.scans.review_scans import Review
from digideck.operations.scans.scan_photos import PhotosAsked, scan_photos
from digideck.operations.scans.scan_rows import ScanState
from tests.cli.pictures import photo


def test_a_photo_is_read_named_and_entered_and_nothing_is_printed(
    database: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    asked = PhotosAsked([str(photo(tmp_path / "1.png", "AAA111111"))], workers=1)
    ticks: list[str] = []
    seen = scan_photos(asked, db=database, progress=lambda text, done: ticks.append(text))
    assert [row.state for row in seen.seen] == [ScanState.UNCONFIRMED]
    assert ticks[-1].startswith("1/1 ")
    with closing(Review(db=database)) as review:
        (code,) = review.waiting
        (card,) = review.meant("St-1")
        review.name(code, card)
        kept = list_barcodes(db=database).links  # at once
        done = review.finish()
    assert [link.card for link in kept] == [card.key]
    assert [(row.card, row.change) for row in done.changes] == [(card.key, 1)]
    assert undo_batch(done.batch, database).undone == done.batch
    with closing(Review(db=database)) as review:
        assert not review.waiting  # linked: scan photos --add enters it again
    assert capfd.readouterr() == ("", "")


def test_what_is_dismissed_waits_no_more(database: Path, tmp_path: Path) -> None:
    file = str(photo(tmp_path / "1.png", "AAA111111"))
    scan_photos(PhotosAsked([file], workers=1), db=database)
    with closing(Review(db=database)) as review:
        (code,) = review.waiting
        review.dismiss(code)
        assert review.finish().dismissed == ("Code128:AAA111111",)
    with closing(Review(db=database)) as review:
        assert review.finish().idle
    link_barcode("AAA111111", "St-1", db=database)
    again = scan_photos(PhotosAsked([file], add=True, workers=1), db=database)
    assert (again.known, again.batch) == (1, None)
