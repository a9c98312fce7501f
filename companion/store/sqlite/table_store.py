"""The events of the tables in SQLite: numbered and append-only.

Several processes may write to one table; if two append its next event at the same time, one gets `OutOfStepError`.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeAlias

from sqlite_utils import Database

from companion.hanafuda.errors import BadRequestError
from companion.store.errors import NoSuchTableError, OutOfStepError
from companion.store.sqlite.database import LogDatabase
from companion.store.stored_records import Merged, TableSummary
from companion.table.events import Event, NewEvent, Source

__all__ = ["SqliteEvents"]


_Events: TypeAlias = list[Event]
"""In the classes below `list` is a method."""


_ID_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"
_ID_LENGTH = 6
_HASH = re.compile(r"[0-9a-f]{64}(?=\.|$)")


_CHANGED = """
    INSERT INTO table_activity SELECT :table, 1 + coalesce(max(opened), 0), 1 + coalesce(max(changed), 0)
    FROM table_activity WHERE true ON CONFLICT (table_id) DO UPDATE SET changed = excluded.changed
"""
"""Numbers the table as the last changed one, and a new table also as the last opened one."""


class SqliteEvents:
    """The events of the tables; see `companion.store.store_protocol.EventStore`. Thread-safe."""

    def __init__(self, database: LogDatabase) -> None:
        self._database = database

    def create(self, opened: NewEvent, *, actor: str, source: Source) -> str:
        """Open a table and return its id, six letters and digits that are not easily confused."""
        with self._database.writing() as db:
            table_id = "".join(secrets.choice(_ID_LETTERS) for _ in range(_ID_LENGTH))
            while _last(db, table_id):
                table_id = "".join(secrets.choice(_ID_LETTERS) for _ in range(_ID_LENGTH))
            # The id is in the event, so that the events alone have all data of a table.
            data = {"id": table_id, **opened.data}
            _insert(db, table_id, [Event(1, 1, _now(), actor, source, "opened", data)], None)
        return table_id

    def append(self, table_id: str, events: Sequence[Event], *, key: str | None = None) -> _Events:
        """Add a table's next events, all or none; see `EventStore.append`."""
        with self._database.writing() as db:
            last = _last(db, table_id)
            if not last:
                raise NoSuchTableError(table_id)
            if key is not None and (stored := _events_with_key(db, table_id, key)) is not None:
                if events and not _same_content(stored[0], events[0]):
                    raise BadRequestError(
                        f"the key {key} was used for something else at this table: take a new one"
                    )
                return stored
            if events and events[0].seq != last + 1:
                raise OutOfStepError(events[0].seq - 1, last)
            _insert(db, table_id, events, key)
        return list(events)

    def merge(self, tables: Iterable[tuple[str, Sequence[Event]]]) -> dict[str, Merged]:
        """Add the missing events of tables; see `EventStore.merge`. Each table is a transaction of its own."""
        last_opened = self.opened_last()
        merged = {table_id: self._merge(table_id, events) for table_id, events in tables}
        if last_opened is not None and "new" in merged.values():
            with self._database.writing() as db:
                db.execute(
                    "UPDATE table_activity SET opened = 1 + (SELECT max(opened) FROM table_activity) WHERE table_id = ?",
                    [last_opened],
                )
        return merged

    def _merge(self, table_id: str, events: Sequence[Event]) -> Merged:
        with self._database.writing() as db:
            stored = _events(db, "table_id = ?", [table_id])
            common = min(len(stored), len(events))
            if stored[:common] != list(events[:common]):
                return "conflict"
            if common == len(events):
                return "same"
            _insert(db, table_id, events[common:], None)
        return "extended" if stored else "new"

    def load(self, table_id: str, since: int = 0) -> _Events:
        """Return a table's events after the number ``since``; see `EventStore.load`."""
        with self._database.reading() as db:
            found = _events(db, "table_id = ? AND seq > ?", [table_id, since])
            if not found and not _last(db, table_id):
                raise NoSuchTableError(table_id)
            return found

    def newest(self, table_id: str) -> Event:
        """Return a table's last event; see `EventStore.newest`."""
        last = "SELECT max(seq) FROM table_events WHERE table_id = ?"
        with self._database.reading() as db:
            found = _events(db, f"table_id = ? AND seq = ({last})", [table_id, table_id])
        if not found:
            raise NoSuchTableError(table_id)
        return found[0]

    def with_key(self, table_id: str, key: str) -> _Events | None:
        """Return the events that were stored under a key, or None."""
        with self._database.reading() as db:
            return _events_with_key(db, table_id, key)

    def list(self) -> Sequence[TableSummary]:
        """Return all tables, the most recently changed first."""
        with self._database.reading() as db:
            opened = db.query(
                "SELECT * FROM table_events LEFT JOIN table_activity USING (table_id) WHERE seq = 1"
                " ORDER BY changed DESC, time DESC"
            )
            return [
                TableSummary(row["table_id"], _event(row), *_newest(db, row["table_id"]))
                for row in list(opened)
            ]

    def opened_last(self) -> str | None:
        """Return the id of the table that was opened last; see `EventStore.opened_last`."""
        with self._database.reading() as db:
            opened = db.query("SELECT table_id FROM table_activity ORDER BY opened DESC LIMIT 1")
            return next((str(row["table_id"]) for row in opened), None)


def _newest(db: Database, table_id: str) -> tuple[int, str]:
    row = next(
        db.table("table_events").rows_where(
            "table_id = ?", [table_id], select="seq, time", order_by="seq DESC", limit=1
        )
    )
    return row["seq"], row["time"]


def _events_with_key(db: Database, table_id: str, key: str) -> _Events | None:
    together = 'SELECT "group" FROM table_events WHERE table_id = ? AND key = ?'
    found = _events(db, f'table_id = ? AND "group" = ({together})', [table_id, table_id, key])
    return found or None


def _events(db: Database, where: str, values: Sequence[Any]) -> _Events:
    rows = db.table("table_events").rows_where(where, values, order_by="seq")
    return [_event(row) for row in rows]


def _last(db: Database, table_id: str) -> int:
    """Return the number of a table's last event; 0 if there is no such table."""
    row = db.execute(
        "SELECT coalesce(max(seq), 0) FROM table_events WHERE table_id = ?", [table_id]
    ).fetchone()
    return int(row[0])


def _insert(db: Database, table_id: str, events: Iterable[Event], key: str | None) -> None:
    for event in events:
        db.table("table_events").insert(
            {
                "table_id": table_id,
                "seq": event.seq,
                "group": event.group,
                "time": event.time,
                "actor": event.actor,
                "source": event.source,
                "kind": event.kind,
                "data": json.dumps(event.data, ensure_ascii=False, separators=(",", ":")),
                "confidence": event.confidence,
                "evidence": event.evidence,
                "key": key if event.seq == event.group else None,
            }
        )
        pictures = [{"sha256": each, "table_id": table_id, "seq": event.seq} for each in _pictures(event)]
        db.table("table_pictures").insert_all(pictures)
    db.execute(_CHANGED, {"table": table_id})


def _pictures(event: Event) -> set[str]:
    """Return the hashes of all stored pictures to which an event refers."""
    named = [event.evidence, event.data.get("picture"), *(event.data.get("pictures") or {}).values()]
    hashes = (_HASH.match(name) for name in named if isinstance(name, str))
    return {found.group() for found in hashes if found}


def _event(row: Mapping[str, Any]) -> Event:
    return Event(
        seq=row["seq"],
        group=row["group"],
        time=row["time"],
        actor=row["actor"],
        source=row["source"],
        kind=row["kind"],
        data=json.loads(row["data"]),
        confidence=row["confidence"],
        evidence=row["evidence"],
    )


def _same_content(one: Event, other: Event) -> bool:
    return (one.kind, json.dumps(one.data, sort_keys=True)) == (
        other.kind,
        json.dumps(other.data, sort_keys=True),
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
