"""``digideck db info``"""

from __future__ import annotations

from digideck.cli.options import Db, Json
from digideck.cli.render.output import command, table
from digideck.core.text import pluralize
from digideck.operations.database.maintain_database import describe_database


def run(db: Db = None, json: Json = False) -> None:
    """Cards and sets of each game, and what is your own."""
    with command("db info", json) as report:
        info = describe_database(db)
        report.show(info)
        size = f"{info.bytes / 1e6:.1f} MB"
        report.say(f"{info.file}  {size}, tables {info.tables_version}, data {info.data_version}")
        rows = [
            (game.code, game.name, game.cards, game.sets, game.cards_without_set, game.own_cards)
            for game in info.games
        ]
        header = ("game", "name", "cards", "sets", "set unknown", "your own")
        for line in table(rows, header, right=(2, 3, 4, 5), texts=(1,)):
            report.say(line)
        imports = pluralize(info.imports, "import")
        report.say(f"{pluralize(info.corrections, 'correction')} from {imports}")
