"""What was scanned is kept by content, and nothing that was entered is forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest

from digideck.scan.decode.engines import Read
from digideck.scan.decode.symbologies import Symbology
from digideck.scan.store import read_store as memory
from digideck.scan.store.links import Barcode, Link, add_links, cards_by_code, remove_links
from digideck.schema.connection import open_to_write, transaction

QUAD = ((0.0, 0.0), (9.0, 0.0), (9.0, 3.0), (0.0, 3.0))


def read(payload: str, kind: Symbology = Symbology.CODE_128) -> Read:
    return Read(kind, payload, QUAD, "zxing", "whole")


def proposal(payload: str) -> memory.Proposal:
    return memory.Proposal(Barcode("Code 128", payload), QUAD, 0.95, 0.2, 0.8, b"")


def test_reading_again_keeps_what_was_settled(database: Path) -> None:
    connection = open_to_write(database)
    with transaction(connection):
        memory.remember(connection, "a" * 64, "x.jpg", [read("A"), read("A"), read("B")])
    first = memory.stored(connection, "a" * 64)
    assert first is not None
    with transaction(connection):
        memory.settle(connection, [first.reads[0].id], memory.DISMISSED)
        memory.remember(connection, "a" * 64, "y.jpg", [read("A"), read("A"), read("C")])
    again = memory.stored(connection, "a" * 64)
    assert again is not None
    assert again.id == first.id
    assert again.path == "y.jpg"
    assert sorted((one.payload, one.status) for one in again.reads) == [
        ("A", "dismissed"),
        ("A", "waiting"),
        ("C", "waiting"),
    ]
    connection.close()


def test_a_refused_picture_is_not_done(database: Path) -> None:
    connection = open_to_write(database)
    with transaction(connection):
        memory.remember(connection, "a" * 64, "x.jpg", [], "cut short")
        memory.remember(connection, "b" * 64, "y.jpg", [])
    assert not memory.is_done(connection, "a" * 64)
    assert memory.is_done(connection, "b" * 64)
    connection.close()


def test_a_picture_that_cannot_be_read_again_keeps_what_was_read(database: Path) -> None:
    connection = open_to_write(database)
    with transaction(connection):
        memory.remember(connection, "a" * 64, "x.jpg", [read("A")], proposals=[proposal("B")])
    before = memory.stored(connection, "a" * 64)
    with transaction(connection):
        memory.remember(connection, "a" * 64, "x.jpg", [], "not enough memory")
    assert memory.stored(connection, "a" * 64) == before
    assert memory.is_done(connection, "a" * 64)
    connection.close()


@pytest.mark.parametrize(
    ("status", "kept"),
    [
        (memory.DISMISSED, [("match", "dismissed"), ("zxing", "waiting")]),
        (memory.WAITING, [("match", "waiting")]),
    ],
)
def test_a_code_that_is_read_at_last_counts_though_its_match_was_refused(
    database: Path, status: str, kept: list[tuple[str, str]]
) -> None:
    connection = open_to_write(database)
    with transaction(connection):
        picture = memory.remember(connection, "a" * 64, "x.jpg", [], proposals=[proposal("A")])
        (match,) = memory.reads_of(connection, Barcode("Code 128", "A"), ())
        memory.answer_matches(connection, [match.id], status, ())
        for _ in range(2):
            assert memory.remember(connection, "a" * 64, "x.jpg", [read("A")]) == picture
    found = memory.reads_of(connection, Barcode("Code 128", "A"), ())
    assert sorted((one.engine, one.status) for one in found) == kept
    connection.close()


def test_upc_and_ean_share_their_links(database: Path) -> None:
    connection = open_to_write(database)
    (card_id,) = connection.execute("SELECT id FROM card LIMIT 1").fetchone()
    code = Barcode("EAN-13", "0012345678905")
    with transaction(connection):
        memory.remember(
            connection, "a" * 64, "x.jpg", [read("0012345678905", Symbology.UPC_A), read("Z")]
        )
        assert add_links(connection, [Link(code, card_id, "hand")] * 2) == 1
    waiting = memory.waiting_codes(connection, cards_by_code(connection))
    assert [entry.code.payload for entry in waiting] == ["Z"]
    assert [one.symbology for one in memory.reads_of(connection, code, ())] == ["UPC-A"]
    with transaction(connection):
        assert remove_links(connection, code) == 1
    assert len(list(memory.waiting_codes(connection, cards_by_code(connection)))) == 2
    connection.close()
