"""The events about people: append-only, in the order of time and id."""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from companion.people.people import PeopleEvent, PeopleKind, Roster, checked
from companion.store.database import Connection, Database
from companion.store.timestamps import iso_utc, now_utc

_ID_LETTERS: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_ID_LENGTH: Final = 12
"""60 bits: two logs do not choose the same id."""


class PeopleStore:
    """What is known of the people: append-only events from which players, claims and circles are computed."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._cached: tuple[int, Roster] = (-1, Roster())

    def events(self) -> list[PeopleEvent]:
        """Return all events, in order."""
        with self._database.reading() as db:
            return _events(db)

    def roster(self) -> Roster:
        """Return the players, claims and circles."""
        with self._database.reading() as db:
            version = people_version(db)
            with self._lock:
                known, roster = self._cached
            if known != version:
                roster = roster_in(db)
                with self._lock:
                    self._cached = version, roster
        return roster

    def add(self, kind: PeopleKind, data: Mapping[str, Any], actor: str) -> PeopleEvent:
        """Append an event; raises `BadRequestError` for invalid data."""
        valid = checked(kind, data)
        with self._database.writing("people") as db:
            (last,) = db.execute("SELECT max(time) FROM people_events").fetchone()
            now = now_utc()
            if last is not None and now <= last:  # two in one millisecond, or the clock was set back
                now = iso_utc(datetime.fromisoformat(last) + timedelta(milliseconds=1))
            event_id = "".join(secrets.choice(_ID_LETTERS) for _ in range(_ID_LENGTH))
            event = PeopleEvent(event_id, now, actor, kind, valid)
            _insert(db, event)
        return event

    def merge(self, events: Iterable[PeopleEvent]) -> int:
        """Add the events that the log does not have, by id, and return their number."""
        with self._database.writing("people") as db:
            known = {row[0] for row in db.execute("SELECT id FROM people_events").fetchall()}
            new = {event.id: event for event in events if event.id not in known}
            for event in new.values():
                _insert(db, event)
        return len(new)


def people_version(db: Connection) -> int:
    """Return a number that grows with each event."""
    return int(db.execute("SELECT coalesce(max(number), 0) FROM people_events").fetchone()[0])


def roster_in(db: Connection) -> Roster:
    """Return the roster of a database."""
    return Roster(_events(db))


def _events(db: Connection) -> list[PeopleEvent]:
    rows = db.execute("SELECT id, time, actor, kind, data FROM people_events ORDER BY time, id").fetchall()
    return [PeopleEvent(each, time, actor, kind, json.loads(data)) for each, time, actor, kind, data in rows]


def _insert(db: Connection, event: PeopleEvent) -> None:
    data = json.dumps(event.data, ensure_ascii=False, separators=(",", ":"))
    db.execute(
        "INSERT INTO people_events (id, time, actor, kind, data) VALUES (?, ?, ?, ?, ?)",
        [event.id, event.time, event.actor, event.kind, data],
    )
