"""The events of tables as a file, to move nights to another log or to merge two logs; docs/data.md describes the format.

The first line names the format and its version, and each further line is an event with the id of its table, or an event about people
(`companion.people`). The tables are in the order in which they were opened, the events of a table in their own order, and the events
about people at the end in theirs, so the same events always give the same file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, get_args

from companion.hanafuda.errors import MessageError
from companion.hanafuda.messages import Message
from companion.hanafuda.strict_json import BadJSONError, loads
from companion.names import tidy_name
from companion.people.nights import game_result
from companion.people.people import PeopleEvent, checked
from companion.store.errors import EventFileError
from companion.store.events import Merged
from companion.store.store import Store
from companion.table import Event, Table
from companion.table.events import KINDS, Source, with_tidy_names

_HEADER: Final = {"format": "hanafuda-companion-events", "version": 1}
_ID: Final = re.compile(r"[0-9a-z]{1,20}")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_MAX_TEXT: Final = 400
"""Characters of an actor or of a picture's name."""
_SOURCES: Final = get_args(Source)


@dataclass(frozen=True, slots=True)
class MergeResult:
    """What a merge did, by the ids of the tables."""

    new: tuple[str, ...]
    extended: tuple[str, ...]
    """Tables of which the log had only the first events."""
    same: tuple[str, ...]
    """Tables that the log had already."""
    conflict: tuple[str, ...]
    """Tables left as they were, because other events are stored under the same numbers."""
    people: int
    """The number of new events about people."""


def event_lines(store: Store) -> Iterator[str]:
    """Yield the lines of the file with the events of all tables and those about people."""
    yield _line(_HEADER)
    for table in sorted(store.tables.list(), key=lambda each: (each.opened.time, each.id)):
        for event in store.tables.load(table.id):
            yield _line({"table": table.id, **event.to_json()})
    for each in store.people.events():
        yield _line(
            {
                "people": each.id,
                "time": each.time,
                "actor": each.actor,
                "kind": each.kind,
                "data": dict(each.data),
            }
        )


def merge_lines(store: Store, lines: Iterable[bytes]) -> MergeResult:
    """Add the events of a file that the log does not have.

    The whole file is checked first. Raises `EventFileError`, and then nothing is added.
    """
    people: list[PeopleEvent] = []
    merged = store.tables.merge(list(_tables(lines, people)))
    new_people = store.people.merge(people)

    def of(wanted: Merged) -> tuple[str, ...]:
        return tuple(table_id for table_id, done in merged.items() if done == wanted)

    return MergeResult(of("new"), of("extended"), of("same"), of("conflict"), new_people)


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


def _tables(lines: Iterable[bytes], people: list[PeopleEvent]) -> Iterator[tuple[str, list[Event]]]:
    """Yield the tables of a file with their events, which are checked, and add its events about people to ``people``."""
    numbered = enumerate(lines, start=1)
    if _parsed(*next(numbered, (1, b""))) != _HEADER:
        raise EventFileError(1, Message("import-not-events"))
    parsed = ((number, _parsed(number, line)) for number, line in numbered if line.strip())
    known: set[str] = set()
    for table_id, rows in groupby(parsed, key=lambda row: row[1].get("table")):
        events: list[Event] = []
        if table_id is None:
            people += [_about_people(number, row) for number, row in rows]
            continue
        for number, row in rows:
            if not isinstance(table_id, str) or not _ID.fullmatch(table_id) or table_id in known:
                raise EventFileError(number, Message("import-bad-table"))
            events.append(_event(number, row, len(events) + 1))
        known.add(table_id)
        _check_table(number, table_id, events)
        yield table_id, events


def _parsed(number: int, line: bytes) -> dict[str, Any]:
    try:
        value = loads(line)
    except BadJSONError as error:
        raise EventFileError(number, str(error)) from None
    if not isinstance(value, dict):
        raise EventFileError(number, Message("import-not-events"))
    return value


def _event(number: int, row: dict[str, Any], seq: int) -> Event:
    """Return the event of a line, which must be its table's number ``seq``."""
    group, confidence, evidence = row.get("group"), row.get("confidence"), row.get("evidence")
    valid = (
        row.get("seq") == seq
        and isinstance(group, int)
        and 1 <= group <= seq
        and isinstance(row.get("time"), str)
        and _TIME.fullmatch(row["time"])
        and isinstance(row.get("actor"), str)
        and len(row["actor"]) <= _MAX_TEXT
        and row.get("source") in _SOURCES
        and row.get("kind") in KINDS
        and isinstance(row.get("data"), dict)
        and isinstance(confidence, int | float)
        and 0 <= confidence <= 1
        and (evidence is None or (isinstance(evidence, str) and len(evidence) <= _MAX_TEXT))
        and row.keys() == {"table", *Event.__dataclass_fields__}
    )
    if not valid:
        raise EventFileError(number, Message("import-bad-event"))
    fields = {name: row[name] for name in Event.__dataclass_fields__}
    fields |= {"actor": tidy_name(row["actor"]), "data": with_tidy_names(row["kind"], row["data"])}
    # True counts as 1, but PostgreSQL does not store it as a number.
    return Event(**{**fields, "seq": seq, "group": int(row["group"]), "confidence": float(row["confidence"])})


def _about_people(number: int, row: dict[str, Any]) -> PeopleEvent:
    """Return the event about people of a line."""
    valid = (
        row.keys() == {"people", "time", "actor", "kind", "data"}
        and isinstance(row["people"], str)
        and _ID.fullmatch(row["people"])
        and isinstance(row["time"], str)
        and _TIME.fullmatch(row["time"])
        and isinstance(row["actor"], str)
        and len(row["actor"]) <= _MAX_TEXT
    )
    if not valid:
        raise EventFileError(number, Message("import-bad-event"))
    try:
        data = checked(row["kind"], row["data"])
    except MessageError as error:
        raise EventFileError(number, error.message) from error
    return PeopleEvent(row["people"], row["time"], tidy_name(row["actor"]), row["kind"], data)


def _check_table(number: int, table_id: str, events: list[Event]) -> None:
    """Raise `EventFileError` unless a table can be computed from events; ``number`` is the line of the last one."""
    if events[0].data.get("id") != table_id:
        raise EventFileError(number, Message("import-bad-table"))
    try:
        table = Table.of(events)
        table.view()
        game_result(table)
    except MessageError as error:
        raise EventFileError(number, error.message) from error
    except Exception as error:  # events that no version has written
        raise EventFileError(number, Message("import-bad-event")) from error
