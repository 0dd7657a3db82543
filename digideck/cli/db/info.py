"""``digideck db info``"""

from __future__ import annotations

from dataclasses import asdict

from digideck.catalog.sets import game_facts
from digideck.cli.options import Db, Json
from digideck.cli.render.output import command, table
from digideck.core.text import pluralize
from digideck.schema.connection import default_path, open_to_read


def run(db: Db = None, json: Json = False) -> None:
    """Cards and sets of each game, and what is your own."""
    with command("db info", json) as report:
        path = db or default_path()
        connection = open_to_read(path)
        (tables,) = connection.execute("PRAGMA user_version").fetchone()
        (data,) = connection.execute("SELECT value FROM meta WHERE key = 'data_version'").fetchone()
        (corrections,) = connection.execute("SELECT COUNT(*) FROM correction").fetchone()
        (imports,) = connection.execute(
            "SELECT COUNT(*) FROM source WHERE kind = 'import'"
        ).fetchone()
        games = game_facts(connection)
        report.data = {
            "file": str(path),
            "bytes": path.stat().st_size,
            "tables_version": tables,
            "data_version": data,
            "games": [asdict(game) for game in games],
            "corrections": corrections,
            "imports": imports,
        }
        report.say(f"{path}  {path.stat().st_size / 1e6:.1f} MB, tables {tables}, data {data}")
        rows = [
            (game.code, game.name, game.cards, game.sets, game.cards_without_set, game.own_cards)
            for game in games
        ]
        header = ("game", "name", "cards", "sets", "set unknown", "your own")
        for line in table(rows, header, right=(2, 3, 4, 5), texts=(1,)):
            report.say(line)
        report.say(f"{pluralize(corrections, 'correction')} from {pluralize(imports, 'import')}")
