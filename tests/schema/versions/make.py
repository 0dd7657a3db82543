"""Writes the dump of the present tables: python -m tests.schema.versions.make

Run it once a version is released, so that a later one can be tested to start
from it. A dump that is there is never written again.
"""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

from digideck.schema.connection import APPLICATION_ID
from digideck.schema.migrations import LATEST

HEADER = """\
-- The tables of version {version} with a few cards, and what a user had: a card, a set and a
-- printing of their own, two corrections and a small collection. Never edit it: migrations start here.
"""
IMPORTS = (
    "number,name,kind,level,set,game\nDα-002,Yukimibotamon,Digimon,II,My box,alpha\n",
    "number,set,game\nDα-592,Alpha Evolve 8,alpha\n",
    "number,gigapower\nDM-035,no\n",
    "number,attack_a\nSt-44,481\n",
)
COMMANDS = (
    ("collection", "add", "St-1", "3", "--condition", "NM"),
    ("collection", "add", "Dα-065", "2"),
    ("collection", "remove", "Dα-065", "1"),
    ("collection", "wants", "St-44", "2"),
)
KEPT = """
    (game = 'alpha' AND number IN ('Dα-002', 'Dα-065', 'Dα-592', 'DM02-095'))
    OR (game = 'dccg' AND number IN ('DM-035', 'DM-043'))
    OR (game = 'hyper-colosseum' AND number IN ('St-1', 'St-44'))"""


def main() -> None:
    target = Path(__file__).parent / f"v{LATEST}.sql"
    if target.exists():
        sys.exit(f"{target} is there already, and is never written again")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "digideck.db"
        for rows in IMPORTS:
            subprocess.run(
                [sys.executable, "-m", "digideck", "import", "-", "--new-sets", "--db", path],
                input=rows.encode(),
                check=True,
            )
        for words in COMMANDS:
            subprocess.run([sys.executable, "-m", "digideck", *words, "--db", path], check=True)
        connection = sqlite3.connect(path)
        shrink(connection)
        text = "\n".join(connection.iterdump())
        connection.close()
    applied = r"(INSERT INTO \"_sqlite_migrations\" VALUES\([^;]*,')[^']*('\);)"
    text = re.sub(applied, r"\g<1>2026-01-01T00:00:00+00:00\2", text)
    ending = f"PRAGMA application_id = {APPLICATION_ID};\nPRAGMA user_version = {LATEST};\n"
    target.write_text(f"{HEADER.format(version=LATEST)}{text}\n{ending}", "utf-8")
    print(f"{target}: {target.stat().st_size:,} bytes")


def shrink(connection: sqlite3.Connection) -> None:
    """Leave a few cards and all that is the user's."""
    connection.execute("PRAGMA foreign_keys = OFF")
    tables = [
        row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
    ]
    for table in tables:
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        if "card_id" in columns:
            connection.execute(
                f"DELETE FROM {table} WHERE card_id NOT IN (SELECT id FROM card WHERE {KEPT})"
            )
    connection.executescript(f"""
        DELETE FROM card WHERE NOT ({KEPT});
        DELETE FROM set_range;
        DELETE FROM card_set WHERE (game, code) NOT IN (SELECT game, set_code FROM printing);
        DELETE FROM set_name WHERE (game, set_code) NOT IN (SELECT game, code FROM card_set);
        DELETE FROM format;
        UPDATE game SET definition = '{{}}';
        UPDATE meta SET value = 'an earlier data set' WHERE key = 'data_version';
        UPDATE batch SET made_at = '2026-01-01T00:00:00Z';
        UPDATE source SET imported_at = '2026-01-01T00:00:00Z' WHERE kind = 'import';
        DELETE FROM source WHERE kind = 'shipped' AND id NOT IN (
            SELECT source_id FROM card UNION SELECT source_id FROM card_set
            UNION SELECT source_id FROM printing);
    """)
    connection.commit()
    assert not connection.execute("PRAGMA foreign_key_check").fetchall()


if __name__ == "__main__":
    main()
