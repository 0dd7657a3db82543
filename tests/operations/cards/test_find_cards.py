"""Finding cards reads the database in batches."""

from __future__ import annotations

from pathlib import Path

import pytest

from digideck.core.results import to_json
from digideck.operations.cards import find_cards as operation
from digideck.schema.connection import open_to_read


def test_cards_are_read_in_batches(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    statements: list[str] = []

    def opened(path: Path | None) -> object:
        connection = open_to_read(path)
        connection.set_trace_callback(statements.append)
        return connection

    monkeypatch.setattr(operation, "open_to_read", opened)
    found = operation.find_cards(["mon"], db=built)
    assert found.total == len(found.cards.rows) > 3000
    assert len(statements) < 100
    cards = to_json(found)["cards"]
    assert cards[0]["source"]
    assert cards[0]["owned"] == 0
