-- The tables of version 7 with a few cards, and what a user had: a card, a set and a
-- printing of their own, two corrections and a small collection. Never edit it: migrations start here.
BEGIN TRANSACTION;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'digideck','m001_cards_sets_corrections','2026-01-01T00:00:00+00:00');
INSERT INTO "_sqlite_migrations" VALUES(2,'digideck','m002_import_log','2026-01-01T00:00:00+00:00');
INSERT INTO "_sqlite_migrations" VALUES(3,'digideck','m003_collection','2026-01-01T00:00:00+00:00');
INSERT INTO "_sqlite_migrations" VALUES(4,'digideck','m004_scanning','2026-01-01T00:00:00+00:00');
INSERT INTO "_sqlite_migrations" VALUES(5,'digideck','m005_proposals','2026-01-01T00:00:00+00:00');
INSERT INTO "_sqlite_migrations" VALUES(6,'digideck','m006_renewed_keys','2026-01-01T00:00:00+00:00');
INSERT INTO "_sqlite_migrations" VALUES(7,'digideck','m007_inferred_sets','2026-01-01T00:00:00+00:00');
CREATE TABLE batch (
    id INTEGER PRIMARY KEY,
    made_at TEXT NOT NULL,              -- UTC, 2026-11-30T10:15:00Z
    command TEXT NOT NULL,              -- add, remove, set, import, undo ...; update: of the data
    said TEXT NOT NULL,                 -- what it was about, for people
    undoes INTEGER REFERENCES batch (id),
    card_id INTEGER REFERENCES card (id)  -- what an update without entries is about
) STRICT;
INSERT INTO "batch" VALUES(1,'2026-01-01T00:00:00Z','add','St-1 Agumon',NULL,NULL);
INSERT INTO "batch" VALUES(2,'2026-01-01T00:00:00Z','add','Dα-065 Shamamon',NULL,NULL);
INSERT INTO "batch" VALUES(3,'2026-01-01T00:00:00Z','remove','Dα-065 Shamamon',NULL,NULL);
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
INSERT INTO "card" VALUES(248,'alpha','DM02-095','','dm2-95','dm000002-000095','Digimon','Ultimate','shinegreymon','{"attack_a": 1120, "attribute": "Vaccine", "battle_type": "B", "cost": 7, "evolves_from": ["Rize Greymon", "Wingdramon", "Groundramon"], "field": "Dragon''s Roar", "hp": 1230, "level_source": "card", "speed": 2, "support": "one source", "type": "Light Dragon"}',1,213);
INSERT INTO "card" VALUES(249,'alpha','DM02-095','asia','dm2-95','dm000002-000095','Digimon','Ultimate','belphemonragemode','{"evolves_from": ["Astamon", "Black Megalo Growmon", "Megalo Growmon (Orange)"], "level_source": "species, wiki", "support": "one source"}',1,148);
INSERT INTO "card" VALUES(358,'alpha','Dα-065','','da65','dα-000065','Digimon','III','shamamon','{"attack_a": 440, "attack_b": 350, "attack_c": 250, "attribute": "Virus", "battle_type": "B", "cost": 1, "evolves_as": ["Goburimon"], "field": "Nightmare Soldiers", "hp": 390, "level_source": "card", "speed": 5, "support": "one source", "type": "Oni"}',1,275);
INSERT INTO "card" VALUES(788,'alpha','Dα-592','','da592','dα-000592','Digimon','Ultimate','examon','{"evolves_from": ["Breakdramon [with Slayerdramon]", "Groundramon", "Slayerdramon [with Breakdramon]", "Wingdramon"], "level_source": "species, two sources", "support": "two sources"}',1,539);
INSERT INTO "card" VALUES(871,'dccg','DM-035','','dm35','dm-000035','Digimon','Rookie','agumon','{"attribute": "Vaccine", "gigapower": false, "group": "Reptile"}',1,3);
INSERT INTO "card" VALUES(879,'dccg','DM-043','','dm43','dm-000043','Digimon','Rookie','agumon','{"attribute": "Vaccine", "group": "Reptile"}',1,3);
INSERT INTO "card" VALUES(6034,'hyper-colosseum','St-1','','st1','st-000001','Digimon','III','agumon','{"attack_a": 360, "attack_b": 230, "attack_c": 160, "attribute": "Vaccine", "battle_type": "A", "field": "NSp", "frame": "Blue", "lost_points": "10/10/10/10", "type": "Reptile"}',1,554);
INSERT INTO "card" VALUES(6077,'hyper-colosseum','St-44','','st44','st-000044','Digimon','IV','wizarmon','{"attack_a": 481, "attack_b": 360, "attack_c": 200, "attribute": "Data", "battle_type": "B", "evolves_from": ["Bakumon + XX", "Pico Devimon + X", "Candmon + X"], "field": "NSo", "frame": "Blue", "lost_points": "20/10/10/10", "type": "Demon Man"}',1,555);
INSERT INTO "card" VALUES(9113,'alpha','Dα-002','','da2','dα-000002','Digimon','II','yukimibotamon','{}',0,594);
CREATE TABLE card_name (
    card_id INTEGER NOT NULL REFERENCES card (id) ON DELETE CASCADE,
    language TEXT NOT NULL CHECK (language IN ('en', 'ja', 'dub')),
    name TEXT NOT NULL,
    search_key TEXT NOT NULL,       -- schema.names.search_key
    role TEXT NOT NULL CHECK (role IN ('name', 'species', 'also', 'alias')),
    PRIMARY KEY (card_id, language, name)
) STRICT, WITHOUT ROWID;
INSERT INTO "card_name" VALUES(248,'dub','ShineGreymon','shinegreymon','name');
INSERT INTO "card_name" VALUES(248,'en','Shine Greymon','shinegreymon','name');
INSERT INTO "card_name" VALUES(248,'ja','シャイングレイモン','シヤイングレイモン','species');
INSERT INTO "card_name" VALUES(249,'dub','Belphemon Rage Mode','belphemonragemode','name');
INSERT INTO "card_name" VALUES(249,'en','Belphemon: Rage Mode','belphemonragemode','name');
INSERT INTO "card_name" VALUES(249,'ja','ベルフェモンレイジモード','ベルフエモンレイジモード','species');
INSERT INTO "card_name" VALUES(358,'en','Shamamon','shamamon','name');
INSERT INTO "card_name" VALUES(358,'ja','シャーマモン','シヤーマモン','species');
INSERT INTO "card_name" VALUES(788,'dub','Examon','examon','name');
INSERT INTO "card_name" VALUES(788,'en','Examon','examon','name');
INSERT INTO "card_name" VALUES(788,'ja','エグザモン','エグザモン','species');
INSERT INTO "card_name" VALUES(871,'en','Agumon','agumon','name');
INSERT INTO "card_name" VALUES(879,'en','Agumon','agumon','name');
INSERT INTO "card_name" VALUES(6034,'dub','Agumon','agumon','name');
INSERT INTO "card_name" VALUES(6034,'en','Agumon','agumon','name');
INSERT INTO "card_name" VALUES(6034,'ja','アグモン','アグモン','name');
INSERT INTO "card_name" VALUES(6077,'en','Wizardmon','wizardmon','alias');
INSERT INTO "card_name" VALUES(6077,'en','Wizarmon','wizarmon','name');
INSERT INTO "card_name" VALUES(6077,'ja','ウィザーモン','ウイザーモン','name');
INSERT INTO "card_name" VALUES(9113,'en','Yukimibotamon','yukimibotamon','name');
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
INSERT INTO "card_set" VALUES('alpha','AE2','Alpha Evolve 2','デジタルモンスターカードゲームα Evolve.2','alpha',NULL,'2006-07-14',81,NULL,NULL,1,1,1);
INSERT INTO "card_set" VALUES('alpha','AE8','Alpha Evolve 8 The Four Holy Beasts'' Reign Compilation','デジタルモンスターカードゲームα Evolve.8 四聖獣君臨編','alpha',NULL,'2008-01-24',42,NULL,NULL,8,1,1);
INSERT INTO "card_set" VALUES('alpha','BT02-3','Battle Terminal 02 Version 3','デジモンバトルターミナル０２ 第３弾','battle-terminal-02',NULL,'2007-12-20',55,NULL,NULL,18,1,1);
INSERT INTO "card_set" VALUES('alpha','My box',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,25,0,594);
INSERT INTO "card_set" VALUES('dccg','starter-2','Starter Set 2',NULL,NULL,'starter','2004',49,NULL,'card list complete per digimoncard.io; quantities not found',1,1,3);
INSERT INTO "card_set" VALUES('hyper-colosseum','St1','Starter Ver. 1','スターター1',NULL,'starter','1999-06',60,NULL,NULL,0,1,30);
INSERT INTO "card_set" VALUES('hyper-colosseum','St2','Starter Ver. 2','スターター2',NULL,'starter','1999-11',51,9,NULL,1,1,31);
CREATE TABLE collected_set (
    game TEXT NOT NULL,
    set_code TEXT NOT NULL,
    PRIMARY KEY (game, set_code),
    FOREIGN KEY (game, set_code) REFERENCES card_set (game, code)
) STRICT, WITHOUT ROWID;
CREATE TABLE correction (
    game TEXT NOT NULL,
    number TEXT NOT NULL,
    edition TEXT NOT NULL,
    field TEXT NOT NULL,
    value TEXT NOT NULL,
    source_id INTEGER NOT NULL REFERENCES source (id),
    PRIMARY KEY (game, number, edition, field)
) STRICT, WITHOUT ROWID;
INSERT INTO "correction" VALUES('dccg','DM-035','','gigapower','false',596);
INSERT INTO "correction" VALUES('hyper-colosseum','St-44','','attack_a','481',597);
CREATE TABLE doubt (
    card_id INTEGER NOT NULL REFERENCES card (id) ON DELETE CASCADE,
    field TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (card_id, field)
) STRICT, WITHOUT ROWID;
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
INSERT INTO "entry" VALUES(1,1,6034,'','','NM','','','','',3);
INSERT INTO "entry" VALUES(2,2,358,'','','','','','','',2);
INSERT INTO "entry" VALUES(3,3,358,'','','','','','','',-1);
CREATE TABLE evolution (
    card_id INTEGER NOT NULL REFERENCES card (id) ON DELETE CASCADE,
    need TEXT NOT NULL,
    PRIMARY KEY (card_id, need)
) STRICT, WITHOUT ROWID;
INSERT INTO "evolution" VALUES(249,'astamon');
INSERT INTO "evolution" VALUES(6077,'bakumon');
INSERT INTO "evolution" VALUES(249,'blackmegalogrowmon');
INSERT INTO "evolution" VALUES(788,'breakdramon');
INSERT INTO "evolution" VALUES(6077,'candmon');
INSERT INTO "evolution" VALUES(248,'groundramon');
INSERT INTO "evolution" VALUES(788,'groundramon');
INSERT INTO "evolution" VALUES(249,'megalogrowmon');
INSERT INTO "evolution" VALUES(249,'megalogrowmonorange');
INSERT INTO "evolution" VALUES(6077,'picodevimon');
INSERT INTO "evolution" VALUES(248,'rizegreymon');
INSERT INTO "evolution" VALUES(788,'slayerdramon');
INSERT INTO "evolution" VALUES(248,'wingdramon');
INSERT INTO "evolution" VALUES(788,'wingdramon');
CREATE TABLE field_source (
    card_id INTEGER NOT NULL REFERENCES card (id) ON DELETE CASCADE,
    field TEXT NOT NULL,
    source_id INTEGER NOT NULL REFERENCES source (id),
    PRIMARY KEY (card_id, field)
) STRICT, WITHOUT ROWID;
CREATE TABLE format (
    code TEXT PRIMARY KEY,
    game TEXT NOT NULL REFERENCES game (code),
    title TEXT NOT NULL,
    definition TEXT NOT NULL CHECK (json_valid(definition))
) STRICT, WITHOUT ROWID;
CREATE TABLE game (
    code TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    years TEXT NOT NULL,
    definition TEXT NOT NULL CHECK (json_valid(definition))  -- its YAML file
, source_id INTEGER REFERENCES source (id)) STRICT, WITHOUT ROWID;
INSERT INTO "game" VALUES('alpha','Digital Monster Card Game Alpha','2006-2008','{}',NULL);
INSERT INTO "game" VALUES('dccg','Digimon Collectible Card Game (2004)','2004','{}',NULL);
INSERT INTO "game" VALUES('dcg','Digimon Card Game (2020)','2020-','{}',NULL);
INSERT INTO "game" VALUES('digi-battle','Digimon Digi-Battle Card Game','1999-2002','{}',NULL);
INSERT INTO "game" VALUES('hyper-colosseum','Digital Monster Card Game (1999)','1999-2005, with later reissues','{}',NULL);
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
INSERT INTO "holding" VALUES(358,'','','','','','','',1);
INSERT INTO "holding" VALUES(6034,'','','NM','','','','',3);
CREATE TABLE import_change (
    source_id INTEGER NOT NULL REFERENCES source (id),
    card_id INTEGER NOT NULL REFERENCES card (id) ON DELETE CASCADE,
    field TEXT NOT NULL,
    old TEXT,                       -- JSON; NULL: unknown before
    old_source_id INTEGER,          -- the import that had said it; NULL: the card's own source
    PRIMARY KEY (source_id, card_id, field)
) STRICT, WITHOUT ROWID;
INSERT INTO "import_change" VALUES(596,871,'gigapower',NULL,NULL);
INSERT INTO "import_change" VALUES(597,6077,'attack_a','480',NULL);
CREATE TABLE link (
    symbology TEXT NOT NULL,            -- EAN-13 also for UPC-A and UPC-E
    payload TEXT NOT NULL,
    card_id INTEGER NOT NULL REFERENCES card (id),
    linked_at TEXT NOT NULL,            -- UTC, 2026-11-30T10:15:00Z
    said TEXT NOT NULL,                 -- how it was learnt: hand, label, review, or a file
    PRIMARY KEY (symbology, payload, card_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO "meta" VALUES('data_version','an earlier data set');
CREATE TABLE picture (
    id INTEGER PRIMARY KEY,
    sha256 TEXT UNIQUE,                 -- NULL: not a file that was read (a frame of a camera)
    path TEXT NOT NULL,                 -- to show; bytes that are not UTF-8 are escaped
    scanned_at TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('read', 'nothing', 'refused')),
    reason TEXT NOT NULL                -- why it was refused
) STRICT;
CREATE TABLE printing (
    card_id INTEGER NOT NULL REFERENCES card (id) ON DELETE CASCADE,
    game TEXT NOT NULL,
    set_code TEXT NOT NULL,
    shipped INTEGER NOT NULL CHECK (shipped IN (0, 1)),
    source_id INTEGER NOT NULL REFERENCES source (id), inferred INTEGER NOT NULL DEFAULT 0 CHECK (inferred IN (0, 1)),
    PRIMARY KEY (card_id, set_code),
    FOREIGN KEY (game, set_code) REFERENCES card_set (game, code)
) STRICT, WITHOUT ROWID;
INSERT INTO "printing" VALUES(248,'alpha','BT02-3',1,214,1);
INSERT INTO "printing" VALUES(358,'alpha','AE2',1,275,0);
INSERT INTO "printing" VALUES(788,'alpha','AE8',0,595,0);
INSERT INTO "printing" VALUES(871,'dccg','starter-2',1,3,0);
INSERT INTO "printing" VALUES(879,'dccg','starter-2',1,3,0);
INSERT INTO "printing" VALUES(6034,'hyper-colosseum','St1',1,554,0);
INSERT INTO "printing" VALUES(6034,'hyper-colosseum','St2',1,554,0);
INSERT INTO "printing" VALUES(6077,'hyper-colosseum','St1',1,555,0);
INSERT INTO "printing" VALUES(9113,'alpha','My box',0,594,0);
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
CREATE TABLE renumbered (
    position INTEGER PRIMARY KEY,
    game TEXT NOT NULL,
    old_number TEXT NOT NULL,
    old_edition TEXT NOT NULL,
    new_number TEXT NOT NULL,
    new_edition TEXT NOT NULL,
    UNIQUE (game, old_number, old_edition, new_number, new_edition)
) STRICT;
CREATE TABLE set_name (
    game TEXT NOT NULL,
    search_key TEXT NOT NULL,
    set_code TEXT NOT NULL,
    PRIMARY KEY (game, search_key),
    FOREIGN KEY (game, set_code) REFERENCES card_set (game, code) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO "set_name" VALUES('alpha','ae2','AE2');
INSERT INTO "set_name" VALUES('alpha','ae8','AE8');
INSERT INTO "set_name" VALUES('alpha','alphaevolve2','AE2');
INSERT INTO "set_name" VALUES('alpha','alphaevolve8','AE8');
INSERT INTO "set_name" VALUES('alpha','alphaevolve8thefourholybeastsreigncompilation','AE8');
INSERT INTO "set_name" VALUES('alpha','alphaevolveii','AE2');
INSERT INTO "set_name" VALUES('alpha','alphaevolveviii','AE8');
INSERT INTO "set_name" VALUES('alpha','battleterminal023','BT02-3');
INSERT INTO "set_name" VALUES('alpha','battleterminal02set3','BT02-3');
INSERT INTO "set_name" VALUES('alpha','battleterminal02ver3','BT02-3');
INSERT INTO "set_name" VALUES('alpha','battleterminal02version3','BT02-3');
INSERT INTO "set_name" VALUES('alpha','bt0203','BT02-3');
INSERT INTO "set_name" VALUES('alpha','bt023','BT02-3');
INSERT INTO "set_name" VALUES('alpha','evolve2','AE2');
INSERT INTO "set_name" VALUES('alpha','evolve8','AE8');
INSERT INTO "set_name" VALUES('alpha','evolveii','AE2');
INSERT INTO "set_name" VALUES('alpha','evolveviii','AE8');
INSERT INTO "set_name" VALUES('alpha','mybox','My box');
INSERT INTO "set_name" VALUES('alpha','アルフアエボリユーシヨン2','AE2');
INSERT INTO "set_name" VALUES('alpha','アルフアエボリユーシヨン8','AE8');
INSERT INTO "set_name" VALUES('alpha','デジタルモンスターカードゲームalphaevolve2','AE2');
INSERT INTO "set_name" VALUES('alpha','デジタルモンスターカードゲームalphaevolve8四聖獣君臨編','AE8');
INSERT INTO "set_name" VALUES('alpha','デジモンバトルターミナル02第3弾','BT02-3');
INSERT INTO "set_name" VALUES('dccg','digimoncollectiblecardgamestarterset2','starter-2');
INSERT INTO "set_name" VALUES('dccg','starter2','starter-2');
INSERT INTO "set_name" VALUES('dccg','starterset2','starter-2');
INSERT INTO "set_name" VALUES('hyper-colosseum','st1','St1');
INSERT INTO "set_name" VALUES('hyper-colosseum','st2','St2');
INSERT INTO "set_name" VALUES('hyper-colosseum','starterver1','St1');
INSERT INTO "set_name" VALUES('hyper-colosseum','starterver2','St2');
INSERT INTO "set_name" VALUES('hyper-colosseum','スターター1','St1');
INSERT INTO "set_name" VALUES('hyper-colosseum','スターター2','St2');
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
CREATE TABLE source (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('shipped', 'import')),
    name TEXT NOT NULL,
    sha256 TEXT,
    reader TEXT,
    imported_at TEXT,
    counts TEXT CHECK (counts IS NULL OR json_valid(counts))
, path TEXT) STRICT;
INSERT INTO "source" VALUES(1,'shipped','wikimon.net, Digital Monster Card Game Alpha, table of sets',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "source" VALUES(3,'shipped','https://github.com/dragogodev/cgs/blob/4b9cdd7a0440d8b50d75754ea1b91389d4edd74e/Digimon/AllCards.json',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "source" VALUES(30,'shipped','https://cardgame.zonosite.com/?p=3745 ; https://github.com/maxold1985/dgmon-ocg/blob/mainn/data/README.md ; https://github.com/RosaZhang/DMHC/blob/master/sets/CardDataSt1.txt',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "source" VALUES(31,'shipped','https://cardgame.zonosite.com/?p=3745 ; https://github.com/maxold1985/dgmon-ocg/blob/mainn/data/README.md ; https://github.com/RosaZhang/DMHC/blob/master/sets/CardDataSt2.txt',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "source" VALUES(148,'shipped','https://wikimon.net/Belphemon%3A_Rage_Mode (evolution reference; github.com/Arc293/digidex@cd17aa3:evo_list_no_fusion.json)',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "source" VALUES(213,'shipped','https://wikimon.net/Digital_Monster_Card_Game_Alpha (example card in rules page; cost/speed/HP/A/level/type/attribute/field are the page''s running examples for this card) | https://wikimon.net/Shine_Greymon (evolution reference; github.com/Arc293/digidex@cd17aa3:evo_list_no_fusion.json)',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "source" VALUES(214,'shipped','inferred: between DM02-094 and DM02-096, both in the set, and all sets known run in the order of the numbers',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "source" VALUES(275,'shipped','https://wikimon.net/D%CE%B1-065 (full wikitext in github.com/Arc293/digidex@cd17aa3:non_digimon_list.json)',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "source" VALUES(539,'shipped','https://wikimon.net/Examon (evolution reference; github.com/Arc293/digidex@cd17aa3:evo_list_no_fusion.json) | https://digimon.fandom.com/wiki/Examon (cards list; github.com/Arc293/digidex@cd17aa3:digi_list_2.json)',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "source" VALUES(554,'shipped','https://github.com/RosaZhang/DMHC/blob/master/sets/CardDataSt1.txt ; set St2: wikimon Starter_Ver._2 (github.com/maxold1985/dgmon-ocg, data/starter_set_index.csv)',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "source" VALUES(555,'shipped','https://github.com/RosaZhang/DMHC/blob/master/sets/CardDataSt1.txt',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "source" VALUES(594,'import','<stdin>','21d00d12084b23a368bd0736f2706383a4ce85adb6ead5387cecb6226b541bc9','csv','2026-01-01T00:00:00Z','{"read": 1, "added": 1, "printings": 1}',NULL);
INSERT INTO "source" VALUES(595,'import','<stdin>','2f50e101270503bdf56733aa226ee1deb8e81646248c179dd87646856cba2483','csv','2026-01-01T00:00:00Z','{"kept": 0, "read": 1, "changed": 1, "printings": 1}',NULL);
INSERT INTO "source" VALUES(596,'import','<stdin>','bde92dae7c7d303099b1ab7a341912a81aa865fcd4201557d077dc2851d36399','csv','2026-01-01T00:00:00Z','{"kept": 0, "read": 1, "changed": 1, "printings": 0}',NULL);
INSERT INTO "source" VALUES(597,'import','<stdin>','545ab83de0c32535693d084815bdbc2e2f88d35896c338c4a739f0d04c3671a4','csv','2026-01-01T00:00:00Z','{"kept": 0, "read": 1, "changed": 1, "printings": 0}',NULL);
CREATE TABLE want (
    card_id INTEGER PRIMARY KEY REFERENCES card (id),
    count INTEGER NOT NULL CHECK (count > 0)
) STRICT;
INSERT INTO "want" VALUES(6077,2);
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
CREATE UNIQUE INDEX source_citation ON source (name) WHERE kind = 'shipped';
CREATE INDEX card_number ON card (number);
CREATE INDEX card_number_key ON card (number_key);
CREATE INDEX card_name_search ON card_name (search_key);
CREATE INDEX printing_set ON printing (game, set_code);
CREATE INDEX evolution_need ON evolution (need);
CREATE INDEX entry_card ON entry (card_id);
CREATE INDEX entry_batch ON entry (batch_id);
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
CREATE TRIGGER entry_is_final BEFORE UPDATE OF id, batch_id, set_code, variant, condition,
    language, finish, place, note, count ON entry BEGIN
    SELECT RAISE(ABORT, 'entries of the ledger are never changed');
END;
CREATE TRIGGER batch_stays BEFORE DELETE ON batch BEGIN
    SELECT RAISE(ABORT, 'batches of the ledger are never deleted');
END;
CREATE INDEX link_card ON link (card_id);
CREATE INDEX read_picture ON read (picture_id);
CREATE INDEX read_code ON read (code_kind, payload);
CREATE INDEX read_batch ON read (batch_id) WHERE batch_id IS NOT NULL;
CREATE VIEW in_set AS SELECT * FROM printing WHERE NOT inferred OR NOT EXISTS (
    SELECT 1 FROM printing AS stated
    WHERE stated.card_id = printing.card_id AND NOT stated.inferred);
COMMIT;
PRAGMA application_id = 1145521227;
PRAGMA user_version = 7;
