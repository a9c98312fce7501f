"""The schema of the store, one text for SQLite and PostgreSQL, and the changes of later versions.

A `Dialect` fills in what the databases write differently. Truth values are the integers 0 and 1, times and JSON documents are text, and
text is compared by code points. docs/data.md describes the views.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from companion.hanafuda.messages import Message
from companion.store.database import Connection
from companion.store.errors import LogUnusableError

Migration: TypeAlias = Sequence[str]
"""The statements that change the schema of one version to that of the next one; written as the schema itself."""

MIGRATIONS: Final[Sequence[Migration]] = ()
"""The changes since the first release, in their order. The schema below stays as it was then; a new database gets it and all of these."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a database writes differently."""

    words: dict[str, str]
    """The texts in place of ``{name}``: ``id`` numbers rows by itself, ``rows`` and ``keyed`` end a table, the latter's rows have short
    keys."""
    own: Sequence[str]
    """The statements that only this database needs."""
    tables: str
    """A query of the names of all tables."""

    def statement(self, sql: str) -> str:
        """Return a statement as this database writes it."""
        return re.sub(r"\{([a-z]+)\}", lambda found: self.words[found.group(1)], sql)


def migrate(
    db: Connection, dialect: Dialect, place: str, migrations: Sequence[Migration] = MIGRATIONS
) -> None:
    """Create the schema in an empty database, or bring an earlier one up to date, in a transaction that no other process has.

    ``place`` is where the database is, for people. Raises `LogUnusableError` and changes nothing if a later version of the program
    wrote the database, or one from before the first release; also raises the database's errors.
    """
    if (refusal := other_version(db, dialect, place, migrations)) is not None:
        raise LogUnusableError(refusal)
    stored = schema_version(db, dialect) or 0
    if stored == 1 + len(migrations):
        return  # also where nothing can be written
    statements = [each for migration in migrations[max(0, stored - 1) :] for each in migration]
    if stored == 0:
        db.execute(dialect.statement("CREATE TABLE schema_version (version INTEGER NOT NULL) {rows}"))
        db.execute("INSERT INTO schema_version (version) VALUES (0)")
        statements = [*_SCHEMA.split(";\n"), *dialect.own, *statements]
    for statement in statements:
        if statement.strip():
            db.execute(dialect.statement(statement))
    db.execute("UPDATE schema_version SET version = ?", [1 + len(migrations)])


def other_version(
    db: Connection, dialect: Dialect, place: str, migrations: Sequence[Migration] = MIGRATIONS
) -> Message | None:
    """Return why this program cannot use a database that another version of it wrote; None if it can."""
    stored = schema_version(db, dialect)
    if stored is None:
        return Message("log-too-old", {"place": place})
    return Message("log-newer", {"place": place}) if stored > 1 + len(migrations) else None


def schema_version(db: Connection, dialect: Dialect) -> int | None:
    """Return the version of a database's schema, from 1; 0 if it has none, None if it has tables of a log but no version."""
    tables = {name for (name,) in db.execute(dialect.tables).fetchall()}
    if "schema_version" not in tables:
        return None if "table_events" in tables else 0
    row: Any = db.execute("SELECT version FROM schema_version").fetchone()
    return int(row[0])


_ROLES: Final = "role {text} NOT NULL CHECK (role IN ('viewer', 'scorer', 'host', 'camera', 'device'))"

_SCHEMA: Final = f"""
-- The events of tables, and the pictures to which they refer.
CREATE TABLE table_events (
    table_id {{text}} NOT NULL,
    seq INTEGER NOT NULL CHECK (seq >= 1),
    "group" INTEGER NOT NULL CHECK ("group" BETWEEN 1 AND seq),
    time {{text}} NOT NULL,
    actor {{text}} NOT NULL,
    source {{text}} NOT NULL,
    kind {{text}} NOT NULL,
    data {{text}} NOT NULL,
    confidence {{real}} NOT NULL,
    evidence {{text}},
    key {{text}},
    PRIMARY KEY (table_id, seq)
) {{keyed}};
CREATE UNIQUE INDEX table_events_by_key ON table_events (table_id, key) WHERE key IS NOT NULL;
CREATE INDEX table_events_opened ON table_events (time) WHERE seq = 1;
CREATE TABLE table_pictures (
    sha256 {{text}} NOT NULL,
    table_id {{text}} NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (sha256, table_id, seq),
    FOREIGN KEY (table_id, seq) REFERENCES table_events (table_id, seq)
) {{keyed}};
-- The order in which tables were opened and changed, as numbers, because the clock may be set back; and the version of the results
-- that contain all their events, 0 if none does. In PostgreSQL, transactions of the same moment may commit in another order.
CREATE TABLE table_activity (
    table_id {{text}} PRIMARY KEY,
    opened {{big}} NOT NULL,
    changed {{big}} NOT NULL,
    results INTEGER NOT NULL DEFAULT 0
) {{keyed}};
CREATE UNIQUE INDEX table_activity_by_opened ON table_activity (opened);
CREATE UNIQUE INDEX table_activity_by_changed ON table_activity (changed);
CREATE INDEX table_activity_by_results ON table_activity (results);
-- Where a table's evening goes on.
CREATE TABLE table_following (table_id {{text}} PRIMARY KEY, following {{text}} NOT NULL) {{keyed}};

-- Events about people; see companion.people.
CREATE TABLE people_events (
    number {{id}},
    id {{text}} NOT NULL UNIQUE,
    time {{text}} NOT NULL,
    actor {{text}} NOT NULL,
    kind {{text}} NOT NULL,
    data {{text}} NOT NULL
) {{rows}};

-- Saved rules: the last row of a name counts; one without a code deletes the name.
CREATE TABLE house_rules (
    id {{id}},
    time {{text}} NOT NULL,
    actor {{text}} NOT NULL,
    name {{text}} NOT NULL,
    folded {{text}} NOT NULL,
    code {{text}}
) {{rows}};
CREATE INDEX house_rules_by_name ON house_rules (folded, id);

-- Pairings, open invitations, and the key that signs cookies and tokens. An invitation ends when its time has come on the clock that
-- counts from `base`, or, if that is another machine's or was stopped, at `expires`; and with the pairing of the host who made it.
CREATE TABLE access_values (name {{text}} PRIMARY KEY, value {{text}} NOT NULL) {{rows}};
CREATE TABLE pairings (
    id {{text}} PRIMARY KEY,
    {_ROLES},
    name {{text}} NOT NULL,
    seat INTEGER,
    table_id {{text}},
    since {{text}} NOT NULL,
    seen {{text}} NOT NULL
) {{rows}};
CREATE TABLE invitations (
    id {{id}},
    code_hash {{text}} NOT NULL UNIQUE,
    pin_hash {{text}},
    {_ROLES},
    name {{text}},
    seat INTEGER,
    table_id {{text}},
    uses INTEGER NOT NULL CHECK (uses >= 0),
    expires {{text}} NOT NULL,
    base {{text}} NOT NULL,
    ends {{real}} NOT NULL,
    maker {{text}} REFERENCES pairings (id) ON DELETE CASCADE,
    at_start INTEGER NOT NULL CHECK (at_start IN (0, 1))
) {{rows}};
CREATE INDEX invitations_by_pin ON invitations (pin_hash) WHERE pin_hash IS NOT NULL;

-- Scans; a draft may have an owner, the visitor who made it, with its address and the size of its picture. Readings, corrections and
-- scores are append-only: later rows supersede earlier ones. They are deleted with their scan.
CREATE TABLE scans (
    id {{text}} PRIMARY KEY,
    time {{text}} NOT NULL,
    image {{text}} NOT NULL,
    sha256 {{text}} NOT NULL,
    media_type {{text}} NOT NULL,
    kept INTEGER NOT NULL DEFAULT 0 CHECK (kept IN (0, 1)),
    note {{text}} NOT NULL DEFAULT '',
    owner {{text}},
    address {{text}},
    size {{big}}
) {{rows}};
CREATE INDEX scans_by_evidence ON scans (sha256);
CREATE INDEX scans_by_owner ON scans (owner) WHERE owner IS NOT NULL;
CREATE INDEX scans_drafts ON scans (time) WHERE kept = 0;
CREATE TABLE readings (
    scan {{text}} PRIMARY KEY REFERENCES scans (id) ON DELETE CASCADE,
    reading {{text}} NOT NULL
) {{rows}};
CREATE TABLE corrections (
    id {{id}},
    scan {{text}} NOT NULL REFERENCES scans (id) ON DELETE CASCADE,
    time {{text}} NOT NULL,
    actor {{text}} NOT NULL,
    kind {{text}} NOT NULL CHECK (kind IN ('corrected', 'added')),
    card_index INTEGER NOT NULL,
    card {{text}}
) {{rows}};
CREATE INDEX corrections_by_scan ON corrections (scan);
CREATE TABLE scores (
    id {{id}},
    scan {{text}} NOT NULL REFERENCES scans (id) ON DELETE CASCADE,
    time {{text}} NOT NULL,
    actor {{text}} NOT NULL,
    game {{text}} NOT NULL,
    rules_name {{text}} NOT NULL,
    rules_hash {{text}} NOT NULL,
    rules {{text}} NOT NULL,
    month INTEGER,
    calls {{text}},
    total INTEGER NOT NULL,
    score {{text}} NOT NULL
) {{rows}};
CREATE INDEX scores_by_scan ON scores (scan);

-- The log of nights, computed from the events: the rows of a game are replaced together and can be computed again.
CREATE TABLE night_games (
    table_id {{text}} PRIMARY KEY,
    night_id {{text}} NOT NULL,
    seq INTEGER NOT NULL,
    name {{text}},
    game {{text}} NOT NULL,
    rules_name {{text}} NOT NULL,
    rules_hash {{text}} NOT NULL,
    deck {{text}},
    opened {{text}} NOT NULL,
    ended {{text}} NOT NULL,
    status {{text}} NOT NULL CHECK (status IN ('open', 'closed', 'deleted')),
    over INTEGER NOT NULL CHECK (over IN (0, 1)),
    rounds_of INTEGER,
    played INTEGER NOT NULL
) {{rows}};
CREATE INDEX night_games_by_night ON night_games (night_id, ended);
-- `player` is an id, `recorded` the one in the table's events, and `name` what the player is called at the table.
CREATE TABLE night_seats (
    table_id {{text}} NOT NULL,
    seat INTEGER NOT NULL,
    player {{text}} NOT NULL,
    points INTEGER NOT NULL,
    won INTEGER NOT NULL CHECK (won IN (0, 1)),
    name {{text}} NOT NULL,
    recorded {{text}} NOT NULL,
    PRIMARY KEY (table_id, seat)
) {{rows}};
CREATE INDEX night_seats_by_player ON night_seats (player);
CREATE TABLE night_rounds (
    table_id {{text}} NOT NULL,
    round INTEGER NOT NULL,
    time {{text}} NOT NULL,
    dealer INTEGER NOT NULL,
    month INTEGER,
    how {{text}} NOT NULL,
    why {{text}} NOT NULL,
    rules_name {{text}} NOT NULL,
    rules_hash {{text}} NOT NULL,
    PRIMARY KEY (table_id, round)
) {{rows}};
-- The last four columns are repeated from the round and its game, so that statistics read one table.
CREATE TABLE night_round_seats (
    table_id {{text}} NOT NULL,
    round INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    player {{text}} NOT NULL,
    points INTEGER NOT NULL,
    won INTEGER NOT NULL CHECK (won IN (0, 1)),
    calls INTEGER NOT NULL,
    brights INTEGER,
    night_id {{text}} NOT NULL,
    time {{text}} NOT NULL,
    game {{text}} NOT NULL,
    rules_name {{text}} NOT NULL,
    PRIMARY KEY (table_id, round, seat)
) {{rows}};
CREATE TABLE night_yaku (
    table_id {{text}} NOT NULL,
    round INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    position INTEGER NOT NULL,
    yaku {{text}} NOT NULL,
    points INTEGER NOT NULL,
    PRIMARY KEY (table_id, round, seat, position)
) {{rows}};
CREATE INDEX night_yaku_by_yaku ON night_yaku (yaku);
CREATE TABLE night_disputes (
    table_id {{text}} NOT NULL,
    seq INTEGER NOT NULL,
    night_id {{text}} NOT NULL,
    round INTEGER,
    time {{text}} NOT NULL,
    state {{text}} NOT NULL CHECK (state IN ('open', 'agreed', 'ruled', 'withdrawn')),
    verdict {{text}} CHECK (verdict IN ('stands', 'changed')),
    player {{text}} NOT NULL,
    text {{text}} NOT NULL,
    says {{text}} NOT NULL,
    PRIMARY KEY (table_id, seq)
) {{rows}};
CREATE INDEX night_disputes_by_night ON night_disputes (night_id);
CREATE TABLE night_people (player {{text}} PRIMARY KEY, name {{text}} NOT NULL) {{keyed}};
CREATE TABLE night_state (people {{big}} NOT NULL) {{rows}};

CREATE VIEW nights AS
SELECT night_id, min(opened) AS began, max(ended) AS ended, count(*) AS games, sum(played) AS rounds,
    (SELECT {{names}} FROM (
        SELECT DISTINCT coalesce(person.name, seat.name) AS name
        FROM night_seats AS seat JOIN night_games AS other USING (table_id) LEFT JOIN night_people AS person USING (player)
        WHERE other.night_id = night_games.night_id AND coalesce(person.name, seat.name) <> ''
    ) AS named) AS players
FROM night_games WHERE status <> 'deleted' GROUP BY night_id;
CREATE VIEW games AS
SELECT night_id, table_id, opened, ended, name, game, rules_name AS rules, rules_hash, deck, status, over, played AS rounds
FROM night_games WHERE status <> 'deleted';
CREATE VIEW game_players AS
SELECT night_id, table_id, opened, game, seat, coalesce(person.name, seat.name) AS player, points, won, seat.player AS player_id
FROM night_seats AS seat JOIN games USING (table_id) LEFT JOIN night_people AS person USING (player);
CREATE VIEW rounds AS
SELECT night_id, table_id, round, time, game, night_rounds.rules_name AS rules, dealer, month, how
FROM night_rounds JOIN games USING (table_id);
CREATE VIEW round_players AS
SELECT night_id, table_id, round, time, game, rules_name AS rules, seat, coalesce(person.name, '') AS player,
    points, won, calls, brights, seat.player AS player_id
FROM night_round_seats AS seat LEFT JOIN night_people AS person USING (player)
WHERE table_id IN (SELECT table_id FROM games);
CREATE VIEW round_yaku AS
SELECT night_id, table_id, round, time, game, rules, seat, player, won, yaku, night_yaku.points, player_id
FROM night_yaku JOIN round_players USING (table_id, round, seat);
CREATE VIEW disputes AS
SELECT night_disputes.night_id, table_id, seq, round, time, player, text, state, verdict
FROM night_disputes JOIN games USING (table_id);
CREATE VIEW players AS
SELECT min(player) AS player, game, count(DISTINCT night_id) AS nights, count(*) AS rounds, sum(won) AS wins, sum(points) AS points,
    player_id
FROM round_players WHERE player_id <> '' GROUP BY player_id, game;
"""

_NEVER_CHANGED: Final = ("table_events", "table_pictures", "people_events", "house_rules")
_DELETED_WITH_SCAN: Final = ("readings", "corrections", "scores")
_APPEND_ONLY: Final = (
    *((table, change) for table in _NEVER_CHANGED for change in ("UPDATE", "DELETE")),
    *((table, "UPDATE") for table in _DELETED_WITH_SCAN),
)
"""The tables of which nothing is changed or removed, with what is refused."""

SQLITE: Final = Dialect(
    {
        "text": "TEXT",
        "real": "REAL",
        "big": "INTEGER",
        "id": "INTEGER PRIMARY KEY",
        "rows": "STRICT",
        "keyed": "STRICT, WITHOUT ROWID",
        "names": "group_concat(name, ', ')",
    },
    (
        *(
            f"CREATE TRIGGER {table}_are_never_changed_by_{change.lower()} BEFORE {change} ON {table}"
            f" BEGIN SELECT RAISE(ABORT, '{table} are never changed, only added to'); END"
            for table, change in _APPEND_ONLY
        ),
        # The events of a table are numbered from 1 without gaps, which a primary key alone does not enforce.
        """
        CREATE TRIGGER table_events_have_no_gap BEFORE INSERT ON table_events
        WHEN NEW.seq <> 1 + (SELECT coalesce(max(seq), 0) FROM table_events WHERE table_id = NEW.table_id)
        BEGIN SELECT RAISE(ABORT, 'the events of a table are numbered without a gap'); END
        """,
    ),
    "SELECT name FROM sqlite_master WHERE type = 'table'",
)

_SHARED: Final = """
-- Pictures and documents, which are files where there is a data folder. Pictures cannot be compressed any more. The version of a
-- document is a new number after each change, also for one that was deleted in between.
CREATE TABLE pictures (
    sha256 {text} PRIMARY KEY,
    media_type {text} NOT NULL,
    time {text} NOT NULL,
    data BYTEA NOT NULL
);
ALTER TABLE pictures ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE INDEX pictures_by_time ON pictures (time);
CREATE TABLE documents (
    kind {text} NOT NULL,
    name {text} NOT NULL,
    version BIGINT GENERATED ALWAYS AS IDENTITY,
    data BYTEA NOT NULL,
    PRIMARY KEY (kind, name)
);
CREATE TABLE damaged_documents (id {id}, kind {text} NOT NULL, name {text} NOT NULL, data BYTEA NOT NULL);
-- Photographs that wait to be read; `worker` is the number of the one that reads it.
CREATE TABLE scan_jobs (
    id {text} PRIMARY KEY,
    seq BIGINT GENERATED ALWAYS AS IDENTITY,
    time {text} NOT NULL,
    priority SMALLINT NOT NULL,
    state {text} NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'reading', 'done', 'failed')),
    attempts SMALLINT NOT NULL DEFAULT 0,
    worker BIGINT,
    sender {text},
    owner {text},
    address {text},
    size BIGINT NOT NULL,
    request {text} NOT NULL,
    picture BYTEA,
    scan {text},
    failure {text}
);
CREATE INDEX scan_jobs_open ON scan_jobs (priority DESC, seq) WHERE state IN ('waiting', 'reading');
CREATE INDEX scan_jobs_by_time ON scan_jobs (time);
CREATE SEQUENCE table_activity_opened;
CREATE SEQUENCE table_activity_changed;
"""
"""What several servers share; only a database server has it."""

POSTGRES: Final = Dialect(
    {
        "text": 'TEXT COLLATE "C"',
        "real": "DOUBLE PRECISION",
        "big": "BIGINT",
        "id": "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
        "rows": "",
        "keyed": "",
        "names": "string_agg(name, ', ' ORDER BY name)",
    },
    (
        *_SHARED.split(";\n"),
        """
        CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION '% are never changed, only added to', TG_TABLE_NAME; END $$
        """,
        *(
            f"CREATE TRIGGER {table}_are_never_changed_by_{change.lower()} BEFORE {change} ON {table}"
            " FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
            for table, change in (*_APPEND_ONLY, *((table, "TRUNCATE") for table in _NEVER_CHANGED))
        ),
        """
        CREATE FUNCTION refuse_gap() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF NEW.seq <> 1 + (SELECT coalesce(max(seq), 0) FROM table_events WHERE table_id = NEW.table_id) THEN
                RAISE EXCEPTION 'the events of a table are numbered without a gap';
            END IF;
            RETURN NEW;
        END $$
        """,
        """
        CREATE TRIGGER table_events_have_no_gap BEFORE INSERT ON table_events
        FOR EACH ROW EXECUTE FUNCTION refuse_gap()
        """,
    ),
    "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()",
)
