"""The user's data as kinds of records: how each is read from the tables and written back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from digideck.schema.card_store import (
    WRITE_PRINTING,
    CardStore,
    CardValues,
    apply_corrections,
    write_correction,
    write_game,
)
from digideck.schema.games.game import Game
from digideck.schema.renumber import todays_key

Record = dict[str, Any]


def renumbered(connection: sqlite3.Connection) -> list[tuple[str, ...]]:
    """The renumberings that a database has been through, in their order."""
    rows = connection.execute(
        """SELECT game, old_number, old_edition, new_number, new_edition FROM renumbered
           ORDER BY position"""
    )
    return [tuple(row) for row in rows]


class Loader:
    """Writes records; finds cards by what they are called today."""

    def __init__(self, connection: sqlite3.Connection, store: CardStore, head: Record) -> None:
        self.connection = connection
        self.store = store
        # Positions of the renumberings that happened after the export was written.
        known = {tuple(entry) for entry in head.get("renumbered", ())}
        self.after = 0
        for position, row in enumerate(renumbered(connection), start=1):
            if row in known:
                self.after = position
        self.sources: dict[int, int] = {}  # the imports' ids here, by their place in the text

    def key(self, record: Record) -> tuple[str, str, str]:
        """Game, number and edition of a record's card, as they are called today."""
        return todays_key(self.connection, _key(record["card"]), self.after)

    def find(self, key: tuple[str, str, str]) -> int | None:
        """The id of the card with this game, number and edition; None where there is none."""
        row = self.connection.execute(
            "SELECT id FROM card WHERE game = ? AND number = ? AND edition = ?", key
        ).fetchone()
        return None if row is None else int(row[0])

    def card_id(self, record: Record) -> int:
        """The card of a record. Raises ValueError where it is not known."""
        card_id = self.find(self.key(record))
        if card_id is None:
            raise ValueError(f"no card is called {record['card']}")
        return card_id

    def source_id(self, source: int | str) -> int:
        """The id of an import by its place, of a citation by its text."""
        return self.store.citation(source) if isinstance(source, str) else self.sources[source]

    def insert(
        self, table: str, columns: Sequence[str], record: Record, on_conflict: str = ""
    ) -> int:
        """Write a record into the columns of a table; the id of the row."""
        cursor = self.connection.execute(
            f"""INSERT INTO {table} ({", ".join(columns)})
                VALUES ({", ".join("?" * len(columns))}) {on_conflict}""",
            [self._value(column, record) for column in columns],
        )
        return int(cursor.lastrowid or 0)

    def _value(self, column: str, record: Record) -> Any:
        """What goes into a column: cards, sources and sets are called otherwise in records."""
        if column == "card_id":
            return self.card_id(record)
        if column in ("source_id", "old_source_id"):
            source = record[column.removesuffix("_id")]
            return None if source is None else self.source_id(source)
        return record["set" if column == "set_code" and "set" in record else column]

    def finish(self) -> None:
        """Lay the corrections over the cards."""
        apply_corrections(self.connection, self.store)


def _key(text: object) -> tuple[str, str, str]:
    if not isinstance(text, str):
        raise ValueError(f"no card is called {text}")
    game, _, rest = text.partition("/")
    number, _, edition = rest.partition("@")
    return game, number, edition


# --- the kinds of records ---------------------------------------------------------


@dataclass(frozen=True)
class Kind:
    """One kind of record.

    ``select`` gives its keys in their order, rows in an order that is the same for equal
    databases; the keys in ``json`` are JSON there. ``rest`` adds what takes another query,
    by the row's "id", which is no key itself where ``keep_id`` is not set. ``write`` stores
    a record; ``table`` and ``columns`` do where each value has a column.
    """

    name: str
    select: str
    json: tuple[str, ...] = ()
    rest: Callable[[sqlite3.Connection, CardStore, int], Record] | None = None
    keep_id: bool = False
    write: Callable[[Loader, Record], None] | None = None
    table: str = ""
    columns: str = ""
    on_conflict: str = ""

    def read(self, connection: sqlite3.Connection, store: CardStore) -> Iterator[Record]:
        """Every record."""
        for row in connection.execute(self.select):
            record = dict(row)
            for key in self.json:
                record[key] = json.loads(record[key])
            if self.rest:
                record |= self.rest(connection, store, row["id"])
                if not self.keep_id:
                    del record["id"]
            yield record

    def store(self, loader: Loader, record: Record) -> int:
        """Write a record; the id of its row where it has one."""
        if self.write:
            self.write(loader, record)
            return 0
        columns = self.columns.split()
        return loader.insert(self.table, columns, record, self.on_conflict)


# A card by what it is called, and a source: an import by its place among the imports, a
# citation by its text.
_CARD = """card.game || '/' || card.number
    || CASE card.edition WHEN '' THEN '' ELSE '@' || card.edition END AS card"""
_SOURCES = """WITH named AS (
    SELECT id, CASE kind WHEN 'import' THEN ROW_NUMBER() OVER (PARTITION BY kind ORDER BY id)
                         ELSE name END AS source FROM source)"""
_BY_CARD = "card.game, card.number, card.edition"
_DETAILS = ("set_code", "variant", "condition", "language", "finish", "place", "note")
_MATCH = ("likeness", "margin", "weakest")


def _write_source(loader: Loader, record: Record) -> None:
    columns = ["name", "path", "sha256", "reader", "imported_at", "counts", "kind"]
    loader.sources[record["place"]] = loader.insert("source", columns, record | {"kind": "import"})


def _write_game(loader: Loader, record: Record) -> None:
    game = Game(record["code"], record["name"], record["years"], record["definition"])
    write_game(loader.connection, game, source_id=loader.source_id(record["source"]))
    loader.store.add_game(game)


_SET_COLUMNS = "game code name_en name_ja series kind released printed reprints note position"


def _write_set(loader: Loader, record: Record) -> None:
    columns = [*_SET_COLUMNS.split(), "shipped", "source_id"]
    values = record | {"kind": record["of_kind"], "shipped": 0}
    loader.insert("card_set", columns, values, "ON CONFLICT DO NOTHING")
    for name in record["names"]:
        named = {"game": record["game"], "search_key": name, "set": record["code"]}
        columns = ["game", "search_key", "set_code"]
        loader.insert("set_name", columns, named, "ON CONFLICT DO NOTHING")


def _read_card(connection: sqlite3.Connection, store: CardStore, card_id: int) -> Record:
    card = store.values_of(card_id)
    return {
        "values": dict(sorted(card.values.items())),
        "doubts": dict(sorted(card.doubts.items())),
    }


def _write_card(loader: Loader, record: Record) -> None:
    key = loader.key(record)
    values = CardValues(*key, "", [], dict(record["values"]), record["doubts"])
    source_id = loader.source_id(record["source"])
    if loader.find(key) is None:
        loader.store.write_card(values, source_id=source_id, shipped=False)
    elif not isinstance(record["source"], str):  # it ships by now: the user's word still stands
        for column, value in values.values.items():
            write_correction(loader.connection, values, column, value, source_id)


def _write_printing(loader: Loader, record: Record) -> None:
    place = (loader.card_id(record), loader.key(record)[0], record["set"])
    loader.connection.execute(WRITE_PRINTING, (*place, loader.source_id(record["source"])))


def _write_correction(loader: Loader, record: Record) -> None:
    card = CardValues(*loader.key(record), "", [], {})
    source_id = loader.source_id(record["source"])
    write_correction(loader.connection, card, record["field"], record["value"], source_id)


def _entries(connection: sqlite3.Connection, store: CardStore, batch_id: int) -> Record:
    rows = connection.execute(
        f"""SELECT {_CARD}, count, {", ".join(_DETAILS)} FROM entry
            JOIN card ON card.id = card_id WHERE batch_id = ? ORDER BY entry.id""",
        (batch_id,),
    )
    blank = set(_DETAILS)
    return {
        "entries": [
            {key: value for key, value in dict(row).items() if value or key not in blank}
            for row in rows
        ]
    }


def _write_batch(loader: Loader, record: Record) -> None:
    columns = ["id", "made_at", "command", "said", "undoes", *["card_id"] * bool(record["card"])]
    loader.insert("batch", columns, record)
    for entry in record["entries"]:
        values = dict.fromkeys(_DETAILS, "") | entry | {"batch_id": record["id"]}
        loader.insert("entry", ["batch_id", "card_id", *_DETAILS, "count"], values)


def _write_list(loader: Loader, record: Record) -> None:
    values = record | {"rows": json.dumps(record["rows"])}
    loader.insert("imported_list", ["batch_id", "sha256", "path", "rows"], values)


def _reads(connection: sqlite3.Connection, store: CardStore, picture_id: int) -> Record:
    rows = connection.execute(
        f"""SELECT symbology, payload, engine, rung, status, batch_id, quad, {", ".join(_MATCH)}
            FROM read WHERE picture_id = ? ORDER BY id""",
        (picture_id,),
    )
    return {"reads": [_read(dict(row)) for row in rows]}


def _read(record: Record) -> Record:
    """A read; of a match not the drawing, which is fifty times as long as the record. Of one
    that is only proposed it is made again by scan photos --again; one that was answered
    needs none.
    """
    record["quad"] = json.loads(record["quad"])
    if record["likeness"] is None:
        return {key: value for key, value in record.items() if key not in _MATCH}
    return record


_READ_COLUMNS = ("symbology", "payload", "engine", "rung", "status", "batch_id")


def _write_picture(loader: Loader, record: Record) -> None:
    columns = ["sha256", "path", "scanned_at", "outcome", "reason"]
    picture_id = loader.insert("picture", columns, record)
    for read in record["reads"]:
        values = dict.fromkeys(_MATCH) | read
        values |= {"picture_id": picture_id, "quad": json.dumps(read["quad"])}
        loader.insert("read", ["picture_id", "quad", *_READ_COLUMNS, *_MATCH], values)


# In an order in which each record finds what it names. What a later table keeps
# of the user's belongs here too.
KINDS = (
    Kind(
        "source",
        """SELECT ROW_NUMBER() OVER (ORDER BY id) AS place,
             name, path, sha256, reader, imported_at, counts
           FROM source WHERE kind = 'import' ORDER BY id""",
        write=_write_source,
    ),
    Kind(
        "game",
        f"""{_SOURCES} SELECT code, game.name, years, definition, source
            FROM game JOIN named ON named.id = source_id ORDER BY code""",
        json=("definition",),
        write=_write_game,
    ),
    Kind(
        "set",
        f"""{_SOURCES} SELECT {", ".join(_SET_COLUMNS.split()).replace("kind", "kind AS of_kind")},
              (SELECT json_group_array(search_key) FROM (
                 SELECT search_key FROM set_name
                 WHERE set_name.game = card_set.game AND set_code = card_set.code
                 ORDER BY search_key)) AS names, source
            FROM card_set JOIN named ON named.id = source_id
            WHERE shipped = 0 ORDER BY game, code""",
        json=("names",),
        write=_write_set,
    ),
    Kind(
        "card",
        f"""{_SOURCES} SELECT card.id, {_CARD}, NULL AS "values", NULL AS doubts, source
            FROM card JOIN named ON named.id = source_id WHERE shipped = 0 ORDER BY {_BY_CARD}""",
        rest=_read_card,
        write=_write_card,
    ),
    Kind(
        "printing",
        f"""{_SOURCES} SELECT {_CARD}, set_code AS "set", source FROM printing
            JOIN card ON card.id = card_id JOIN named ON named.id = printing.source_id
            WHERE printing.shipped = 0 ORDER BY {_BY_CARD}, set_code""",
        write=_write_printing,
    ),
    Kind(
        "correction",
        f"""{_SOURCES} SELECT {_CARD}, field, value, source
            FROM correction AS card JOIN named ON named.id = source_id
            ORDER BY {_BY_CARD}, field""",
        json=("value",),
        write=_write_correction,
    ),
    Kind(
        "field source",
        f"""{_SOURCES} SELECT {_CARD}, field, source FROM field_source
            JOIN card ON card.id = card_id JOIN named ON named.id = field_source.source_id
            ORDER BY {_BY_CARD}, field""",
        table="field_source",
        columns="card_id field source_id",
    ),
    Kind(
        "import change",
        f"""{_SOURCES} SELECT {_CARD}, field, old, before.source AS old_source, named.source
            FROM import_change JOIN card ON card.id = card_id
            JOIN named ON named.id = import_change.source_id
            LEFT JOIN named AS before ON before.id = old_source_id
            ORDER BY import_change.source_id, {_BY_CARD}, field""",
        table="import_change",
        columns="source_id card_id field old old_source_id",
    ),
    Kind(
        "batch",
        f"""SELECT batch.id, made_at, command, said, undoes,
              CASE WHEN card_id IS NULL THEN NULL ELSE {_CARD.removesuffix(" AS card")} END AS card
            FROM batch LEFT JOIN card ON card.id = card_id ORDER BY batch.id""",
        rest=_entries,
        keep_id=True,
        write=_write_batch,
    ),
    Kind(
        "imported list",
        "SELECT batch_id, sha256, path, rows FROM imported_list ORDER BY batch_id",
        json=("rows",),
        write=_write_list,
    ),
    Kind(
        "want",
        f"SELECT {_CARD}, count FROM want JOIN card ON card.id = card_id ORDER BY {_BY_CARD}",
        table="want",
        columns="card_id count",
        on_conflict="ON CONFLICT DO UPDATE SET count = max(count, excluded.count)",
    ),
    Kind(
        "collected set",
        'SELECT game, set_code AS "set" FROM collected_set ORDER BY game, set_code',
        table="collected_set",
        columns="game set_code",
    ),
    Kind(
        "link",
        f"""SELECT {_CARD}, symbology, payload, linked_at, said FROM link
            JOIN card ON card.id = card_id ORDER BY symbology, payload, {_BY_CARD}""",
        table="link",
        columns="card_id symbology payload linked_at said",
        on_conflict="ON CONFLICT DO NOTHING",
    ),
    Kind(
        "picture",
        "SELECT id, sha256, path, scanned_at, outcome, reason FROM picture ORDER BY id",
        rest=_reads,
        write=_write_picture,
    ),
)
