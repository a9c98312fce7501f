"""The schema of the queue: the queued pictures, and procrastinate's tables, which its own SQL creates and updates."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import psycopg
from procrastinate.schema import SchemaManager

__all__ = ["SCAN_JOBS", "SCAN_JOB_SENDERS", "migrate_jobs"]

SCAN_JOBS: Final = (
    """
    CREATE TABLE scan_jobs (
        id TEXT PRIMARY KEY,
        seq BIGINT GENERATED ALWAYS AS IDENTITY,
        time TEXT NOT NULL,
        priority SMALLINT NOT NULL,
        state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'reading', 'done', 'failed')),
        attempts SMALLINT NOT NULL DEFAULT 0,
        owner TEXT,
        address TEXT,
        size BIGINT NOT NULL,
        request TEXT NOT NULL,
        picture BYTEA,
        scan TEXT,
        failure TEXT
    )
    """,
    "CREATE INDEX scan_jobs_waiting ON scan_jobs (priority DESC, seq) WHERE state = 'waiting'",
    "CREATE INDEX scan_jobs_by_time ON scan_jobs (time)",
)
"""The statements of the migration for the queued pictures."""
SCAN_JOB_SENDERS: Final = ("ALTER TABLE scan_jobs ADD COLUMN sender TEXT",)
"""The statement of the migration for the phones that sent them."""


def migrate_jobs(connection: psycopg.Connection[Any]) -> None:
    """Create procrastinate's tables, or apply the migrations of the installed version that the database does not have.

    The caller has a lock that lets one process at a time do this.
    """
    connection.execute("CREATE TABLE IF NOT EXISTS procrastinate_migrations (name TEXT PRIMARY KEY)")
    applied = {name for (name,) in connection.execute("SELECT name FROM procrastinate_migrations").fetchall()}
    files = sorted(Path(SchemaManager.get_migrations_path()).glob("*.sql"))
    missing = [file for file in files if file.name not in applied]
    if not applied:  # the whole schema, which contains all of them
        connection.execute(SchemaManager.get_schema())
    else:
        for file in missing:
            connection.execute(file.read_bytes())
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO procrastinate_migrations (name) VALUES (%s)", [(file.name,) for file in missing]
        )
