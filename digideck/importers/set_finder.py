"""The sets that rows name: known under any of their spellings, or new."""

from __future__ import annotations

import sqlite3

from digideck.catalog.advice import near_sets
from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.numbers import number_key
from digideck.core.problems import RowError
from digideck.importers.outcomes import Plan
from digideck.importers.values import LONGEST_TEXT
from digideck.schema.games.game import Game

MOST_NEW_SETS = 5_000
_MOST_KEPT = 50_000
_MOST_LOOKED_UP = 20  # unknown sets for which near ones are looked for


class SetFinder:
    """Finds each name once. New sets go into ``plan.new_sets``."""

    def __init__(self, connection: sqlite3.Connection, plan: Plan, *, new_sets: bool) -> None:
        self.connection = connection
        self.plan = plan
        self.new_sets = new_sets
        self._found: dict[tuple[str, str], tuple[str, ...] | RowError] = {}
        self._names: dict[str, dict[str, str]] = {}

    def codes(self, game: Game, name: str) -> tuple[str, ...]:
        """The codes of the set or sets called ``name``. Raises RowError for an unknown one."""
        found = self._found.get((game.code, name))
        if found is None:
            try:
                found = self._find(game, name)
            except RowError as refusal:
                found = refusal
            if len(self._found) < _MOST_KEPT:
                self._found[game.code, name] = found
        if isinstance(found, RowError):
            raise found
        return found

    def _find(self, game: Game, name: str) -> tuple[str, ...]:
        """The set called ``name``, else each of the sets that ; separates in it."""
        whole = self._set_code(game, name)
        if whole:
            return (whole,)
        names = [part.strip() for part in name.split(";") if part.strip()]
        return tuple(
            dict.fromkeys(self._set_code(game, part) or self._new_set(game, part) for part in names)
        )

    def _set_code(self, game: Game, name: str) -> str | None:
        names = self._names.get(game.code)
        if names is None:
            names = self._names[game.code] = dict(
                self.connection.execute(
                    "SELECT search_key, set_code FROM set_name WHERE game = ?", (game.code,)
                ).fetchall()
            )
        found = names.get(search_key(name))
        if found is None and ":" in name:  # "BT-05: Booster Battle Of Omni" is BT5
            wanted = number_key(name.split(":", maxsplit=1)[0])
            found = next((code for code in names.values() if number_key(code) == wanted), None)
        return found

    def _new_set(self, game: Game, name: str) -> str:
        if not self.new_sets:
            many = self.plan.problem_counts[Code.SET_UNKNOWN] > _MOST_LOOKED_UP
            near = [] if many else near_sets(self.connection, name, game.code)
            hint = f"did you mean {', '.join(near)}? " if near else ""
            raise RowError(
                Code.SET_UNKNOWN,
                f"{game.code} has no set {name!r}",
                f"{hint}--new-sets adds it as a new one",
            )
        if len(self.plan.new_sets) >= MOST_NEW_SETS:
            raise RowError(
                Code.TOO_MANY_SETS,
                f"{name!r} would be new set number {MOST_NEW_SETS + 1:,}",
                "check that the column called set holds sets",
            )
        if len(name) > LONGEST_TEXT:
            raise RowError(Code.VALUE_TOO_LONG, f"set: {len(name)} characters are no name of a set")
        self.plan.new_sets[game.code, search_key(name)] = name
        self._names[game.code][search_key(name)] = name
        return name
