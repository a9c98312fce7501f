"""The schema of the log, as migrations: each is applied once to a database and never changed afterward."""

from __future__ import annotations

from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

__all__ = ["ACTIVITY", "MIGRATIONS"]

MIGRATIONS = Migrations("hanafuda_companion")

_FIRST = (
    """
    CREATE TABLE scans (
        id TEXT PRIMARY KEY,
        time TEXT NOT NULL,
        image TEXT NOT NULL,
        sha256 TEXT NOT NULL,
        media_type TEXT NOT NULL,
        kept INTEGER NOT NULL DEFAULT 0 CHECK (kept IN (0, 1)),
        note TEXT NOT NULL DEFAULT ''
    ) STRICT
    """,
    "CREATE INDEX scans_by_evidence ON scans (sha256)",
    """
    CREATE TABLE readings (
        scan TEXT PRIMARY KEY REFERENCES scans (id) ON DELETE CASCADE,
        reading TEXT NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE corrections (
        id INTEGER PRIMARY KEY,
        scan TEXT NOT NULL REFERENCES scans (id) ON DELETE CASCADE,
        time TEXT NOT NULL,
        actor TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('corrected', 'added')),
        card_index INTEGER NOT NULL,
        card TEXT
    ) STRICT
    """,
    "CREATE INDEX corrections_by_scan ON corrections (scan)",
    """
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
    """,
    "CREATE INDEX scores_by_scan ON scores (scan)",
)


@MIGRATIONS()
def m001_scans(db: Database) -> None:
    """Scans with the recognizer's reading, people's corrections, and all scores."""
    for statement in _FIRST:
        db.execute(statement)
    for table in ("readings", "corrections", "scores"):
        # Readings, corrections and scores are append-only: later rows supersede earlier ones.
        db.execute(
            f"CREATE TRIGGER {table}_are_never_changed BEFORE UPDATE ON {table}"
            f" BEGIN SELECT RAISE(ABORT, '{table} are never changed, only added to'); END"
        )


@MIGRATIONS()
def m002_house_rules(db: Database) -> None:
    """Saved house rules: the last row of a name counts; a row without a code deletes the name."""
    db.execute(
        """
        CREATE TABLE house_rules (
            id INTEGER PRIMARY KEY,
            time TEXT NOT NULL,
            actor TEXT NOT NULL,
            name TEXT NOT NULL,
            folded TEXT NOT NULL,
            code TEXT
        ) STRICT
        """
    )
    db.execute("CREATE INDEX house_rules_by_name ON house_rules (folded, id)")
    for change in ("UPDATE", "DELETE"):
        db.execute(
            f"CREATE TRIGGER house_rules_are_never_changed_by_{change.lower()} BEFORE {change} ON house_rules"
            " BEGIN SELECT RAISE(ABORT, 'house_rules are never changed, only added to'); END"
        )


@MIGRATIONS()
def m003_tables(db: Database) -> None:
    """The events of tables, numbered, each with its actor and source, and the pictures to which they refer."""
    db.execute(
        """
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
        """
    )
    db.execute(
        "CREATE UNIQUE INDEX table_events_by_key ON table_events (table_id, key) WHERE key IS NOT NULL"
    )
    db.execute("CREATE INDEX table_events_opened ON table_events (time) WHERE seq = 1")
    db.execute(
        """
        CREATE TABLE table_pictures (
            sha256 TEXT NOT NULL,
            table_id TEXT NOT NULL,
            seq INTEGER NOT NULL,
            PRIMARY KEY (sha256, table_id, seq),
            FOREIGN KEY (table_id, seq) REFERENCES table_events (table_id, seq)
        ) STRICT, WITHOUT ROWID
        """
    )
    for table in ("table_events", "table_pictures"):
        for change in ("UPDATE", "DELETE"):
            db.execute(
                f"CREATE TRIGGER {table}_are_never_changed_by_{change.lower()} BEFORE {change} ON {table}"
                f" BEGIN SELECT RAISE(ABORT, '{table} are never changed, only added to'); END"
            )
    # The events of a table are numbered from 1 without gaps, which a primary key alone does not enforce.
    db.execute(
        """
        CREATE TRIGGER table_events_have_no_gap BEFORE INSERT ON table_events
        WHEN NEW.seq <> 1 + (SELECT coalesce(max(seq), 0) FROM table_events WHERE table_id = NEW.table_id)
        BEGIN SELECT RAISE(ABORT, 'the events of a table are numbered without a gap'); END
        """
    )


@MIGRATIONS()
def m004_pairings(db: Database) -> None:
    """Pairings, open invitations, and the key that signs cookies and tokens."""
    db.execute("CREATE TABLE access_values (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT")
    roles = "role TEXT NOT NULL CHECK (role IN ('viewer', 'scorer', 'host', 'camera', 'device'))"
    db.execute(
        f"""
        CREATE TABLE pairings (
            id TEXT PRIMARY KEY,
            {roles},
            name TEXT NOT NULL,
            seat INTEGER,
            table_id TEXT,
            since TEXT NOT NULL,
            seen TEXT NOT NULL
        ) STRICT
        """
    )
    db.execute(
        f"""
        CREATE TABLE invitations (
            id INTEGER PRIMARY KEY,
            code_hash TEXT NOT NULL UNIQUE,
            pin_hash TEXT,
            {roles},
            name TEXT,
            seat INTEGER,
            table_id TEXT,
            uses INTEGER NOT NULL CHECK (uses >= 0),
            expires TEXT NOT NULL,
            at_start INTEGER NOT NULL CHECK (at_start IN (0, 1))
        ) STRICT
        """
    )
    db.execute("CREATE INDEX invitations_by_pin ON invitations (pin_hash) WHERE pin_hash IS NOT NULL")


@MIGRATIONS()
def m005_scan_owner(db: Database) -> None:
    """Owners of drafts: the visitor with an unpaired phone, its address, and the size of the picture."""
    for column in ("owner TEXT", "address TEXT", "size INTEGER"):
        db.execute(f"ALTER TABLE scans ADD COLUMN {column}")
    db.execute("CREATE INDEX scans_by_owner ON scans (owner) WHERE owner IS NOT NULL")


ACTIVITY = """
    INSERT INTO table_activity (table_id, opened, changed)
    SELECT table_id, row_number() OVER (ORDER BY min(time)), row_number() OVER (ORDER BY max(time))
    FROM table_events GROUP BY table_id
"""
"""Fills `table_activity` from the events' times, for tables older than it."""


@MIGRATIONS()
def m006_table_activity(db: Database) -> None:
    """The order in which tables were opened and changed, as numbers, because the clock may be set back."""
    db.execute(
        """
        CREATE TABLE table_activity (
            table_id TEXT PRIMARY KEY,
            opened INTEGER NOT NULL,
            changed INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """
    )
    db.execute("CREATE UNIQUE INDEX table_activity_by_opened ON table_activity (opened)")
    db.execute("CREATE UNIQUE INDEX table_activity_by_changed ON table_activity (changed)")
    db.execute(ACTIVITY)


_NIGHTS = (
    """
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
    ) STRICT
    """,
    "CREATE INDEX night_games_by_night ON night_games (night_id, ended)",
    """
    CREATE TABLE night_seats (
        table_id TEXT NOT NULL REFERENCES night_games (table_id),
        seat INTEGER NOT NULL,
        player TEXT NOT NULL,
        points INTEGER NOT NULL,
        won INTEGER NOT NULL CHECK (won IN (0, 1)),
        PRIMARY KEY (table_id, seat)
    ) STRICT
    """,
    "CREATE INDEX night_seats_by_player ON night_seats (player)",
    """
    CREATE TABLE night_rounds (
        table_id TEXT NOT NULL REFERENCES night_games (table_id),
        round INTEGER NOT NULL,
        time TEXT NOT NULL,
        dealer INTEGER NOT NULL,
        month INTEGER,
        how TEXT NOT NULL,
        why TEXT NOT NULL,
        PRIMARY KEY (table_id, round)
    ) STRICT
    """,
    """
    CREATE TABLE night_round_seats (
        table_id TEXT NOT NULL,
        round INTEGER NOT NULL,
        seat INTEGER NOT NULL,
        player TEXT NOT NULL,
        points INTEGER NOT NULL,
        won INTEGER NOT NULL CHECK (won IN (0, 1)),
        calls INTEGER NOT NULL,
        PRIMARY KEY (table_id, round, seat),
        FOREIGN KEY (table_id, round) REFERENCES night_rounds (table_id, round)
    ) STRICT
    """,
    """
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
    """,
    "CREATE INDEX night_yaku_by_yaku ON night_yaku (yaku)",
    "CREATE TABLE night_state (version INTEGER NOT NULL, changed INTEGER NOT NULL) STRICT",
)


@MIGRATIONS()
def m007_nights(db: Database) -> None:
    """The results of all games by night, computed from the tables' events; see `night_projection`."""
    for statement in _NIGHTS:
        db.execute(statement)


_STATISTICS = (
    "ALTER TABLE night_games ADD COLUMN played INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE night_round_seats ADD COLUMN brights INTEGER",
    # Repeated from the round and its game, so that statistics read one table.
    "ALTER TABLE night_round_seats ADD COLUMN night_id TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE night_round_seats ADD COLUMN time TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE night_round_seats ADD COLUMN game TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE night_round_seats ADD COLUMN rules_name TEXT NOT NULL DEFAULT ''",
    """
    CREATE VIEW nights AS
    SELECT night_id, min(opened) AS began, max(ended) AS ended, count(*) AS games, sum(played) AS rounds,
        (SELECT group_concat(player, ', ') FROM (
            SELECT DISTINCT player FROM night_seats JOIN night_games AS other USING (table_id)
            WHERE other.night_id = night_games.night_id AND player <> ''
        )) AS players
    FROM night_games WHERE status <> 'deleted' GROUP BY night_id
    """,
    """
    CREATE VIEW games AS
    SELECT night_id, table_id, opened, ended, name, game, rules_name AS rules, rules_hash, deck, status, over, played AS rounds
    FROM night_games WHERE status <> 'deleted'
    """,
    """
    CREATE VIEW game_players AS
    SELECT night_id, table_id, opened, game, seat, player, points, won
    FROM night_seats JOIN games USING (table_id)
    """,
    """
    CREATE VIEW rounds AS
    SELECT night_id, table_id, round, time, game, rules, dealer, month, how
    FROM night_rounds JOIN games USING (table_id)
    """,
    """
    CREATE VIEW round_players AS
    SELECT night_id, table_id, round, time, game, rules_name AS rules, seat, player, points, won, calls, brights
    FROM night_round_seats WHERE table_id IN (SELECT table_id FROM games)
    """,
    """
    CREATE VIEW round_yaku AS
    SELECT night_id, table_id, round, time, game, rules, seat, player, won, yaku, night_yaku.points
    FROM night_yaku JOIN round_players USING (table_id, round, seat)
    """,
    """
    CREATE VIEW players AS
    SELECT player, game, count(DISTINCT night_id) AS nights, count(*) AS rounds, sum(won) AS wins, sum(points) AS points
    FROM round_players WHERE player <> '' GROUP BY player, game
    """,
)


@MIGRATIONS()
def m008_statistics(db: Database) -> None:
    """Counts of rounds and bright cards in the log of nights, and views of it with plain names; see docs/data.md."""
    for statement in _STATISTICS:
        db.execute(statement)


_RULES_OF_ROUNDS = (
    "ALTER TABLE night_rounds ADD COLUMN rules_name TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE night_rounds ADD COLUMN rules_hash TEXT NOT NULL DEFAULT ''",
    "DROP VIEW rounds",
    """
    CREATE VIEW rounds AS
    SELECT night_id, table_id, round, time, game, night_rounds.rules_name AS rules, dealer, month, how
    FROM night_rounds JOIN games USING (table_id)
    """,
)


@MIGRATIONS()
def m009_rules_of_rounds(db: Database) -> None:
    """The rules of each round in the log of nights: they may change during a game."""
    for statement in _RULES_OF_ROUNDS:
        db.execute(statement)


_DISPUTES = (
    """
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
    """,
    "CREATE INDEX night_disputes_by_night ON night_disputes (night_id)",
    """
    CREATE VIEW disputes AS
    SELECT night_disputes.night_id, table_id, seq, round, time, player, text, state, verdict
    FROM night_disputes JOIN games USING (table_id)
    """,
)


@MIGRATIONS()
def m010_disputes(db: Database) -> None:
    """Disputes about events in the log of nights, computed from the tables' events."""
    for statement in _DISPUTES:
        db.execute(statement)


_PEOPLE = (
    """
    CREATE TABLE people_events (
        id TEXT NOT NULL UNIQUE,
        time TEXT NOT NULL,
        actor TEXT NOT NULL,
        kind TEXT NOT NULL,
        data TEXT NOT NULL
    ) STRICT
    """,
    *(
        f"CREATE TRIGGER people_events_are_never_changed_by_{change.lower()} BEFORE {change} ON people_events"
        " BEGIN SELECT RAISE(ABORT, 'people_events are never changed, only added to'); END"
        for change in ("UPDATE", "DELETE")
    ),
    # The log of nights: `player` is an id from now on, and `name` what the player is called at the table.
    "ALTER TABLE night_seats ADD COLUMN name TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE night_seats ADD COLUMN recorded TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE night_state ADD COLUMN people INTEGER NOT NULL DEFAULT 0",
    "CREATE TABLE night_people (player TEXT PRIMARY KEY, name TEXT NOT NULL) STRICT, WITHOUT ROWID",
    *(f"DROP VIEW {view}" for view in ("players", "round_yaku", "round_players", "game_players", "nights")),
    """
    CREATE VIEW nights AS
    SELECT night_id, min(opened) AS began, max(ended) AS ended, count(*) AS games, sum(played) AS rounds,
        (SELECT group_concat(name, ', ') FROM (
            SELECT DISTINCT coalesce(person.name, seat.name) AS name
            FROM night_seats AS seat JOIN night_games AS other USING (table_id) LEFT JOIN night_people AS person USING (player)
            WHERE other.night_id = night_games.night_id AND coalesce(person.name, seat.name) <> ''
        )) AS players
    FROM night_games WHERE status <> 'deleted' GROUP BY night_id
    """,
    """
    CREATE VIEW game_players AS
    SELECT night_id, table_id, opened, game, seat, coalesce(person.name, seat.name) AS player, points, won,
        seat.player AS player_id
    FROM night_seats AS seat JOIN games USING (table_id) LEFT JOIN night_people AS person USING (player)
    """,
    """
    CREATE VIEW round_players AS
    SELECT night_id, table_id, round, time, game, rules_name AS rules, seat, coalesce(person.name, '') AS player,
        points, won, calls, brights, seat.player AS player_id
    FROM night_round_seats AS seat LEFT JOIN night_people AS person USING (player)
    WHERE table_id IN (SELECT table_id FROM games)
    """,
    """
    CREATE VIEW round_yaku AS
    SELECT night_id, table_id, round, time, game, rules, seat, player, won, yaku, night_yaku.points, player_id
    FROM night_yaku JOIN round_players USING (table_id, round, seat)
    """,
    """
    CREATE VIEW players AS
    SELECT player, game, count(DISTINCT night_id) AS nights, count(*) AS rounds, sum(won) AS wins, sum(points) AS points,
        player_id
    FROM round_players WHERE player_id <> '' GROUP BY player_id, game
    """,
)


_SEVERAL_SERVERS = (
    "CREATE TABLE table_following (table_id TEXT PRIMARY KEY, following TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE pin_guesses (at TEXT NOT NULL, address TEXT NOT NULL) STRICT",
    "CREATE INDEX pin_guesses_by_time ON pin_guesses (at)",
)


@MIGRATIONS()
def m011_people(db: Database) -> None:
    """Events about people, and ids of players instead of names in the log of nights; see `companion.people`."""
    for statement in _PEOPLE:
        db.execute(statement)


_RESULTS = (
    "ALTER TABLE table_activity ADD COLUMN results INTEGER NOT NULL DEFAULT 0",
    "CREATE INDEX table_activity_by_results ON table_activity (results)",
    """
    UPDATE table_activity SET results = (SELECT version FROM night_state)
    WHERE changed <= (SELECT changed FROM night_state)
    """,
    "ALTER TABLE night_state DROP COLUMN version",
    "ALTER TABLE night_state DROP COLUMN changed",
)


@MIGRATIONS()
def m012_results(db: Database) -> None:
    """The version of the results of each table, 0 if they do not contain all its events; see `night_projection`."""
    for statement in _RESULTS:
        db.execute(statement)


@MIGRATIONS()
def m013_several_servers(db: Database) -> None:
    """What every server process has to know: where a table's evening goes on, and wrong PINs of the last minutes."""
    for statement in _SEVERAL_SERVERS:
        db.execute(statement)
