"""Copies everything that a store keeps to another one, between SQLite and PostgreSQL in both directions.

Rows are copied as they are, so that keys of requests, ids and signatures stay valid; what belongs together (a table's events, a
scan with its corrections) is one transaction. What the target has already is compared and left as it is. So a copy that was
interrupted goes on when it is repeated, and nothing is ever overwritten.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, get_args

from companion.store.database import Connection, Database
from companion.store.documents import DocumentKind
from companion.store.store import Store

CopiedKind: TypeAlias = Literal[
    "pictures", "documents", "access", "rules", "people", "pairings", "invitations", "scans", "tables"
]
"""The kinds in the order of copying: pictures before their scans and events, the signing key before the pairings it signs."""

ReportProgress: TypeAlias = Callable[[CopiedKind, int, int], None]
"""Gets the kind that is being copied, how many things of it are done, and how many there are."""

_Row: TypeAlias = dict[str, Any]


@dataclass(slots=True)
class CopyResult:
    """What a copy did, by kind."""

    copied: Counter[CopiedKind] = field(default_factory=Counter)
    """Things that the target did not have, or of which it had only the beginning."""
    same: Counter[CopiedKind] = field(default_factory=Counter)
    """Things that the target had already."""
    conflicts: list[tuple[CopiedKind, str]] = field(default_factory=list)
    """Things of which the target has something else, by id; they were left as they are."""

    def add(self, kind: CopiedKind, name: str, outcome: _Outcome) -> None:
        """Count the outcome of one thing."""
        if outcome == "conflict":
            self.conflicts.append((kind, name))
        elif outcome == "copied":
            self.copied[kind] += 1
        else:
            self.same[kind] += 1


_Outcome: TypeAlias = Literal["copied", "same", "conflict"]


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of one thing in one database table, in their order."""

    table: str
    column: str
    """The column with the id of the thing."""
    order: str
    numbered: str | None = None
    """A column in which the database numbers the rows by itself; a copy keeps their order but not the numbers."""
    uses: Sequence[str] = ()
    """Columns that change with each use, and are not compared."""

    def read(self, db: Connection, thing: str) -> list[_Row]:
        """Return the rows of a thing."""
        rows = db.query(f"SELECT * FROM {self.table} WHERE {self.column} = ? ORDER BY {self.order}", [thing])
        return [_without(row, self.numbered) for row in rows]

    def begins(self, rows: Sequence[_Row], before: Sequence[_Row]) -> bool:
        """Return whether rows begin with those that are stored."""
        return [_without(row, *self.uses) for row in rows[: len(before)]] == [
            _without(row, *self.uses) for row in before
        ]


@dataclass(frozen=True, slots=True)
class _Things:
    """Things that consist of rows in several tables, to which rows are added at the end."""

    kind: CopiedKind
    scope: str
    """The scope of transactions, with the id of the thing in place of ``{}``."""
    ids: str
    """A query of the ids, in the order in which they are copied."""
    rows: Sequence[_Rows]


_THINGS: Final = (
    _Things("access", "pairings", "SELECT name FROM access_values", [_Rows("access_values", "name", "name")]),
    _Things(
        "people",
        "people",
        "SELECT id FROM people_events ORDER BY time, id",
        [_Rows("people_events", "id", "id", numbered="number")],
    ),
    _Things(
        "pairings",
        "pairings",
        "SELECT id FROM pairings ORDER BY since, id",
        [_Rows("pairings", "id", "id", uses=["seen"])],
    ),
    _Things(
        "invitations",
        "pairings",
        "SELECT code_hash FROM invitations ORDER BY id",
        [_Rows("invitations", "code_hash", "id", numbered="id", uses=["uses"])],
    ),
    # All versions of saved rules are one thing: the newest row of a name counts.
    _Things(
        "rules",
        "rules",
        "SELECT DISTINCT folded FROM house_rules ORDER BY folded",
        [_Rows("house_rules", "folded", "id", numbered="id")],
    ),
    _Things(
        "scans",
        "scans",
        "SELECT id FROM scans ORDER BY id",
        [
            _Rows("scans", "id", "id"),
            _Rows("readings", "scan", "scan"),
            _Rows("corrections", "scan", "id", numbered="id"),
            _Rows("scores", "scan", "id", numbered="id"),
        ],
    ),
    _Things(
        "tables",
        "table:{}",
        "SELECT table_id FROM table_events LEFT JOIN table_activity USING (table_id) WHERE seq = 1 ORDER BY opened",
        [
            _Rows("table_events", "table_id", "seq"),
            _Rows("table_pictures", "table_id", "seq, sha256"),
            _Rows("table_following", "table_id", "table_id"),
        ],
    ),
)
COPIED: Final = frozenset(rows.table for things in _THINGS for rows in things.rows)
"""The tables whose rows are copied as they are."""
NOT_COPIED: Final = frozenset(
    (
        "table_activity",  # its numbers are assigned in the same order
        *("night_games", "night_seats", "night_rounds", "night_round_seats", "night_yaku", "night_disputes"),
        *("night_people", "night_state"),  # computed from the events
    )
)
"""The tables of both databases that are not."""
_OF_ONE_MACHINE: Final = frozenset(("notices", "server"))
"""Files of a data folder that are no settings of the house."""


def copy_store(
    source: Store, target: Store, report: ReportProgress = lambda kind, done, count: None
) -> CopyResult:
    """Copy what the target does not have, and return what was done; raises `LogReadError` and `LogWriteError`.

    ``report`` is called after each picture, saved rules, scan and table. A second call that finds nothing to copy has compared
    both stores completely.
    """
    result = CopyResult()
    pictures = _pictures(source)
    for number, picture in enumerate(pictures, 1):
        media_type = source.pictures.media_type(picture)
        if media_type is not None:
            result.add("pictures", picture, _copy_picture(source, target, picture, media_type))
        report("pictures", number, len(pictures))
    for kind in get_args(DocumentKind):
        for name in source.documents.names(kind):
            if kind != "settings" or name not in _OF_ONE_MACHINE:
                result.add("documents", f"{kind}/{name}", _copy_document(source, target, kind, name))
    for things in _THINGS:
        # The target cannot check what was signed or hashed with another key.
        if things.kind in {"pairings", "invitations"} and ("access", "key") in result.conflicts:
            continue
        with source.database.reading() as db:
            ids = [thing for (thing,) in db.execute(things.ids).fetchall()]
        for number, thing in enumerate(ids, 1):
            result.add(things.kind, thing, _copy_thing(things, thing, source.database, target.database))
            report(things.kind, number, len(ids))
    _order_tables(source.database, target.database)
    return result


def _pictures(source: Store) -> list[str]:
    """Return the hashes of all pictures that something refers to."""
    query = "SELECT sha256 FROM scans UNION SELECT sha256 FROM table_pictures ORDER BY 1"
    with source.database.reading() as db:
        return [sha256 for (sha256,) in db.execute(query).fetchall()]


def _copy_picture(source: Store, target: Store, sha256: str, media_type: str) -> _Outcome:
    if target.pictures.media_type(sha256) is not None:
        return "same"
    data = source.pictures.read(sha256, media_type) or b""
    if hashlib.sha256(data).hexdigest() != sha256:
        return "conflict"  # the file is damaged
    target.pictures.put(data, media_type)
    return "copied"


def _copy_document(source: Store, target: Store, kind: DocumentKind, name: str) -> _Outcome:
    data, stored = source.documents.read(kind, name), target.documents.read(kind, name)
    if stored is None and data is not None:
        target.documents.write(kind, name, data)
        return "copied"
    return "same" if stored == data else "conflict"


def _copy_thing(things: _Things, thing: str, source: Database, target: Database) -> _Outcome:
    """Add the rows that follow those that the target has; a target with others is a conflict."""
    with source.reading() as db:
        wanted = [rows.read(db, thing) for rows in things.rows]

    def stored(db: Connection) -> list[list[_Row]] | None:
        """Return the rows that the target has; None if it has others."""
        found = [rows.read(db, thing) for rows in things.rows]
        pairs = zip(things.rows, wanted, found, strict=True)
        return found if all(rows.begins(new, before) for rows, new, before in pairs) else None

    with target.reading() as db:
        if (before := stored(db)) is not None and list(map(len, before)) == list(map(len, wanted)):
            return "same"
    with target.writing(things.scope.format(thing)) as db:
        if (before := stored(db)) is None:
            return "conflict"
        for rows, new, old in zip(things.rows, wanted, before, strict=True):
            _insert(db, rows.table, new[len(old) :])
        if things.kind == "tables":
            _change_table(db, target, thing)
    return "copied"


def _change_table(db: Connection, database: Database, table_id: str) -> None:
    """Number a table as the last changed one; its results lack the added events."""
    db.execute(
        "INSERT INTO table_activity (table_id, opened, changed) VALUES"
        f" (?, {database.next_number('table_activity', 'opened')}, {database.next_number('table_activity', 'changed')})"
        " ON CONFLICT (table_id) DO UPDATE SET changed = excluded.changed, results = 0",
        [table_id],
    )


def _order_tables(source: Database, target: Database) -> None:
    """Give the tables of the target the source's order, unless it has tables of its own."""
    for column in ("opened", "changed"):
        query = f"SELECT table_id FROM table_activity ORDER BY {column}"
        with source.reading() as db:
            wanted = db.execute(query).fetchall()
        with target.writing("copies") as db:
            current = db.execute(query).fetchall()
            if current != wanted and sorted(current) == sorted(wanted):
                number = target.next_number("table_activity", column)
                # The results contain the same events as before.
                update = f"UPDATE table_activity SET {column} = {number} WHERE table_id = ?"
                db.executemany(update, wanted)


def _insert(db: Connection, table: str, rows: Sequence[_Row]) -> None:
    if rows:
        names = ", ".join(f'"{name}"' for name in rows[0])
        values = ", ".join(f":{name}" for name in rows[0])
        db.executemany(f"INSERT INTO {table} ({names}) VALUES ({values})", rows)


def _without(row: _Row, *names: str | None) -> _Row:
    return {name: value for name, value in row.items() if name not in names}
