"""Copies the readable rows of a damaged database to a new one."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from companion.store.sqlite.database import LogDatabase
from companion.store.sqlite.schema import ACTIVITY, MIGRATIONS
from companion.store.sqlite.write_errors import DAMAGED

__all__ = ["Salvaged", "has_damaged_texts", "salvage"]

_MAX_GAP: Final = 100_000
"""Maximum number of rowids that are tried one by one between the parts readable from both ends of a table: this takes a fraction
of a second."""

_DOCUMENTS: Final = frozenset(("calls", "data", "reading", "rules", "score"))
"""Columns that hold JSON."""

_Row = tuple[Any, ...]


@dataclass(slots=True)
class Salvaged:
    """The losses of a salvage."""

    lost: dict[str, int] = field(default_factory=dict)
    """Minimum number of lost rows by table of the database; 0 if the number is unknown."""
    cut: dict[str, int] = field(default_factory=dict)
    """The live tables of which the last events were lost, each with the number of the last event that remains."""


def salvage(damaged: Path, target: Path, backup: Path | None) -> Salvaged:
    """Copy all readable rows of ``damaged`` into the new database ``target``.

    Unreadable events, saved rules and people are taken from the database ``backup`` if it has them. Deleted scans and revoked pairings
    do not come back. Raises `sqlite3.Error` if not even the schema can be read.
    """
    result = Salvaged()
    LogDatabase(target, MIGRATIONS).close()
    with (
        closing(sqlite3.connect(f"{damaged.absolute().as_uri()}?mode=rw", uri=True)) as source,
        closing(sqlite3.connect(target)) as new,
    ):
        source.text_factory = _decode
        known = {name for _, name in _tables(new)}
        for without_rowid, name in _tables(source):
            if name not in known or name == MIGRATIONS.migrations_table or name.startswith("night_"):
                continue  # the log of nights is computed from the events
            columns = [each for each in _columns(source, name) if each in _columns(new, name)]
            if name == "table_events":
                _copy_events(source, new, backup, columns, result)
            elif without_rowid:
                _insert(new, name, columns, _rows_from_both_ends(source, name, columns, result), result)
            else:
                _insert(new, name, columns, _by_rowid(source, name, columns, result), result)
        if backup is not None:
            _add_from_backup(new, backup)
        _make_consistent(new, result)
        new.commit()
    return result


def _tables(database: sqlite3.Connection) -> list[tuple[int, str]]:
    """Return the tables: 1 for a table WITHOUT ROWID, else 0, and the name."""
    return database.execute(
        "SELECT wr, name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
        " AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
    ).fetchall()


def _quoted(columns: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in columns)


def _by_rowid(
    source: sqlite3.Connection, table: str, columns: Sequence[str], result: Salvaged
) -> Iterator[_Row]:
    """Yield the rows of a table from both ends, then those in between one by one."""
    low, high, names = 0, None, _quoted(columns)
    try:
        for rowid, *row in source.execute(f'SELECT rowid, {names} FROM "{table}" ORDER BY rowid'):
            low = rowid
            yield tuple(row)
        return
    except DAMAGED:
        result.lost.setdefault(table, 0)
    try:
        for rowid, *row in source.execute(
            f'SELECT rowid, {names} FROM "{table}" WHERE rowid > ? ORDER BY rowid DESC', [low]
        ):
            high = rowid
            yield tuple(row)
        return  # cannot happen: the page that ended the first pass is in between
    except DAMAGED:
        pass
    high = low + _MAX_GAP if high is None else high
    for rowid in range(low + 1, min(high, low + _MAX_GAP)):
        try:
            yield from source.execute(f'SELECT {names} FROM "{table}" WHERE rowid = ?', [rowid])
        except DAMAGED:
            result.lost[table] += 1


def _rows_from_both_ends(
    source: sqlite3.Connection, table: str, columns: Sequence[str], result: Salvaged
) -> Iterator[_Row]:
    """Yield the rows that can be read from both ends of a table WITHOUT ROWID; some may be repeated."""
    keys = sorted(
        (row for row in source.execute(f'PRAGMA table_info("{table}")') if row[5] > 0),
        key=lambda row: int(row[5]),
    )
    for direction in ("ASC", "DESC"):
        order = ", ".join(f'"{key[1]}" {direction}' for key in keys)
        try:
            yield from source.execute(f'SELECT {_quoted(columns)} FROM "{table}" ORDER BY {order}')
            return
        except DAMAGED:
            result.lost.setdefault(table, 0)


def _copy_events(
    source: sqlite3.Connection,
    new: sqlite3.Connection,
    backup: Path | None,
    columns: Sequence[str],
    result: Salvaged,
) -> None:
    """Copy each live table's events up to the first one that is readable neither in the damaged database nor in the backup."""
    names = _quoted(columns)
    table_index, seq_index = columns.index("table_id"), columns.index("seq")
    readable: _Events = {}
    for row in _rows_from_both_ends(source, "table_events", columns, result):
        if isinstance(row[table_index], str) and isinstance(row[seq_index], int):
            readable[row[table_index], row[seq_index]] = row
    events = readable if backup is None else _with_backup(readable, backup, columns)
    for table_id in dict.fromkeys(table for table, _ in events):
        seq = 1
        while any(
            each and _insert(new, "table_events", columns, [each], result)
            for each in (_event(source, names, table_id, seq, result), events.get((table_id, seq)))
        ):
            seq += 1
        later_lost = any(table == table_id and number >= seq for table, number in readable)
        if later_lost or ("table_events" in result.lost and not _is_end(source, table_id, seq)):
            result.cut[str(table_id)] = seq - 1


_Events = dict[tuple[Any, Any], "_Row"]
"""Rows of events by table and sequence number."""


def _with_backup(readable: _Events, backup: Path, columns: Sequence[str]) -> _Events:
    """Return readable events with those of a backup in place of missing or damaged ones."""
    events = dict(readable)
    table_index, seq_index = columns.index("table_id"), columns.index("seq")
    with closing(sqlite3.connect(f"{backup.absolute().as_uri()}?mode=ro", uri=True)) as database:
        if set(columns) <= set(_columns(database, "table_events")):
            for row in database.execute(f"SELECT {_quoted(columns)} FROM table_events"):
                known = readable.get((row[table_index], row[seq_index]))
                if known is None or not _is_json(known[columns.index("data")]):
                    events[row[table_index], row[seq_index]] = row
    return events


def _event(source: sqlite3.Connection, names: str, table_id: Any, seq: int, result: Salvaged) -> _Row | None:
    try:
        row: _Row | None = source.execute(
            f"SELECT {names} FROM table_events WHERE table_id = ? AND seq = ?", [table_id, seq]
        ).fetchone()
    except DAMAGED:
        result.lost.setdefault("table_events", 0)
        return None
    return row


def _is_end(source: sqlite3.Connection, table_id: Any, seq: int) -> bool:
    """Return whether the damaged database definitely has no event with this number or a later one."""
    try:
        return (
            source.execute(
                "SELECT 1 FROM table_events WHERE table_id = ? AND seq >= ?", [table_id, seq]
            ).fetchone()
            is None
        )
    except DAMAGED:
        return False


def _add_from_backup(new: sqlite3.Connection, backup: Path) -> None:
    """Add lost rows of the saved rules' history and of the events about people from the backup."""
    with closing(sqlite3.connect(f"{backup.absolute().as_uri()}?mode=ro", uri=True)) as backup_database:
        for table in ("house_rules", "people_events"):
            if columns := _columns(backup_database, table):
                marks, names = ", ".join("?" * len(columns)), _quoted(columns)
                new.executemany(
                    f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})",
                    backup_database.execute(f"SELECT {names} FROM {table}"),
                )


def _make_consistent(new: sqlite3.Connection, result: Salvaged) -> None:
    """Add an empty reading to scans without one, so that their pictures are kept, and delete rows without their scan or event."""
    for scan, image in new.execute(
        "SELECT id, image FROM scans WHERE id NOT IN (SELECT scan FROM readings)"
    ).fetchall():
        empty = {"image": image, "width": 0, "height": 0, "deck": None, "cards": [], "ms": {}}
        new.execute("INSERT INTO readings (scan, reading) VALUES (?, ?)", [scan, json.dumps(empty)])
        result.lost["readings"] = result.lost.get("readings", 0) + 1
    for name in ("readings", "corrections", "scores"):
        new.execute(f"DELETE FROM {name} WHERE scan NOT IN (SELECT id FROM scans)")
    events = "SELECT table_id, seq FROM table_events"
    new.execute("DROP TRIGGER table_pictures_are_never_changed_by_delete")
    new.execute(f"DELETE FROM table_pictures WHERE (table_id, seq) NOT IN ({events})")
    new.execute(
        "CREATE TRIGGER table_pictures_are_never_changed_by_delete BEFORE DELETE ON table_pictures"
        " BEGIN SELECT RAISE(ABORT, 'table_pictures are never changed, only added to'); END"
    )
    new.execute("DELETE FROM table_activity")
    new.execute(ACTIVITY)


def _insert(
    new: sqlite3.Connection,
    table: str,
    columns: Sequence[str],
    rows: Iterator[_Row] | Sequence[_Row],
    result: Salvaged,
) -> int:
    """Insert rows and return their number; damaged ones are counted as lost."""
    inserted = 0
    documents = [name in _DOCUMENTS for name in columns]
    marks = ", ".join("?" * len(columns))
    statement = f'INSERT OR IGNORE INTO "{table}" ({_quoted(columns)}) VALUES ({marks})'
    for row in rows:
        try:
            if table == "table_events" and any("\N{REPLACEMENT CHARACTER}" in str(value) for value in row):
                raise sqlite3.DataError("a text that is damaged")
            if any(
                is_json and value is not None and not _is_json(value)
                for is_json, value in zip(documents, row, strict=True)
            ):
                raise sqlite3.DataError("a document that is damaged")
            inserted += new.execute(statement, row).rowcount
        except DAMAGED:
            result.lost[table] = result.lost.get(table, 0) + 1
    return inserted


def _columns(database: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]


def has_damaged_texts(database: sqlite3.Connection) -> bool:
    """Return whether a stored text is not valid UTF-8, or not valid JSON where it should be; SQLite's own check does not notice."""
    database.text_factory = bytes
    try:
        for _, raw in _tables(database):
            name = raw.decode()  # type: ignore[attr-defined]
            columns = [each.decode() for each in _columns(database, name)]  # type: ignore[attr-defined]
            documents = [column in _DOCUMENTS for column in columns]
            for row in database.execute(f'SELECT {_quoted(columns)} FROM "{name}"'):
                for is_json, value in zip(documents, row, strict=True):
                    if isinstance(value, bytes) and not (_is_json(value) if is_json else _is_text(value)):
                        return True
    finally:
        database.text_factory = str
    return False


def _is_text(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_json(value: Any) -> bool:
    try:
        json.loads(value)
    except (ValueError, TypeError):  # also bytes that are no text
        return False
    return "\N{REPLACEMENT CHARACTER}" not in value if isinstance(value, str) else True


def _decode(raw: bytes) -> str:
    """Decode a text of the database; damaged bytes are replaced."""
    return raw.decode(errors="replace")
