BEGIN TRANSACTION;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'hanafuda_companion','m001_scans','2026-11-24 12:25:50.573570+00:00');
INSERT INTO "_sqlite_migrations" VALUES(2,'hanafuda_companion','m002_house_rules','2026-11-24 12:25:50.574266+00:00');
INSERT INTO "_sqlite_migrations" VALUES(3,'hanafuda_companion','m003_tables','2026-11-24 12:25:50.575006+00:00');
INSERT INTO "_sqlite_migrations" VALUES(4,'hanafuda_companion','m004_pairings','2026-11-24 12:25:50.575511+00:00');
INSERT INTO "_sqlite_migrations" VALUES(5,'hanafuda_companion','m005_scan_owner','2026-11-24 13:14:18.331061+00:00');
INSERT INTO "_sqlite_migrations" VALUES(6,'hanafuda_companion','m006_table_activity','2026-11-25 03:24:43.411082+00:00');
INSERT INTO "_sqlite_migrations" VALUES(7,'hanafuda_companion','m007_nights','2026-11-25 07:01:25.943389+00:00');
INSERT INTO "_sqlite_migrations" VALUES(8,'hanafuda_companion','m008_statistics','2026-11-25 07:43:53.173465+00:00');
INSERT INTO "_sqlite_migrations" VALUES(9,'hanafuda_companion','m009_rules_of_rounds','2026-11-25 12:23:23.583410+00:00');
INSERT INTO "_sqlite_migrations" VALUES(10,'hanafuda_companion','m010_disputes','2026-11-25 12:34:10.917766+00:00');
INSERT INTO "_sqlite_migrations" VALUES(11,'hanafuda_companion','m011_people','2026-11-25 22:57:48.979997+00:00');
INSERT INTO "_sqlite_migrations" VALUES(12,'hanafuda_companion','m012_results','2026-11-25 23:51:57.960379+00:00');
CREATE TABLE access_values (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
INSERT INTO "access_values" VALUES('key','a-signing-key');
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
CREATE TABLE house_rules (
            id INTEGER PRIMARY KEY,
            time TEXT NOT NULL,
            actor TEXT NOT NULL,
            name TEXT NOT NULL,
            folded TEXT NOT NULL,
            code TEXT
        ) STRICT
        ;
INSERT INTO "house_rules" VALUES(1,'2026-11-21T19:00:00.000Z','Aki','House','house','K1CNTE');
CREATE TABLE invitations (
            id INTEGER PRIMARY KEY,
            code_hash TEXT NOT NULL UNIQUE,
            pin_hash TEXT,
            role TEXT NOT NULL CHECK (role IN ('viewer', 'scorer', 'host', 'camera', 'device')),
            name TEXT,
            seat INTEGER,
            table_id TEXT,
            uses INTEGER NOT NULL CHECK (uses >= 0),
            expires TEXT NOT NULL,
            at_start INTEGER NOT NULL CHECK (at_start IN (0, 1))
        ) STRICT
        ;
CREATE TABLE night_disputes (
        table_id TEXT NOT NULL REFERENCES night_games (table_id),
        seq INTEGER NOT NULL,
        night_id TEXT NOT NULL,
        round INTEGER,
        time TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('open', 'agreed', 'ruled', 'withdrawn')),
        verdict TEXT CHECK (verdict IN ('stands', 'changed')),
        player TEXT NOT NULL,
        text TEXT NOT NULL,
        says TEXT NOT NULL,
        PRIMARY KEY (table_id, seq)
    ) STRICT
    ;
CREATE TABLE night_games (
        table_id TEXT PRIMARY KEY,
        night_id TEXT NOT NULL,
        seq INTEGER NOT NULL,
        name TEXT,
        game TEXT NOT NULL,
        rules_name TEXT NOT NULL,
        rules_hash TEXT NOT NULL,
        deck TEXT,
        opened TEXT NOT NULL,
        ended TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('open', 'closed', 'deleted')),
        over INTEGER NOT NULL CHECK (over IN (0, 1)),
        rounds_of INTEGER
    , played INTEGER NOT NULL DEFAULT 0) STRICT
    ;
CREATE TABLE night_people (player TEXT PRIMARY KEY, name TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE night_round_seats (
        table_id TEXT NOT NULL,
        round INTEGER NOT NULL,
        seat INTEGER NOT NULL,
        player TEXT NOT NULL,
        points INTEGER NOT NULL,
        won INTEGER NOT NULL CHECK (won IN (0, 1)),
        calls INTEGER NOT NULL, brights INTEGER, night_id TEXT NOT NULL DEFAULT '', time TEXT NOT NULL DEFAULT '', game TEXT NOT NULL DEFAULT '', rules_name TEXT NOT NULL DEFAULT '',
        PRIMARY KEY (table_id, round, seat),
        FOREIGN KEY (table_id, round) REFERENCES night_rounds (table_id, round)
    ) STRICT
    ;
CREATE TABLE night_rounds (
        table_id TEXT NOT NULL REFERENCES night_games (table_id),
        round INTEGER NOT NULL,
        time TEXT NOT NULL,
        dealer INTEGER NOT NULL,
        month INTEGER,
        how TEXT NOT NULL,
        why TEXT NOT NULL, rules_name TEXT NOT NULL DEFAULT '', rules_hash TEXT NOT NULL DEFAULT '',
        PRIMARY KEY (table_id, round)
    ) STRICT
    ;
CREATE TABLE night_seats (
        table_id TEXT NOT NULL REFERENCES night_games (table_id),
        seat INTEGER NOT NULL,
        player TEXT NOT NULL,
        points INTEGER NOT NULL,
        won INTEGER NOT NULL CHECK (won IN (0, 1)), name TEXT NOT NULL DEFAULT '', recorded TEXT NOT NULL DEFAULT '',
        PRIMARY KEY (table_id, seat)
    ) STRICT
    ;
CREATE TABLE night_state (people INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO "night_state" VALUES(0);
CREATE TABLE night_yaku (
        table_id TEXT NOT NULL,
        round INTEGER NOT NULL,
        seat INTEGER NOT NULL,
        position INTEGER NOT NULL,
        yaku TEXT NOT NULL,
        points INTEGER NOT NULL,
        PRIMARY KEY (table_id, round, seat, position),
        FOREIGN KEY (table_id, round, seat) REFERENCES night_round_seats (table_id, round, seat)
    ) STRICT
    ;
CREATE TABLE pairings (
            id TEXT PRIMARY KEY,
            role TEXT NOT NULL CHECK (role IN ('viewer', 'scorer', 'host', 'camera', 'device')),
            name TEXT NOT NULL,
            seat INTEGER,
            table_id TEXT,
            since TEXT NOT NULL,
            seen TEXT NOT NULL
        ) STRICT
        ;
INSERT INTO "pairings" VALUES('p1','scorer','Aki',1,'aaaaaa','2026-11-21T19:00:00Z','2026-11-21T19:30:00Z');
CREATE TABLE people_events (
        id TEXT NOT NULL UNIQUE,
        time TEXT NOT NULL,
        actor TEXT NOT NULL,
        kind TEXT NOT NULL,
        data TEXT NOT NULL
    ) STRICT
    ;
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
    , owner TEXT, address TEXT, size INTEGER) STRICT
    ;
INSERT INTO "scans" VALUES('1m86pwhf672pc','2026-11-21T19:00:00.000Z','pile.jpg','abababababababababababababababababababababababababababababababab','image/jpeg',1,'Aunt 晴子',NULL,NULL,NULL);
INSERT INTO "scans" VALUES('1m86pwhf672pd','2026-11-21T19:05:00.000Z','draft.jpg','cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd','image/png',0,'',NULL,NULL,NULL);
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
CREATE TABLE table_activity (
            table_id TEXT PRIMARY KEY,
            opened INTEGER NOT NULL,
            changed INTEGER NOT NULL
        , results INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID
        ;
INSERT INTO "table_activity" VALUES('aaaaaa',2,2,5);
INSERT INTO "table_activity" VALUES('bbbbbb',1,1,5);
CREATE TABLE table_events (
            table_id TEXT NOT NULL,
            seq INTEGER NOT NULL CHECK (seq >= 1),
            "group" INTEGER NOT NULL CHECK ("group" BETWEEN 1 AND seq),
            time TEXT NOT NULL,
            actor TEXT NOT NULL,
            source TEXT NOT NULL,
            kind TEXT NOT NULL,
            data TEXT NOT NULL,
            confidence REAL NOT NULL,
            evidence TEXT,
            key TEXT,
            PRIMARY KEY (table_id, seq)
        ) STRICT, WITHOUT ROWID
        ;
INSERT INTO "table_events" VALUES('aaaaaa',1,1,'2026-11-21T19:00:00.000Z','this machine','phone','opened','{"id":"aaaaaa","game":"koikoi","rules":{"game":"koikoi"},"players":["Aiko","Ben"]}',1.0,NULL,NULL);
INSERT INTO "table_events" VALUES('aaaaaa',2,2,'2026-11-21T19:00:00.000Z','Aki','phone','seated','{"seat":1,"name":"晴子"}',1.0,'abababababababababababababababababababababababababababababababab.jpg','k1');
INSERT INTO "table_events" VALUES('bbbbbb',1,1,'2026-11-20T19:00:00.000Z','this machine','phone','opened','{"id":"bbbbbb","game":"koikoi","rules":{"game":"koikoi"},"players":["Aiko","Ben"]}',1.0,NULL,NULL);
INSERT INTO "table_events" VALUES('bbbbbb',2,2,'2026-11-20T19:00:00.000Z','Aki','phone','seated','{"seat":1,"name":"晴子"}',1.0,'abababababababababababababababababababababababababababababababab.jpg','k1');
CREATE TABLE table_pictures (
            sha256 TEXT NOT NULL,
            table_id TEXT NOT NULL,
            seq INTEGER NOT NULL,
            PRIMARY KEY (sha256, table_id, seq),
            FOREIGN KEY (table_id, seq) REFERENCES table_events (table_id, seq)
        ) STRICT, WITHOUT ROWID
        ;
INSERT INTO "table_pictures" VALUES('abababababababababababababababababababababababababababababababab','aaaaaa',2);
INSERT INTO "table_pictures" VALUES('abababababababababababababababababababababababababababababababab','bbbbbb',2);
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
CREATE INDEX scans_by_evidence ON scans (sha256);
CREATE INDEX corrections_by_scan ON corrections (scan);
CREATE INDEX scores_by_scan ON scores (scan);
CREATE TRIGGER readings_are_never_changed BEFORE UPDATE ON readings BEGIN SELECT RAISE(ABORT, 'readings are never changed, only added to'); END;
CREATE TRIGGER corrections_are_never_changed BEFORE UPDATE ON corrections BEGIN SELECT RAISE(ABORT, 'corrections are never changed, only added to'); END;
CREATE TRIGGER scores_are_never_changed BEFORE UPDATE ON scores BEGIN SELECT RAISE(ABORT, 'scores are never changed, only added to'); END;
CREATE INDEX house_rules_by_name ON house_rules (folded, id);
CREATE TRIGGER house_rules_are_never_changed_by_update BEFORE UPDATE ON house_rules BEGIN SELECT RAISE(ABORT, 'house_rules are never changed, only added to'); END;
CREATE TRIGGER house_rules_are_never_changed_by_delete BEFORE DELETE ON house_rules BEGIN SELECT RAISE(ABORT, 'house_rules are never changed, only added to'); END;
CREATE UNIQUE INDEX table_events_by_key ON table_events (table_id, key) WHERE key IS NOT NULL;
CREATE INDEX table_events_opened ON table_events (time) WHERE seq = 1;
CREATE TRIGGER table_events_are_never_changed_by_update BEFORE UPDATE ON table_events BEGIN SELECT RAISE(ABORT, 'table_events are never changed, only added to'); END;
CREATE TRIGGER table_events_are_never_changed_by_delete BEFORE DELETE ON table_events BEGIN SELECT RAISE(ABORT, 'table_events are never changed, only added to'); END;
CREATE TRIGGER table_pictures_are_never_changed_by_update BEFORE UPDATE ON table_pictures BEGIN SELECT RAISE(ABORT, 'table_pictures are never changed, only added to'); END;
CREATE TRIGGER table_pictures_are_never_changed_by_delete BEFORE DELETE ON table_pictures BEGIN SELECT RAISE(ABORT, 'table_pictures are never changed, only added to'); END;
CREATE TRIGGER table_events_have_no_gap BEFORE INSERT ON table_events
        WHEN NEW.seq <> 1 + (SELECT coalesce(max(seq), 0) FROM table_events WHERE table_id = NEW.table_id)
        BEGIN SELECT RAISE(ABORT, 'the events of a table are numbered without a gap'); END;
CREATE INDEX invitations_by_pin ON invitations (pin_hash) WHERE pin_hash IS NOT NULL;
CREATE INDEX scans_by_owner ON scans (owner) WHERE owner IS NOT NULL;
CREATE UNIQUE INDEX table_activity_by_opened ON table_activity (opened);
CREATE UNIQUE INDEX table_activity_by_changed ON table_activity (changed);
CREATE INDEX night_games_by_night ON night_games (night_id, ended);
CREATE INDEX night_seats_by_player ON night_seats (player);
CREATE INDEX night_yaku_by_yaku ON night_yaku (yaku);
CREATE VIEW games AS
    SELECT night_id, table_id, opened, ended, name, game, rules_name AS rules, rules_hash, deck, status, over, played AS rounds
    FROM night_games WHERE status <> 'deleted';
CREATE VIEW rounds AS
    SELECT night_id, table_id, round, time, game, night_rounds.rules_name AS rules, dealer, month, how
    FROM night_rounds JOIN games USING (table_id);
CREATE INDEX night_disputes_by_night ON night_disputes (night_id);
CREATE VIEW disputes AS
    SELECT night_disputes.night_id, table_id, seq, round, time, player, text, state, verdict
    FROM night_disputes JOIN games USING (table_id);
CREATE TRIGGER people_events_are_never_changed_by_update BEFORE UPDATE ON people_events BEGIN SELECT RAISE(ABORT, 'people_events are never changed, only added to'); END;
CREATE TRIGGER people_events_are_never_changed_by_delete BEFORE DELETE ON people_events BEGIN SELECT RAISE(ABORT, 'people_events are never changed, only added to'); END;
CREATE VIEW nights AS
    SELECT night_id, min(opened) AS began, max(ended) AS ended, count(*) AS games, sum(played) AS rounds,
        (SELECT group_concat(name, ', ') FROM (
            SELECT DISTINCT coalesce(person.name, seat.name) AS name
            FROM night_seats AS seat JOIN night_games AS other USING (table_id) LEFT JOIN night_people AS person USING (player)
            WHERE other.night_id = night_games.night_id AND coalesce(person.name, seat.name) <> ''
        )) AS players
    FROM night_games WHERE status <> 'deleted' GROUP BY night_id;
CREATE VIEW game_players AS
    SELECT night_id, table_id, opened, game, seat, coalesce(person.name, seat.name) AS player, points, won,
        seat.player AS player_id
    FROM night_seats AS seat JOIN games USING (table_id) LEFT JOIN night_people AS person USING (player);
CREATE VIEW round_players AS
    SELECT night_id, table_id, round, time, game, rules_name AS rules, seat, coalesce(person.name, '') AS player,
        points, won, calls, brights, seat.player AS player_id
    FROM night_round_seats AS seat LEFT JOIN night_people AS person USING (player)
    WHERE table_id IN (SELECT table_id FROM games);
CREATE VIEW round_yaku AS
    SELECT night_id, table_id, round, time, game, rules, seat, player, won, yaku, night_yaku.points, player_id
    FROM night_yaku JOIN round_players USING (table_id, round, seat);
CREATE VIEW players AS
    SELECT player, game, count(DISTINCT night_id) AS nights, count(*) AS rounds, sum(won) AS wins, sum(points) AS points,
        player_id
    FROM round_players WHERE player_id <> '' GROUP BY player_id, game;
CREATE INDEX table_activity_by_results ON table_activity (results);
COMMIT;
