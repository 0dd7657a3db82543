"""What each version of the tables changed, in SQL.

Never edit a script that has shipped: add one. `search_key` is digideck.core.names.search_key.
"""

from __future__ import annotations

_V1 = """
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE game (
    code TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    years TEXT NOT NULL,
    definition TEXT NOT NULL CHECK (json_valid(definition))  -- its YAML file
) STRICT, WITHOUT ROWID;

CREATE TABLE format (
    code TEXT PRIMARY KEY,
    game TEXT NOT NULL REFERENCES game (code),
    title TEXT NOT NULL,
    definition TEXT NOT NULL CHECK (json_valid(definition))
) STRICT, WITHOUT ROWID;

-- Where a row is from: a citation of the shipped data, or one import.
CREATE TABLE source (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('shipped', 'import')),
    name TEXT NOT NULL,
    sha256 TEXT,
    reader TEXT,
    imported_at TEXT,
    counts TEXT CHECK (counts IS NULL OR json_valid(counts))
) STRICT;
CREATE UNIQUE INDEX source_citation ON source (name) WHERE kind = 'shipped';

CREATE TABLE card (
    id INTEGER PRIMARY KEY,
    game TEXT NOT NULL REFERENCES game (code),
    number TEXT NOT NULL,
    edition TEXT NOT NULL DEFAULT '',
    number_key TEXT NOT NULL,       -- schema.numbers.number_key
    number_sort TEXT NOT NULL,      -- schema.numbers.sort_key
    kind TEXT,                      -- NULL in this row: unknown
    level TEXT,
    limit_key TEXT,                 -- schema.names.limit_key of its first name
    fields TEXT NOT NULL CHECK (json_valid(fields)),
    shipped INTEGER NOT NULL CHECK (shipped IN (0, 1)),
    source_id INTEGER NOT NULL REFERENCES source (id),
    UNIQUE (game, number, edition)
) STRICT;
CREATE INDEX card_number ON card (number);
CREATE INDEX card_number_key ON card (number_key);

-- role: name as printed; species where only the species' name is known; also a
-- second name; alias another spelling, for finding only.
CREATE TABLE card_name (
    card_id INTEGER NOT NULL REFERENCES card (id) ON DELETE CASCADE,
    language TEXT NOT NULL CHECK (language IN ('en', 'ja', 'dub')),
    name TEXT NOT NULL,
    search_key TEXT NOT NULL,       -- schema.names.search_key
    role TEXT NOT NULL CHECK (role IN ('name', 'species', 'also', 'alias')),
    PRIMARY KEY (card_id, language, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX card_name_search ON card_name (search_key);

CREATE TABLE card_set (
    game TEXT NOT NULL REFERENCES game (code),
    code TEXT NOT NULL,
    name_en TEXT,
    name_ja TEXT,
    series TEXT,
    kind TEXT,
    released TEXT,                  -- 2007, 2007-05 or 2007-05-27
    printed INTEGER,                -- new cards; NULL: unknown
    reprints INTEGER,
    note TEXT,
    position INTEGER NOT NULL,      -- the order to list the sets in
    shipped INTEGER NOT NULL CHECK (shipped IN (0, 1)),
    source_id INTEGER NOT NULL REFERENCES source (id),
    PRIMARY KEY (game, code)
) STRICT, WITHOUT ROWID;

-- Every spelling under which a source names a set.
CREATE TABLE set_name (
    game TEXT NOT NULL,
    search_key TEXT NOT NULL,
    set_code TEXT NOT NULL,
    PRIMARY KEY (game, search_key),
    FOREIGN KEY (game, set_code) REFERENCES card_set (game, code) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE set_range (
    game TEXT NOT NULL,
    set_code TEXT NOT NULL,
    position INTEGER NOT NULL,
    name TEXT,
    first_number TEXT,
    last_number TEXT,
    cards INTEGER,
    released TEXT,
    note TEXT,
    source_id INTEGER NOT NULL REFERENCES source (id),
    PRIMARY KEY (game, set_code, position),
    FOREIGN KEY (game, set_code) REFERENCES card_set (game, code) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE printing (
    card_id INTEGER NOT NULL REFERENCES card (id) ON DELETE CASCADE,
    game TEXT NOT NULL,
    set_code TEXT NOT NULL,
    shipped INTEGER NOT NULL CHECK (shipped IN (0, 1)),
    source_id INTEGER NOT NULL REFERENCES source (id),
    PRIMARY KEY (card_id, set_code),
    FOREIGN KEY (game, set_code) REFERENCES card_set (game, code)
) STRICT, WITHOUT ROWID;
CREATE INDEX printing_set ON printing (game, set_code);

-- What a card can evolve from, for looking up the other way round: the search key
-- of a name, or a level as in "level IV". Made from the card's own field.
CREATE TABLE evolution (
    card_id INTEGER NOT NULL REFERENCES card (id) ON DELETE CASCADE,
    need TEXT NOT NULL,
    PRIMARY KEY (card_id, need)
) STRICT, WITHOUT ROWID;
CREATE INDEX evolution_need ON evolution (need);

-- What the data is not sure of: field is a column, a field of the game, or "game".
CREATE TABLE doubt (
    card_id INTEGER NOT NULL REFERENCES card (id) ON DELETE CASCADE,
    field TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (card_id, field)
) STRICT, WITHOUT ROWID;

-- What the user says of a shipped card. Kept by key, laid over every data update.
CREATE TABLE correction (
    game TEXT NOT NULL,
    number TEXT NOT NULL,
    edition TEXT NOT NULL,
    field TEXT NOT NULL,
    value TEXT NOT NULL,
    source_id INTEGER NOT NULL REFERENCES source (id),
    PRIMARY KEY (game, number, edition, field)
) STRICT, WITHOUT ROWID;
"""

# Imports that can be asked about and taken back, and games of a user's own.
_IMPORT_LOG = """
ALTER TABLE source ADD COLUMN path TEXT;    -- absolute; NULL: shipped, or read from a pipe
ALTER TABLE game ADD COLUMN source_id INTEGER REFERENCES source (id);  -- NULL: ships

-- Where a field of a user's own card is from, if not from the card's own source.
CREATE TABLE field_source (
    card_id INTEGER NOT NULL REFERENCES card (id) ON DELETE CASCADE,
    field TEXT NOT NULL,
    source_id INTEGER NOT NULL REFERENCES source (id),
    PRIMARY KEY (card_id, field)
) STRICT, WITHOUT ROWID;

-- What an import changed on cards that were there before: for taking it back.
CREATE TABLE import_change (
    source_id INTEGER NOT NULL REFERENCES source (id),
    card_id INTEGER NOT NULL REFERENCES card (id) ON DELETE CASCADE,
    field TEXT NOT NULL,
    old TEXT,                       -- JSON; NULL: unknown before
    old_source_id INTEGER,          -- the import that had said it; NULL: the card's own source
    PRIMARY KEY (source_id, card_id, field)
) STRICT, WITHOUT ROWID;
"""

_COLLECTION = """
-- What one command did to the collection: the unit of undo. Only ever added to.
CREATE TABLE batch (
    id INTEGER PRIMARY KEY,
    made_at TEXT NOT NULL,              -- UTC, 2026-11-30T10:15:00Z
    command TEXT NOT NULL,              -- add, remove, set, import, undo ...; update: of the data
    said TEXT NOT NULL,                 -- what it was about, for people
    undoes INTEGER REFERENCES batch (id),
    card_id INTEGER REFERENCES card (id)  -- what an update without entries is about
) STRICT;

-- The ledger. A blank is "not recorded". Copies that differ in any column but
-- count are told apart.
CREATE TABLE entry (
    id INTEGER PRIMARY KEY,
    batch_id INTEGER NOT NULL REFERENCES batch (id),
    card_id INTEGER NOT NULL REFERENCES card (id),
    set_code TEXT NOT NULL,
    variant TEXT NOT NULL,              -- of the printing: P1 of BT1-003_P1
    condition TEXT NOT NULL,
    language TEXT NOT NULL,
    finish TEXT NOT NULL,
    place TEXT NOT NULL,
    note TEXT NOT NULL,
    count INTEGER NOT NULL CHECK (count <> 0)
) STRICT;
CREATE INDEX entry_card ON entry (card_id);
CREATE INDEX entry_batch ON entry (batch_id);

-- The sums of the ledger, kept by the trigger below. Copies that are gone have no row.
CREATE TABLE holding (
    card_id INTEGER NOT NULL REFERENCES card (id),
    set_code TEXT NOT NULL,
    variant TEXT NOT NULL,
    condition TEXT NOT NULL,
    language TEXT NOT NULL,
    finish TEXT NOT NULL,
    place TEXT NOT NULL,
    note TEXT NOT NULL,
    count INTEGER NOT NULL CONSTRAINT holding_not_negative CHECK (count >= 0),
    PRIMARY KEY (card_id, set_code, variant, condition, language, finish, place, note)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER entry_sums AFTER INSERT ON entry BEGIN
    INSERT INTO holding VALUES (new.card_id, new.set_code, new.variant, new.condition,
                                new.language, new.finish, new.place, new.note, 0)
    ON CONFLICT DO NOTHING;
    UPDATE holding SET count = count + new.count
    WHERE card_id = new.card_id AND set_code = new.set_code AND variant = new.variant
      AND condition = new.condition AND language = new.language AND finish = new.finish
      AND place = new.place AND note = new.note;
    DELETE FROM holding WHERE count = 0 AND card_id = new.card_id;
END;

CREATE TRIGGER entry_stays BEFORE DELETE ON entry BEGIN
    SELECT RAISE(ABORT, 'entries of the ledger are never deleted');
END;
-- The card alone may change, where a data update renumbers it.
CREATE TRIGGER entry_is_final BEFORE UPDATE OF id, batch_id, set_code, variant, condition,
    language, finish, place, note, count ON entry BEGIN
    SELECT RAISE(ABORT, 'entries of the ledger are never changed');
END;
CREATE TRIGGER batch_stays BEFORE DELETE ON batch BEGIN
    SELECT RAISE(ABORT, 'batches of the ledger are never deleted');
END;

CREATE TABLE want (
    card_id INTEGER PRIMARY KEY REFERENCES card (id),
    count INTEGER NOT NULL CHECK (count > 0)
) STRICT;

-- Sets of which every card is wanted.
CREATE TABLE collected_set (
    game TEXT NOT NULL,
    set_code TEXT NOT NULL,
    PRIMARY KEY (game, set_code),
    FOREIGN KEY (game, set_code) REFERENCES card_set (game, code)
) STRICT, WITHOUT ROWID;

-- The renumberings of data/fixes/renumbered.yaml that this database has been through.
CREATE TABLE renumbered (
    position INTEGER PRIMARY KEY,
    game TEXT NOT NULL,
    old_number TEXT NOT NULL,
    old_edition TEXT NOT NULL,
    new_number TEXT NOT NULL,
    new_edition TEXT NOT NULL,
    UNIQUE (game, old_number, old_edition, new_number, new_edition)
) STRICT;
"""


_SCANNING = """
-- Which code is on which card, many to many. Never derived from the card's number.
CREATE TABLE link (
    symbology TEXT NOT NULL,            -- EAN-13 also for UPC-A and UPC-E
    payload TEXT NOT NULL,
    card_id INTEGER NOT NULL REFERENCES card (id),
    linked_at TEXT NOT NULL,            -- UTC, 2026-11-30T10:15:00Z
    said TEXT NOT NULL,                 -- how it was learnt: hand, label, review, or a file
    PRIMARY KEY (symbology, payload, card_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX link_card ON link (card_id);

-- What was scanned. The same bytes under another name are the same picture.
CREATE TABLE picture (
    id INTEGER PRIMARY KEY,
    sha256 TEXT UNIQUE,                 -- NULL: not a file that was read (a frame of a camera)
    path TEXT NOT NULL,                 -- to show; bytes that are not UTF-8 are escaped
    scanned_at TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('read', 'nothing', 'refused')),
    reason TEXT NOT NULL                -- why it was refused
) STRICT;

-- Each code read in a picture. waiting: not entered yet, linked or not; noted: seen by a
-- camera that was to enter nothing, so that review asks about it and enters nothing either.
CREATE TABLE read (
    id INTEGER PRIMARY KEY,
    picture_id INTEGER NOT NULL REFERENCES picture (id) ON DELETE CASCADE,
    symbology TEXT NOT NULL,            -- as seen
    code_kind TEXT NOT NULL GENERATED ALWAYS AS (
        CASE WHEN symbology IN ('UPC-A', 'UPC-E') THEN 'EAN-13' ELSE symbology END
    ) VIRTUAL,                          -- as links spell it
    payload TEXT NOT NULL,
    quad TEXT NOT NULL CHECK (json_valid(quad)),  -- four corners in pixels of the picture
    engine TEXT NOT NULL,
    rung TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('waiting', 'noted', 'entered', 'dismissed')),
    batch_id INTEGER REFERENCES batch (id),
    CHECK ((status = 'entered') = (batch_id IS NOT NULL))
) STRICT;
CREATE INDEX read_picture ON read (picture_id);
CREATE INDEX read_code ON read (code_kind, payload);
CREATE INDEX read_batch ON read (batch_id) WHERE batch_id IS NOT NULL;
"""

# Bars that were matched and not read: proposed until somebody says yes. SQLite cannot change
# a CHECK, so the table is written anew.
_PROPOSALS = """
ALTER TABLE read RENAME TO old_read;
CREATE TABLE read (
    id INTEGER PRIMARY KEY,
    picture_id INTEGER NOT NULL REFERENCES picture (id) ON DELETE CASCADE,
    symbology TEXT NOT NULL,            -- as seen
    code_kind TEXT NOT NULL GENERATED ALWAYS AS (
        CASE WHEN symbology IN ('UPC-A', 'UPC-E') THEN 'EAN-13' ELSE symbology END
    ) VIRTUAL,                          -- as links spell it
    payload TEXT NOT NULL,
    quad TEXT NOT NULL CHECK (json_valid(quad)),  -- four corners in pixels of the picture
    engine TEXT NOT NULL,
    rung TEXT NOT NULL,
    status TEXT NOT NULL
        CHECK (status IN ('waiting', 'noted', 'entered', 'dismissed', 'proposed')),
    batch_id INTEGER REFERENCES batch (id),
    likeness REAL,                      -- of a match; NULL: it was read
    margin REAL,                        -- its lead over the best other code
    weakest REAL,                       -- the lowest likeness anywhere along it
    drawing BLOB,                       -- a PNG of both profiles
    CHECK ((status = 'entered') = (batch_id IS NOT NULL)),
    CHECK (status <> 'proposed' OR likeness IS NOT NULL)
) STRICT;
INSERT INTO read (id, picture_id, symbology, payload, quad, engine, rung, status, batch_id)
SELECT id, picture_id, symbology, payload, quad, engine, rung, status, batch_id FROM old_read;
DROP TABLE old_read;
CREATE INDEX read_picture ON read (picture_id);
CREATE INDEX read_code ON read (code_kind, payload);
CREATE INDEX read_batch ON read (batch_id) WHERE batch_id IS NOT NULL;
"""

# Small kana count as large ones and Greek letters as their names. What is stored of a set's
# names and of needs are keys already; "level IV" is none.
_RENEWED_KEYS = """
UPDATE card_name SET search_key = search_key(name) WHERE search_key <> search_key(name);
UPDATE card SET limit_key = search_key(limit_key) WHERE limit_key IS NOT NULL;
UPDATE OR REPLACE set_name SET search_key = search_key(search_key);
UPDATE OR REPLACE evolution SET need = search_key(need) WHERE need NOT LIKE 'level %';
"""

# An underscore in a number counts as a dash.
# A card's set may follow from the order of the numbers alone: it stands until one is stated.
_INFERRED_SETS = r"""
ALTER TABLE printing ADD COLUMN inferred INTEGER NOT NULL DEFAULT 0 CHECK (inferred IN (0, 1));
CREATE VIEW in_set AS SELECT * FROM printing WHERE NOT inferred OR NOT EXISTS (
    SELECT 1 FROM printing AS stated
    WHERE stated.card_id = printing.card_id AND NOT stated.inferred);
UPDATE card SET number_key = number_key(number) WHERE number LIKE '%\_%' ESCAPE '\';
"""
# Lists that went into the collection, each with the rows that did where others were refused.
_IMPORTED_LISTS = """
CREATE TABLE imported_list (
    batch_id INTEGER PRIMARY KEY REFERENCES batch (id),
    sha256 TEXT NOT NULL,               -- of its text
    path TEXT NOT NULL,                 -- empty: standard input
    rows TEXT NOT NULL CHECK (json_valid(rows))
) STRICT;
CREATE INDEX imported_list_content ON imported_list (sha256);
"""

STEPS = {
    "m001_cards_sets_corrections": _V1,
    "m002_import_log": _IMPORT_LOG,
    "m003_collection": _COLLECTION,
    "m004_scanning": _SCANNING,
    "m005_proposals": _PROPOSALS,
    "m006_renewed_keys": _RENEWED_KEYS,
    "m007_inferred_sets": _INFERRED_SETS,
    "m008_imported_lists": _IMPORTED_LISTS,
}
