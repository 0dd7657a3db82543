"""All that is the user's, as plain text, and a database from it.

The text is one JSON object a line: a line that says what it is, then every
batch and entry of the ledger, wants, the codes linked to cards and what was
scanned, and what the user imported: sources, sets, cards, printings and
corrections. Cards are named by game, number and
edition, never by a number that only one database knows, so that the text
outlives the database and this program.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from digideck.core.codes import Code
from digideck.core.problems import InputError, input_error
from digideck.schema.games.game import Game
from digideck.schema.renumber import todays_key
from digideck.schema.shipped import (
    CardValues,
    Store,
    apply_corrections,
    write_correction,
    write_game,
)

VERSION = 1
Record = dict[str, Any]
# What a record raises that is not as `export_lines` writes it: AttributeError where a value
# is of another type, OverflowError and ProgrammingError where no column can hold it.
_MISFITS = (
    AttributeError,
    KeyError,
    TypeError,
    ValueError,
    OverflowError,
    sqlite3.IntegrityError,
    sqlite3.ProgrammingError,
)
_DETAILS = ("set_code", "variant", "condition", "language", "finish", "place", "note")


def export_lines(connection: sqlite3.Connection, store: Store) -> Iterator[str]:
    """The text, line by line, in an order that is the same for equal databases."""
    yield _line(
        {
            "digideck": "user data",
            "version": VERSION,
            "renumbered": [list(row) for row in _renumbered(connection)],
        }
    )
    connection.execute("BEGIN")  # one state of the database from the first line to the last
    try:
        for kind in KINDS:
            for record in kind.read(connection, store):
                yield _line({"kind": kind.name, **record})
    finally:
        connection.execute("ROLLBACK")


def _line(record: Record) -> str:
    return json.dumps(record, ensure_ascii=False) + "\n"


def _renumbered(connection: sqlite3.Connection) -> list[tuple[str, ...]]:
    rows = connection.execute(
        """SELECT game, old_number, old_edition, new_number, new_edition FROM renumbered
           ORDER BY position"""
    )
    return [tuple(row) for row in rows]


def is_empty(connection: sqlite3.Connection) -> bool:
    """Whether a database holds nothing of the user's."""
    return not any(
        connection.execute(f"SELECT 1 FROM {sql} LIMIT 1").fetchone()
        for sql in (
            "batch",
            "want",
            "collected_set",
            "link",
            "picture",
            "correction",
            "card WHERE shipped = 0",
            "card_set WHERE shipped = 0",
            "printing WHERE shipped = 0",
            "source WHERE kind = 'import'",
        )
    )


def import_lines(
    connection: sqlite3.Connection,
    store: Store,
    text: str,
    file: str,
    checks: Mapping[str, Callable[[Record], None]],
) -> dict[str, int]:
    """Write what `export_lines` gave into a database without user data; records by kind.

    ``checks`` are what other rooms ask of records of a kind; they raise Unusable.
    To be called inside a transaction. Raises InputError with the line that does not fit.
    """
    lines = text.split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    head = _parse(lines[0], file, 1) if lines else {}
    if head.get("digideck") != "user data":
        raise input_error(
            Code.NOT_USER_DATA,
            "not an export of digideck's user data",
            file=file,
            line=1,
            next_step="expected what digideck db export writes; "
            "for collections of other programs: digideck collection import",
        )
    if head.get("version") != VERSION:
        raise input_error(
            Code.USER_DATA_NEWER,
            f"version {head.get('version')!r} of the export, this digideck knows {VERSION}",
            file=file,
            line=1,
            next_step="update digideck",
        )
    try:
        loader = _Loader(connection, store, head)
    except _MISFITS as error:
        raise _misfit(error, file, 1) from None
    counts: dict[str, int] = {}
    for number, line in enumerate(lines[1:], start=2):
        record = _parse(line, file, number)
        try:
            kind = _BY_NAME[record.pop("kind")]
            if kind.name in checks:
                checks[kind.name](record)
            kind.write(loader, record)
        except InputError as error:
            raise error.at(file, number) from None
        except _MISFITS as error:
            raise _misfit(error, file, number) from None
        counts[kind.name] = counts.get(kind.name, 0) + 1
    loader.finish()
    return counts


def _misfit(error: Exception, file: str, line: int) -> InputError:
    reason = f"{error} is missing or unknown" if isinstance(error, KeyError) else str(error)
    return input_error(
        Code.RECORD_REFUSED,
        f"this record does not fit: {reason}",
        file=file,
        line=line,
        next_step="export again, or mend the line",
    )


def _parse(line: str, file: str, number: int) -> Record:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise input_error(Code.NOT_JSON, f"not JSON: {error}", file=file, line=number) from None
    if not isinstance(record, dict):
        raise input_error(Code.NOT_JSON, "expected a JSON object", file=file, line=number)
    return record


class _Loader:
    """Writes records; finds cards by what they are called today."""

    def __init__(self, connection: sqlite3.Connection, store: Store, head: Record) -> None:
        self.connection = connection
        self.store = store
        # Positions of the renumberings that happened after the export was written.
        known = {tuple(entry) for entry in head.get("renumbered", ())}
        self.after = 0
        for position, row in enumerate(_renumbered(connection), start=1):
            if row in known:
                self.after = position
        self.sources: dict[int, int] = {}  # the imports' ids here, by their place in the text

    def key(self, record: Record) -> tuple[str, str, str]:
        """Game, number and edition of a record's card, as they are called today."""
        return todays_key(self.connection, _key(record["card"]), self.after)

    def card_id(self, record: Record) -> int:
        """The card of a record. Raises ValueError where it is not known."""
        row = self.connection.execute(
            "SELECT id FROM card WHERE game = ? AND number = ? AND edition = ?", self.key(record)
        ).fetchone()
        if row is None:
            raise ValueError(f"no card is called {record['card']}")
        return int(row[0])

    def source_id(self, source: int | str) -> int:
        """The id of an import by its place, of a citation by its text."""
        return self.store.citation(source) if isinstance(source, str) else self.sources[source]

    def finish(self) -> None:
        """Lay the corrections over the cards."""
        apply_corrections(self.connection, self.store)


def _key(text: object) -> tuple[str, str, str]:
    if not isinstance(text, str):
        raise ValueError(f"no card is called {text}")
    game, _, rest = text.partition("/")
    number, _, edition = rest.partition("@")
    return game, number, edition


def _shown_key(row: sqlite3.Row) -> str:
    edition = f"@{row['edition']}" if row["edition"] else ""
    return f"{row['game']}/{row['number']}{edition}"


@dataclass(frozen=True)
class _Kind:
    """One kind of record: reading all of it in order, writing one."""

    name: str
    read: Callable[[sqlite3.Connection, Store], Iterator[Record]]
    write: Callable[[_Loader, Record], None]


# --- what was imported ------------------------------------------------------------


def _source(connection: sqlite3.Connection, source_id: int) -> int | str:
    """How a record names its source: an import by its place, a citation by its text."""
    row = connection.execute("SELECT kind, name FROM source WHERE id = ?", (source_id,)).fetchone()
    if row["kind"] != "import":
        return str(row["name"])
    (place,) = connection.execute(
        "SELECT COUNT(*) FROM source WHERE kind = 'import' AND id <= ?", (source_id,)
    ).fetchone()
    return int(place)


_SOURCE_COLUMNS = ("name", "path", "sha256", "reader", "imported_at", "counts")


def _read_sources(connection: sqlite3.Connection, store: Store) -> Iterator[Record]:
    rows = connection.execute("SELECT * FROM source WHERE kind = 'import' ORDER BY id")
    for place, row in enumerate(rows, start=1):
        yield {"place": place, **{key: row[key] for key in _SOURCE_COLUMNS}}


def _write_source(loader: _Loader, record: Record) -> None:
    cursor = loader.connection.execute(
        f"""INSERT INTO source (kind, {", ".join(_SOURCE_COLUMNS)})
            VALUES ('import', ?, ?, ?, ?, ?, ?)""",
        [record[key] for key in _SOURCE_COLUMNS],
    )
    loader.sources[record["place"]] = int(cursor.lastrowid or 0)


def _read_games(connection: sqlite3.Connection, store: Store) -> Iterator[Record]:
    rows = connection.execute("SELECT * FROM game WHERE source_id IS NOT NULL ORDER BY code")
    for row in rows.fetchall():
        yield {
            "code": row["code"],
            "name": row["name"],
            "years": row["years"],
            "definition": json.loads(row["definition"]),
            "source": _source(connection, row["source_id"]),
        }


def _write_game(loader: _Loader, record: Record) -> None:
    game = Game(record["code"], record["name"], record["years"], record["definition"])
    write_game(loader.connection, game, source_id=loader.source_id(record["source"]))
    loader.store.add_game(game)


def _read_field_sources(connection: sqlite3.Connection, store: Store) -> Iterator[Record]:
    for row in connection.execute(
        """SELECT game, number, edition, field, field_source.source_id FROM field_source
           JOIN card ON card.id = card_id ORDER BY game, number, edition, field"""
    ).fetchall():
        source = _source(connection, row["source_id"])
        yield {"card": _shown_key(row), "field": row["field"], "source": source}


def _write_field_source(loader: _Loader, record: Record) -> None:
    loader.connection.execute(
        "INSERT INTO field_source VALUES (?, ?, ?)",
        (loader.card_id(record), record["field"], loader.source_id(record["source"])),
    )


def _read_import_changes(connection: sqlite3.Connection, store: Store) -> Iterator[Record]:
    for row in connection.execute(
        """SELECT game, number, edition, import_change.* FROM import_change
           JOIN card ON card.id = card_id
           ORDER BY import_change.source_id, game, number, edition, field"""
    ).fetchall():
        before = row["old_source_id"]
        yield {
            "card": _shown_key(row),
            "field": row["field"],
            "old": row["old"],
            "old_source": None if before is None else _source(connection, before),
            "source": _source(connection, row["source_id"]),
        }


def _write_import_change(loader: _Loader, record: Record) -> None:
    before = record["old_source"]
    loader.connection.execute(
        "INSERT INTO import_change VALUES (?, ?, ?, ?, ?)",
        (
            loader.source_id(record["source"]),
            loader.card_id(record),
            record["field"],
            record["old"],
            None if before is None else loader.source_id(before),
        ),
    )


_SET_COLUMNS = (
    "game", "code", "name_en", "name_ja", "series", "kind", "released", "printed", "reprints",
    "note", "position",
)  # fmt: skip


def _read_sets(connection: sqlite3.Connection, store: Store) -> Iterator[Record]:
    rows = connection.execute(
        "SELECT * FROM card_set WHERE shipped = 0 ORDER BY game, code"
    ).fetchall()
    for row in rows:
        names = connection.execute(
            "SELECT search_key FROM set_name WHERE game = ? AND set_code = ? ORDER BY search_key",
            (row["game"], row["code"]),
        )
        record = {("of_kind" if key == "kind" else key): row[key] for key in _SET_COLUMNS}
        yield record | {
            "names": [name[0] for name in names],
            "source": _source(connection, row["source_id"]),
        }


def _write_set(loader: _Loader, record: Record) -> None:
    values = [record["of_kind" if key == "kind" else key] for key in _SET_COLUMNS]
    loader.connection.execute(
        "INSERT OR IGNORE INTO card_set VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)",
        (*values, loader.source_id(record["source"])),
    )
    for name in record["names"]:
        loader.connection.execute(
            "INSERT OR IGNORE INTO set_name VALUES (?, ?, ?)",
            (record["game"], name, record["code"]),
        )


def _read_cards(connection: sqlite3.Connection, store: Store) -> Iterator[Record]:
    rows = connection.execute(
        "SELECT id, source_id FROM card WHERE shipped = 0 ORDER BY game, number, edition"
    ).fetchall()
    for row in rows:
        card = store.values_of(row["id"])
        edition = f"@{card.edition}" if card.edition else ""
        yield {
            "card": f"{card.game}/{card.number}{edition}",
            "values": dict(sorted(card.values.items())),
            "doubts": dict(sorted(card.doubts.items())),
            "source": _source(connection, row["source_id"]),
        }


def _write_card(loader: _Loader, record: Record) -> None:
    game, number, edition = loader.key(record)
    values = CardValues(game, number, edition, "", [], dict(record["values"]), record["doubts"])
    source_id = loader.source_id(record["source"])
    shipped = loader.connection.execute(
        "SELECT 1 FROM card WHERE game = ? AND number = ? AND edition = ?", (game, number, edition)
    ).fetchone()
    if not shipped:
        loader.store.write_card(values, source_id=source_id, shipped=False)
    elif not isinstance(record["source"], str):  # it ships by now: the user's word still stands
        for column, value in values.values.items():
            write_correction(loader.connection, values, column, value, source_id)


def _read_printings(connection: sqlite3.Connection, store: Store) -> Iterator[Record]:
    for row in connection.execute(
        """SELECT card.game, number, edition, set_code, printing.source_id FROM printing
           JOIN card ON card.id = card_id WHERE printing.shipped = 0
           ORDER BY card.game, number, edition, set_code"""
    ).fetchall():
        yield {
            "card": _shown_key(row),
            "set": row["set_code"],
            "source": _source(connection, row["source_id"]),
        }


def _write_printing(loader: _Loader, record: Record) -> None:
    loader.store.write_printing(
        loader.card_id(record),
        _key(record["card"])[0],
        record["set"],
        source_id=loader.source_id(record["source"]),
        shipped=False,
    )


def _read_corrections(connection: sqlite3.Connection, store: Store) -> Iterator[Record]:
    for row in connection.execute(
        "SELECT * FROM correction ORDER BY game, number, edition, field"
    ).fetchall():
        yield {
            "card": _shown_key(row),
            "field": row["field"],
            "value": json.loads(row["value"]),
            "source": _source(connection, row["source_id"]),
        }


def _write_correction(loader: _Loader, record: Record) -> None:
    game, number, edition = loader.key(record)
    card = CardValues(game, number, edition, "", [], {})
    source_id = loader.source_id(record["source"])
    write_correction(loader.connection, card, record["field"], record["value"], source_id)


# --- the collection -------------------------------------------------------------


def _read_batches(connection: sqlite3.Connection, store: Store) -> Iterator[Record]:
    keys = {
        row["id"]: _shown_key(row)
        for row in connection.execute(
            """SELECT id, game, number, edition FROM card WHERE id IN (
                 SELECT card_id FROM entry UNION SELECT card_id FROM batch)"""
        )
    }
    entries: dict[int, list[Record]] = {}
    for row in connection.execute("SELECT * FROM entry ORDER BY id"):
        details = {name: row[name] for name in _DETAILS if row[name]}
        entry = {"card": keys[row["card_id"]], "count": row["count"], **details}
        entries.setdefault(row["batch_id"], []).append(entry)
    for row in connection.execute("SELECT * FROM batch ORDER BY id").fetchall():
        yield {
            "id": row["id"],
            "made_at": row["made_at"],
            "command": row["command"],
            "said": row["said"],
            "undoes": row["undoes"],
            "card": keys.get(row["card_id"]),
            "entries": entries.get(row["id"], []),
        }


def _write_batch(loader: _Loader, record: Record) -> None:
    about = loader.card_id(record) if record["card"] else None
    loader.connection.execute(
        "INSERT INTO batch (id, made_at, command, said, undoes, card_id) VALUES (?, ?, ?, ?, ?, ?)",
        (*(record[key] for key in ("id", "made_at", "command", "said", "undoes")), about),
    )
    loader.connection.executemany(
        f"""INSERT INTO entry (batch_id, card_id, {", ".join(_DETAILS)}, count)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        [
            (
                record["id"],
                loader.card_id(entry),
                *(entry.get(name, "") for name in _DETAILS),
                entry["count"],
            )
            for entry in record["entries"]
        ],
    )


def _read_wants(connection: sqlite3.Connection, store: Store) -> Iterator[Record]:
    for row in connection.execute(
        """SELECT game, number, edition, count FROM want JOIN card ON card.id = card_id
           ORDER BY game, number, edition"""
    ):
        yield {"card": _shown_key(row), "count": row["count"]}


def _write_want(loader: _Loader, record: Record) -> None:
    loader.connection.execute(
        """INSERT INTO want VALUES (?, ?)
           ON CONFLICT DO UPDATE SET count = max(count, excluded.count)""",
        (loader.card_id(record), record["count"]),
    )


def _read_collected(connection: sqlite3.Connection, store: Store) -> Iterator[Record]:
    for row in connection.execute("SELECT * FROM collected_set ORDER BY game, set_code"):
        yield {"game": row["game"], "set": row["set_code"]}


def _write_collected(loader: _Loader, record: Record) -> None:
    loader.connection.execute(
        "INSERT INTO collected_set VALUES (?, ?)", (record["game"], record["set"])
    )


# --- scanning -----------------------------------------------------------------


def _read_links(connection: sqlite3.Connection, store: Store) -> Iterator[Record]:
    for row in connection.execute(
        """SELECT game, number, edition, link.* FROM link JOIN card ON card.id = card_id
           ORDER BY symbology, payload, game, number, edition"""
    ):
        yield {"card": _shown_key(row), **{name: row[name] for name in _LINK_COLUMNS}}


def _write_link(loader: _Loader, record: Record) -> None:
    loader.connection.execute(
        f"""INSERT OR IGNORE INTO link (card_id, {", ".join(_LINK_COLUMNS)})
            VALUES (?, ?, ?, ?, ?)""",
        (loader.card_id(record), *(record[name] for name in _LINK_COLUMNS)),
    )


def _read_pictures(connection: sqlite3.Connection, store: Store) -> Iterator[Record]:
    reads = connection.cursor()
    for row in connection.execute("SELECT * FROM picture ORDER BY id"):
        found = reads.execute("SELECT * FROM read WHERE picture_id = ? ORDER BY id", (row["id"],))
        yield {
            **{name: row[name] for name in _PICTURE_COLUMNS},
            "reads": [_read_record(read) for read in found],
        }


def _read_record(read: sqlite3.Row) -> Record:
    record = {name: read[name] for name in _READ_COLUMNS} | {"quad": json.loads(read["quad"])}
    # A match, without its drawing, which is fifty times as long as the record. Of one that is
    # only proposed it is made again by scan photos --again; one that was answered needs none.
    if read["likeness"] is not None:
        record |= {name: read[name] for name in _MATCH_COLUMNS}
    return record


def _write_picture(loader: _Loader, record: Record) -> None:
    cursor = loader.connection.execute(
        f"INSERT INTO picture ({', '.join(_PICTURE_COLUMNS)}) VALUES (?, ?, ?, ?, ?)",
        [record[name] for name in _PICTURE_COLUMNS],
    )
    loader.connection.executemany(
        f"""INSERT INTO read (picture_id, quad, {", ".join(_READ_COLUMNS + _MATCH_COLUMNS)})
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        [
            (
                cursor.lastrowid,
                json.dumps(read["quad"]),
                *(read[name] for name in _READ_COLUMNS),
                *(read.get(name) for name in _MATCH_COLUMNS),
            )
            for read in record["reads"]
        ],
    )


_LINK_COLUMNS = ("symbology", "payload", "linked_at", "said")
_PICTURE_COLUMNS = ("sha256", "path", "scanned_at", "outcome", "reason")
_READ_COLUMNS = ("symbology", "payload", "engine", "rung", "status", "batch_id")
_MATCH_COLUMNS = ("likeness", "margin", "weakest")


# In an order in which each record finds what it names. What a later table keeps
# of the user's belongs here too.
KINDS = (
    _Kind("source", _read_sources, _write_source),
    _Kind("game", _read_games, _write_game),
    _Kind("set", _read_sets, _write_set),
    _Kind("card", _read_cards, _write_card),
    _Kind("printing", _read_printings, _write_printing),
    _Kind("correction", _read_corrections, _write_correction),
    _Kind("field source", _read_field_sources, _write_field_source),
    _Kind("import change", _read_import_changes, _write_import_change),
    _Kind("batch", _read_batches, _write_batch),
    _Kind("want", _read_wants, _write_want),
    _Kind("collected set", _read_collected, _write_collected),
    _Kind("link", _read_links, _write_link),
    _Kind("picture", _read_pictures, _write_picture),
)
_BY_NAME = {kind.name: kind for kind in KINDS}
