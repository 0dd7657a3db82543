"""Two cards never count as one name unless somebody has looked at the pair."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from digideck.schema.connection import open_to_read

REVIEWED = Path(__file__).with_name("folds.txt")


def folded_names(database: Path) -> set[tuple[str, str, str]]:
    """(game, name, other name) for every two printed names with one limit key."""
    names: dict[tuple[str, str], set[str]] = defaultdict(set)
    connection = open_to_read(database)
    for game, key, name in connection.execute(
        """SELECT game, limit_key, (
             SELECT name FROM card_name WHERE card_id = card.id AND role = 'name'
             ORDER BY CASE language WHEN 'en' THEN 0 WHEN 'dub' THEN 1 ELSE 2 END LIMIT 1)
           FROM card"""
    ):
        if name:
            names[game, key].add(name)
    connection.close()
    return {
        (game, first, other)
        for (game, _), (first, *others) in ((key, sorted(group)) for key, group in names.items())
        for other in others
    }


def reviewed_names() -> set[tuple[str, str, str]]:
    found = set()
    for line in REVIEWED.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            game, _, pair = line.partition("  # ")[0].partition(": ")
            first, _, other = pair.partition(" = ")
            found.add((game, first, other))
    return found


def test_every_fold_is_reviewed(database: Path) -> None:
    folded, reviewed = folded_names(database), reviewed_names()
    assert folded - reviewed == set(), "new folds: look at them, then add them to folds.txt"
    assert reviewed - folded == set(), "folds that are gone: take them out of folds.txt"
