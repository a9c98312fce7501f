"""The tables for what the server processes tell each other, and for what all of them must know."""

from __future__ import annotations

from typing import Final

__all__ = ["SEVERAL_SERVERS"]

SEVERAL_SERVERS: Final = (
    "CREATE TABLE table_following (table_id TEXT PRIMARY KEY, following TEXT NOT NULL)",
    "CREATE TABLE pin_guesses (at TEXT NOT NULL, address TEXT NOT NULL)",
    "CREATE INDEX pin_guesses_by_time ON pin_guesses (at)",
    # What only wakes other processes need not survive a failure of the database.
    """
    CREATE UNLOGGED TABLE signals (
        id TEXT PRIMARY KEY,
        at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
        topic TEXT NOT NULL,
        text TEXT NOT NULL
    )
    """,
    "CREATE INDEX signals_by_time ON signals (at)",
)
