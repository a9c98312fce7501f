BEGIN TRANSACTION;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'hanafuda_companion','m001_scans','2026-11-24 12:25:50.465178+00:00');
CREATE TABLE corrections (
        id INTEGER PRIMARY KEY,
        scan TEXT NOT NULL REFERENCES scans (id) ON DELETE CASCADE,
        time TEXT NOT NULL,
        actor TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('corrected', 'added')),
        card_index INTEGER NOT NULL,
        card TEXT
    ) STRICT
    ;
INSERT INTO "corrections" VALUES(1,'1m86pwhf672pc','2026-11-21T19:01:00.000Z','Aki','corrected',0,'susuki-moon');
CREATE TABLE readings (
        scan TEXT PRIMARY KEY REFERENCES scans (id) ON DELETE CASCADE,
        reading TEXT NOT NULL
    ) STRICT
    ;
INSERT INTO "readings" VALUES('1m86pwhf672pc','{"width":640,"height":480,"deck":"hanafuda","cards":[{"card":"pine-crane","confidence":0.9,"quad":[[0,0],[30,0],[30,49],[0,49]],"visible":1.0,"alternatives":[],"zone":null}],"ms":{"total":12.0}}');
INSERT INTO "readings" VALUES('1m86pwhf672pd','{"width":640,"height":480,"deck":"hanafuda","cards":[{"card":"pine-crane","confidence":0.9,"quad":[[0,0],[30,0],[30,49],[0,49]],"visible":1.0,"alternatives":[],"zone":null}],"ms":{"total":12.0}}');
CREATE TABLE scans (
        id TEXT PRIMARY KEY,
        time TEXT NOT NULL,
        image TEXT NOT NULL,
        sha256 TEXT NOT NULL,
        media_type TEXT NOT NULL,
        kept INTEGER NOT NULL DEFAULT 0 CHECK (kept IN (0, 1)),
        note TEXT NOT NULL DEFAULT ''
    ) STRICT
    ;
INSERT INTO "scans" VALUES('1m86pwhf672pc','2026-11-21T19:00:00.000Z','pile.jpg','abababababababababababababababababababababababababababababababab','image/jpeg',1,'Aunt 晴子');
INSERT INTO "scans" VALUES('1m86pwhf672pd','2026-11-21T19:05:00.000Z','draft.jpg','cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd','image/png',0,'');
CREATE TABLE scores (
        id INTEGER PRIMARY KEY,
        scan TEXT NOT NULL REFERENCES scans (id) ON DELETE CASCADE,
        time TEXT NOT NULL,
        actor TEXT NOT NULL,
        game TEXT NOT NULL,
        rules_name TEXT NOT NULL,
        rules_hash TEXT NOT NULL,
        rules TEXT NOT NULL,
        month INTEGER,
        calls TEXT,
        total INTEGER NOT NULL,
        score TEXT NOT NULL
    ) STRICT
    ;
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
CREATE INDEX scans_by_evidence ON scans (sha256);
CREATE INDEX corrections_by_scan ON corrections (scan);
CREATE INDEX scores_by_scan ON scores (scan);
CREATE TRIGGER readings_are_never_changed BEFORE UPDATE ON readings BEGIN SELECT RAISE(ABORT, 'readings are never changed, only added to'); END;
CREATE TRIGGER corrections_are_never_changed BEFORE UPDATE ON corrections BEGIN SELECT RAISE(ABORT, 'corrections are never changed, only added to'); END;
CREATE TRIGGER scores_are_never_changed BEFORE UPDATE ON scores BEGIN SELECT RAISE(ABORT, 'scores are never changed, only added to'); END;
COMMIT;
