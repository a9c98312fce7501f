"""What the log of a server that was killed contains, read without the program."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import psycopg

_SEATED = "SELECT table_id, data FROM table_events WHERE kind = 'seated'"
_NUMBERS = "SELECT table_id, seq FROM table_events ORDER BY table_id, seq"
_SCANS = "SELECT id, sha256 FROM scans"


@dataclass(frozen=True, slots=True)
class Stored:
    """The contents of a log."""

    events: Counter[tuple[str, str]]
    """How often each name was seated at a table."""
    numbers: dict[str, list[int]]
    """The numbers of each table's events."""
    scans: dict[str, str]
    """The SHA-256 of the picture by the id of each scan."""
    pictures: set[str]
    """The SHA-256 of the pictures that are stored completely."""

    def check(self, events: Counter[tuple[str, str]], scans: dict[str, str], *, exactly: bool) -> None:
        """Compare with what was acknowledged: all of it once; ``exactly``: and no other events."""
        assert set(self.events.values()) <= {1}, [each for each, count in self.events.items() if count > 1]
        assert events.keys() <= self.events.keys(), sorted(events.keys() - self.events.keys())[:5]
        assert all(seqs == list(range(1, len(seqs) + 1)) for seqs in self.numbers.values())
        assert scans.keys() <= self.scans.keys(), scans.keys() - self.scans.keys()
        assert set(self.scans.values()) <= self.pictures
        if exactly:
            assert events.keys() == self.events.keys(), sorted(self.events.keys() - events.keys())[:5]


def _stored(
    seated: list[tuple[str, str]], numbers: list[tuple[str, int]], scans: dict[str, str], pictures: set[str]
) -> Stored:
    by_table: dict[str, list[int]] = {}
    for table, seq in numbers:
        by_table.setdefault(table, []).append(seq)
    names = Counter((table, json.loads(data)["name"]) for table, data in seated)
    return Stored(names, by_table, scans, pictures)


def in_folder(folder: Path) -> Stored:
    """Read the log of a data folder."""
    with closing(sqlite3.connect(folder / "log.sqlite3")) as db:
        assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        scans = dict(db.execute(_SCANS).fetchall())
        pictures = set[str]()
        for sha256 in scans.values():
            (path,) = (folder / "evidence" / sha256[:2]).glob(f"{sha256}.*")
            if hashlib.sha256(path.read_bytes()).hexdigest() == sha256:
                pictures.add(sha256)
        return _stored(db.execute(_SEATED).fetchall(), db.execute(_NUMBERS).fetchall(), scans, pictures)


def in_database(url: str) -> Stored:
    """Read the log in a PostgreSQL database."""
    with psycopg.connect(url) as db:
        db.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        pictures = db.execute("SELECT sha256 FROM pictures WHERE sha256 = encode(sha256(data), 'hex')")
        whole = {str(sha256) for (sha256,) in pictures.fetchall()}
        scans = dict(db.execute(_SCANS).fetchall())
        return _stored(db.execute(_SEATED).fetchall(), db.execute(_NUMBERS).fetchall(), scans, whole)
