"""The events of the tables: numbered and append-only.

Several processes may write to one table; if two append its next event at the same time, one gets `OutOfStepError`.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from companion.hanafuda.errors import BadRequestError
from companion.store.database import Connection, Database, chunks, marks
from companion.store.errors import NoSuchTableError, OutOfStepError
from companion.store.timestamps import now_utc
from companion.table.events import Event, NewEvent, Source

_Events: TypeAlias = list[Event]
"""In the classes below `list` is a method."""


_ID_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"
_ID_LENGTH = 6
_ALL = 2**63 - 1
"""A limit that is none, in both databases."""
_HASH = re.compile(r"[0-9a-f]{64}(?=\.|$)")


_FIELDS = ("seq", "group", "time", "actor", "source", "kind", "data", "confidence", "evidence")
"""The fields of an event, each in a column of its name."""
_COLUMNS = ", ".join(f'"{name}"' for name in _FIELDS)


_SUMMARIES = """
    WITH listed AS (
        SELECT opened.*, coalesce(table_activity.changed, 0) AS changed FROM table_events AS opened
        LEFT JOIN table_activity ON table_activity.table_id = opened.table_id
        WHERE opened.seq = 1 ORDER BY changed DESC, opened.time DESC LIMIT ?
    )
    SELECT opened.*, newest.seq AS newest_seq, newest.time AS newest_time
    FROM listed AS opened
    JOIN table_events AS newest ON newest.table_id = opened.table_id
        AND newest.seq = (SELECT max(seq) FROM table_events AS each WHERE each.table_id = opened.table_id)
    ORDER BY opened.changed DESC, opened.time DESC
"""
"""The first event of each table, and the number and time of its last one; the most recently changed table first."""


Merged: TypeAlias = Literal["new", "extended", "same", "conflict"]
"""What a merge did with a table: all its events were added, only its last ones, none because all are stored, or none because
other events are stored under their numbers."""


@dataclass(frozen=True, slots=True)
class TableSummary:
    """A table's entry in a list of tables."""

    id: str
    opened: Event
    seq: int
    """The number of its last event."""
    time: str
    """Time of its last event."""


class EventStore:
    """The events of all tables: numbered, append-only."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._next_opened = database.next_number("table_activity", "opened")
        self._next_changed = database.next_number("table_activity", "changed")

    def create(self, opened: NewEvent, *, actor: str, source: Source, after: str | None = None) -> str:
        """Open a table and return its id.

        ``after`` is a table whose evening goes on at the new one. If it goes on at another table already, returns that one's id and
        opens none.
        """
        while True:
            table_id = "".join(secrets.choice(_ID_LETTERS) for _ in range(_ID_LENGTH))
            with self._database.writing(_scope(after or table_id)) as db:
                if _last(db, table_id):
                    continue
                if after is not None:
                    if (following := _following(db, after)) is not None:
                        return following
                    _follow(db, after, table_id)
                # The id is in the event, so that the events alone have all data of a table.
                data = {"id": table_id, **opened.data}
                event = Event(1, 1, now_utc(), actor, source, "opened", data)
                self._insert(db, table_id, [event], None)
                return table_id

    def append(self, table_id: str, events: Sequence[Event], *, key: str | None = None) -> _Events:
        """Append a table's next events and return them as stored.

        They are already numbered, as `companion.table.Table.append` returns them; if others were appended in the meantime,
        raises `OutOfStepError`. If events are stored under the same ``key``, returns those and appends nothing.
        """
        with self._database.writing(_scope(table_id)) as db:
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
            self._insert(db, table_id, events, key)
        return list(events)

    def merge(self, tables: Iterable[tuple[str, Sequence[Event]]]) -> dict[str, Merged]:
        """Add the missing events of tables, given by id, that another log has stored, and return what was done with each.

        The events of both logs must begin alike. New tables count as opened before the one that was opened last.
        """
        last_opened = self.opened_last()
        merged = {table_id: self._merge(table_id, events) for table_id, events in tables}
        if last_opened is not None and "new" in merged.values():
            with self._database.writing(_scope(last_opened)) as db:
                db.execute(
                    f"UPDATE table_activity SET opened = {self._next_opened} WHERE table_id = ?",
                    [last_opened],
                )
        return merged

    def _merge(self, table_id: str, events: Sequence[Event]) -> Merged:
        with self._database.writing(_scope(table_id)) as db:
            stored = _events(db, "table_id = ?", [table_id])
            common = min(len(stored), len(events))
            if stored[:common] != list(events[:common]):
                return "conflict"
            if common == len(events):
                return "same"
            self._insert(db, table_id, events[common:], None)
        return "extended" if stored else "new"

    def follow(self, table_id: str, following: str) -> None:
        """Let a table's evening go on at another table."""
        with self._database.writing(_scope(table_id)) as db:
            _follow(db, table_id, following)

    def following(self, table_id: str) -> str | None:
        """Return the table at which a table's evening goes on, or None."""
        with self._database.reading() as db:
            return _following(db, table_id)

    def load(self, table_id: str, since: int = 0) -> _Events:
        """Return a table's events after the number ``since`` in order.

        Raises `NoSuchTableError` for an unknown id, unless ``since`` says that the table is known.
        """
        with self._database.reading() as db:
            found = _events(db, "table_id = ? AND seq > ?", [table_id, since])
            if not found and not since and not _last(db, table_id):
                raise NoSuchTableError(table_id)
            return found

    def newest(self, table_id: str) -> Event:
        """Return a table's last event, or raise `NoSuchTableError`."""
        last = "SELECT max(seq) FROM table_events WHERE table_id = ?"
        with self._database.reading() as db:
            found = _events(db, f"table_id = ? AND seq = ({last})", [table_id, table_id])
        if not found:
            raise NoSuchTableError(table_id)
        return found[0]

    def newest_numbers(self, table_ids: Sequence[str]) -> dict[str, int]:
        """Return the number of each table's last event, by id, without the tables that do not exist."""
        found: dict[str, int] = {}
        newest = "SELECT max(seq) FROM table_events WHERE table_id = id"
        for ids in chunks(table_ids):
            wanted = f"WITH wanted(id) AS (VALUES {', '.join(['(?)'] * len(ids))})"
            with self._database.reading() as db:
                rows = db.execute(f"{wanted} SELECT id, ({newest}) FROM wanted", ids).fetchall()
            found |= {str(table_id): int(seq) for table_id, seq in rows if seq is not None}
        return found

    def with_key(self, table_id: str, key: str) -> _Events | None:
        """Return the events that were stored under a key, or None."""
        with self._database.reading() as db:
            return _events_with_key(db, table_id, key)

    def list(self, limit: int | None = None) -> Sequence[TableSummary]:
        """Return all tables or at most ``limit``, the most recently changed first."""
        with self._database.reading() as db:
            return [
                TableSummary(row["table_id"], _event(row), row["newest_seq"], row["newest_time"])
                for row in db.query(_SUMMARIES, [_ALL if limit is None else limit])
            ]

    def opened_last(self) -> str | None:
        """Return the id of the table that was opened last, or None."""
        with self._database.reading() as db:
            opened = db.query("SELECT table_id FROM table_activity ORDER BY opened DESC LIMIT 1")
            return next((str(row["table_id"]) for row in opened), None)

    def _insert(self, db: Connection, table_id: str, events: Iterable[Event], key: str | None) -> None:
        for event in events:
            values = {name: getattr(event, name) for name in _FIELDS}
            values["data"] = json.dumps(event.data, ensure_ascii=False, separators=(",", ":"))
            row = [table_id, *values.values(), key if event.seq == event.group else None]
            db.execute(f"INSERT INTO table_events (table_id, {_COLUMNS}, key) VALUES ({marks(row)})", row)
            pictures = [(each, table_id, event.seq) for each in _pictures(event)]
            if pictures:
                db.executemany(
                    "INSERT INTO table_pictures (sha256, table_id, seq) VALUES (?, ?, ?)", pictures
                )
        # The table is now the last changed one, and a new table also the last opened one; the results lack its last events.
        db.execute(
            "INSERT INTO table_activity (table_id, opened, changed)"
            f" VALUES (?, {self._next_opened}, {self._next_changed})"
            " ON CONFLICT (table_id) DO UPDATE SET changed = excluded.changed, results = 0",
            [table_id],
        )


def _events_with_key(db: Connection, table_id: str, key: str) -> _Events | None:
    together = 'SELECT "group" FROM table_events WHERE table_id = ? AND key = ?'
    found = _events(db, f'table_id = ? AND "group" = ({together})', [table_id, table_id, key])
    return found or None


def _events(db: Connection, where: str, values: Sequence[Any]) -> _Events:
    rows = db.query(f"SELECT {_COLUMNS} FROM table_events WHERE {where} ORDER BY seq", values)
    return [_event(row) for row in rows]


def _follow(db: Connection, table_id: str, following: str) -> None:
    db.execute(
        "INSERT INTO table_following (table_id, following) VALUES (?, ?)"
        " ON CONFLICT (table_id) DO UPDATE SET following = excluded.following",
        [table_id, following],
    )


def _following(db: Connection, table_id: str) -> str | None:
    row = db.execute("SELECT following FROM table_following WHERE table_id = ?", [table_id]).fetchone()
    return None if row is None else str(row[0])


def _last(db: Connection, table_id: str) -> int:
    """Return the number of a table's last event; 0 if there is no such table."""
    row = db.execute(
        "SELECT coalesce(max(seq), 0) FROM table_events WHERE table_id = ?", [table_id]
    ).fetchone()
    return int(row[0])


def _scope(table_id: str) -> str:
    return f"table:{table_id}"


def _pictures(event: Event) -> set[str]:
    """Return the hashes of all stored pictures to which an event refers."""
    named = [event.evidence, event.data.get("picture"), *(event.data.get("pictures") or {}).values()]
    hashes = (_HASH.match(name) for name in named if isinstance(name, str))
    return {found.group() for found in hashes if found}


def _event(row: Mapping[str, Any]) -> Event:
    return Event(**{name: row[name] for name in _FIELDS} | {"data": json.loads(row["data"])})


def _same_content(one: Event, other: Event) -> bool:
    return (one.kind, json.dumps(one.data, sort_keys=True)) == (
        other.kind,
        json.dumps(other.data, sort_keys=True),
    )
