"""The schema in PostgreSQL, as migrations: each is applied once to a database and never changed afterward.

In the statements that create or alter tables, ``TEXT`` is written without its collation; `migrate` adds ``COLLATE "C"``, so that
text is compared by code points as in SQLite.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import psycopg

from companion.hanafuda.messages import Message
from companion.store.errors import LogUnusableError
from companion.store.postgres.job_schema import SCAN_JOB_SENDERS, SCAN_JOBS, migrate_jobs
from companion.store.postgres.night_schema import NIGHTS
from companion.store.postgres.server_schema import SEVERAL_SERVERS

__all__ = ["MIGRATIONS", "Migration", "migrate", "never_changed"]

_LOCK: Final = 7_262_016_551_026
"""The advisory lock of migrations; any number that no other program uses in this database."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema."""

    name: str
    statements: Sequence[str]


def migrate(connection: psycopg.Connection[Any], migrations: Sequence[Migration], place: str) -> None:
    """Apply the migrations that a database does not have; of several processes, one does.

    ``connection`` is in autocommit mode. Raises `LogUnusableError` if the database has migrations of a newer version, and
    `psycopg.Error`.
    """
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        connection.execute(
            "CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied TIMESTAMPTZ NOT NULL DEFAULT now())"
        )
        applied = {str(name) for (name,) in connection.execute("SELECT name FROM migrations").fetchall()}
        unknown = applied - {each.name for each in migrations}
        if unknown:
            raise LogUnusableError(
                Message("database-newer", {"place": place, "migrations": ", ".join(sorted(unknown))})
            )
        for migration in migrations:
            if migration.name not in applied:
                for statement in migration.statements:
                    connection.execute(_with_collation(statement))
                connection.execute("INSERT INTO migrations (name) VALUES (%s)", [migration.name])
        migrate_jobs(connection)


def _with_collation(statement: str) -> str:
    if re.match(r"\s*(CREATE|ALTER)\s+(UNLOGGED\s+)?TABLE\b", statement):
        return re.sub(r"\bTEXT\b", 'TEXT COLLATE "C"', statement)
    return statement


def never_changed(table: str, *, delete: bool = False) -> str:
    """Return the statement that makes a table append-only; rows can be deleted only with ``delete``."""
    events = "UPDATE" if delete else "UPDATE OR DELETE OR TRUNCATE"
    return (
        f"CREATE TRIGGER {table}_are_never_changed BEFORE {events} ON {table}"
        " FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
    )


_EVENTS: Final = (
    """
    CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION '% are never changed, only added to', TG_TABLE_NAME; END $$
    """,
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
        confidence DOUBLE PRECISION NOT NULL,
        evidence TEXT,
        key TEXT,
        PRIMARY KEY (table_id, seq)
    )
    """,
    "CREATE UNIQUE INDEX table_events_by_key ON table_events (table_id, key) WHERE key IS NOT NULL",
    "CREATE INDEX table_events_opened ON table_events (time) WHERE seq = 1",
    """
    CREATE TABLE table_pictures (
        sha256 TEXT NOT NULL,
        table_id TEXT NOT NULL,
        seq INTEGER NOT NULL,
        PRIMARY KEY (sha256, table_id, seq),
        FOREIGN KEY (table_id, seq) REFERENCES table_events (table_id, seq)
    )
    """,
    never_changed("table_events"),
    never_changed("table_pictures"),
    # The events of a table are numbered from 1 without gaps, which a primary key alone does not enforce.
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
    # The order in which tables were opened and changed. Transactions that run at the same time may commit in another order.
    "CREATE SEQUENCE table_activity_opened",
    "CREATE SEQUENCE table_activity_changed",
    """
    CREATE TABLE table_activity (
        table_id TEXT PRIMARY KEY,
        opened BIGINT NOT NULL,
        changed BIGINT NOT NULL
    )
    """,
    "CREATE UNIQUE INDEX table_activity_by_opened ON table_activity (opened)",
    "CREATE UNIQUE INDEX table_activity_by_changed ON table_activity (changed)",
)

_PEOPLE: Final = (
    """
    CREATE TABLE people_events (
        rowid BIGINT GENERATED ALWAYS AS IDENTITY,
        id TEXT NOT NULL UNIQUE,
        time TEXT NOT NULL,
        actor TEXT NOT NULL,
        kind TEXT NOT NULL,
        data TEXT NOT NULL
    )
    """,
    "CREATE UNIQUE INDEX people_events_by_rowid ON people_events (rowid)",
    never_changed("people_events"),
)

_HOUSE_RULES: Final = (
    """
    CREATE TABLE house_rules (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        time TEXT NOT NULL,
        actor TEXT NOT NULL,
        name TEXT NOT NULL,
        folded TEXT NOT NULL,
        code TEXT
    )
    """,
    "CREATE INDEX house_rules_by_name ON house_rules (folded, id)",
    never_changed("house_rules"),
)

_ROLE: Final = "role TEXT NOT NULL CHECK (role IN ('viewer', 'scorer', 'host', 'camera', 'device'))"

_PAIRINGS: Final = (
    "CREATE TABLE access_values (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    f"""
    CREATE TABLE pairings (
        id TEXT PRIMARY KEY,
        {_ROLE},
        name TEXT NOT NULL,
        seat INTEGER,
        table_id TEXT,
        since TEXT NOT NULL,
        seen TEXT NOT NULL
    )
    """,
    f"""
    CREATE TABLE invitations (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        code_hash TEXT NOT NULL UNIQUE,
        pin_hash TEXT,
        {_ROLE},
        name TEXT,
        seat INTEGER,
        table_id TEXT,
        uses INTEGER NOT NULL CHECK (uses >= 0),
        expires TEXT NOT NULL,
        at_start SMALLINT NOT NULL CHECK (at_start IN (0, 1))
    )
    """,
    "CREATE INDEX invitations_by_pin ON invitations (pin_hash) WHERE pin_hash IS NOT NULL",
)

_SCANS: Final = (
    """
    CREATE TABLE scans (
        id TEXT PRIMARY KEY,
        time TEXT NOT NULL,
        image TEXT NOT NULL,
        sha256 TEXT NOT NULL,
        media_type TEXT NOT NULL,
        kept SMALLINT NOT NULL DEFAULT 0 CHECK (kept IN (0, 1)),
        note TEXT NOT NULL DEFAULT '',
        owner TEXT,
        address TEXT,
        size BIGINT
    )
    """,
    "CREATE INDEX scans_by_evidence ON scans (sha256)",
    "CREATE INDEX scans_by_owner ON scans (owner) WHERE owner IS NOT NULL",
    "CREATE INDEX scans_drafts ON scans (time) WHERE kept = 0",
    """
    CREATE TABLE readings (
        scan TEXT PRIMARY KEY REFERENCES scans (id) ON DELETE CASCADE,
        reading TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE corrections (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        scan TEXT NOT NULL REFERENCES scans (id) ON DELETE CASCADE,
        time TEXT NOT NULL,
        actor TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('corrected', 'added')),
        card_index INTEGER NOT NULL,
        card TEXT
    )
    """,
    "CREATE INDEX corrections_by_scan ON corrections (scan)",
    """
    CREATE TABLE scores (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
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
    )
    """,
    "CREATE INDEX scores_by_scan ON scores (scan)",
    # Readings, corrections and scores are append-only: later rows supersede earlier ones. They are deleted with their scan.
    *(never_changed(table, delete=True) for table in ("readings", "corrections", "scores")),
    """
    CREATE TABLE pictures (
        sha256 TEXT PRIMARY KEY,
        media_type TEXT NOT NULL,
        time TEXT NOT NULL,
        data BYTEA NOT NULL
    )
    """,
    "ALTER TABLE pictures ALTER COLUMN data SET STORAGE EXTERNAL",  # pictures cannot be compressed any more
    "CREATE INDEX pictures_by_time ON pictures (time)",
)

_DOCUMENTS: Final = (
    # The version is a new number after each change, also for a document that was deleted in between.
    """
    CREATE TABLE documents (
        kind TEXT NOT NULL,
        name TEXT NOT NULL,
        version BIGINT GENERATED ALWAYS AS IDENTITY,
        data BYTEA NOT NULL,
        PRIMARY KEY (kind, name)
    )
    """,
    """
    CREATE TABLE damaged_documents (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        kind TEXT NOT NULL,
        name TEXT NOT NULL,
        data BYTEA NOT NULL
    )
    """,
)

MIGRATIONS: Final = (
    Migration("events", _EVENTS),
    Migration("people", _PEOPLE),
    Migration("house rules", _HOUSE_RULES),
    Migration("pairings", _PAIRINGS),
    Migration("nights", NIGHTS),
    Migration("scans", _SCANS),
    Migration("documents", _DOCUMENTS),
    Migration("several servers", SEVERAL_SERVERS),
    Migration("scan jobs", SCAN_JOBS),
    Migration("senders of scan jobs", SCAN_JOB_SENDERS),
)
