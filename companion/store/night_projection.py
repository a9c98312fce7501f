"""Computes the log of nights, the results of all games, from the tables' events.

The tables ``night_…`` are a projection: they may be emptied and computed again. They are brought up to date before each query, so no
write of an event has to wait for them. ``table_activity.results`` is the version of the stored results that contain all events of a
table; each new event sets it to 0. So a table that changed is found whatever the order in which transactions are committed, and
several processes, also of different versions of the program, may bring the results up to date at the same time.

A table that changed is folded as a whole, 340 events in some 12 ms; only rows that differ are written.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from companion.messages import error_text
from companion.people.nights import GameResult, game_result
from companion.people.people import Roster
from companion.store.database import Connection, Database, chunks, marks
from companion.store.errors import LogReadError, LogWriteError
from companion.store.events import EventStore
from companion.store.people import PeopleStore, people_version
from companion.table import Table

_VERSION: Final = 5
"""The version of `game_result`: results of an earlier version are computed again."""
_BATCH: Final = 50
"""Tables whose results are computed before they are stored: new results of a large log take minutes, but may be interrupted."""
_TABLES: Final = {
    "night_games": ("table_id",),
    "night_seats": ("table_id", "seat"),
    "night_rounds": ("table_id", "round"),
    "night_round_seats": ("table_id", "round", "seat"),
    "night_yaku": ("table_id", "round", "seat", "position"),
    "night_disputes": ("table_id", "seq"),
}
"""The tables of the projection with the columns of their primary keys; each refers only to those before it."""


def _columns(same: str, **other: str) -> Mapping[str, str]:
    """Return columns with the fields of a result that they hold; most have the same name."""
    return {name: name for name in same.split()} | other


GAME: Final = _columns(
    "seq name game rules_name rules_hash deck opened ended status over played",
    table_id="table",
    night_id="night",
    rounds_of="of",
)
ROUND: Final = _columns("round time dealer month how rules_name rules_hash", why="reason")
ROUND_SEAT: Final = _columns("seat points won calls brights")
DISPUTE: Final = _columns("seq round time state verdict player text says", table_id="table", night_id="night")
"""The columns of the tables that hold fields of a result, with the names of the fields."""

_Row: TypeAlias = dict[str, Any]
_Key: TypeAlias = tuple[Any, ...]

_log = logging.getLogger(__name__)


class NightProjection:
    """Brings the tables ``night_…`` up to date. Thread-safe."""

    def __init__(self, database: Database, events: EventStore, people: PeopleStore) -> None:
        self._database = database
        self._events = events
        self._people = people
        self._refreshing = threading.Lock()
        self._closed = threading.Event()

    def close(self) -> None:
        """Stop computing results, and wait until nothing of them is being stored."""
        self._closed.set()
        with self._refreshing:
            pass

    def refresh(self) -> None:
        """Compute the results of the tables that have changed before this call, and the names of the players.

        What cannot be stored is logged and left for the next call. Raises `LogReadError`.
        """
        with self._refreshing:
            if self._closed.is_set():
                return
            with self._database.reading() as db:
                query = "SELECT table_id FROM table_activity WHERE results < ? ORDER BY changed"
                tables = [table_id for (table_id,) in db.execute(query, [_VERSION]).fetchall()]
                people_changed = _people_of_results(db) != people_version(db)
            try:
                for batch in chunks(tables, _BATCH):
                    self._compute(batch)
                if people_changed and not tables:
                    self._store({}, [])
            except LogWriteError as error:
                _log.warning("the log of nights is not up to date: %s", error_text(error))

    def _compute(self, tables: Sequence[str]) -> None:
        """Compute and store the results of tables. Nothing waits for the first part, which takes most of the time."""
        with self._database.reading() as db:
            query = f"SELECT table_id, changed FROM table_activity WHERE table_id IN ({marks(tables)})"
            changed = dict(db.execute(query, tables).fetchall())
            results = list(self._results(sorted(changed)))
        if not self._closed.is_set():  # else they may be incomplete
            self._store(changed, results)

    def _results(self, tables: Iterable[str]) -> Iterator[GameResult]:
        for table_id in tables:
            if self._closed.is_set():
                return
            try:
                result = game_result(Table.of(self._events.load(table_id)))
            except LogReadError:
                raise
            except Exception:  # a table that cannot be computed must not hide the others
                _log.exception("table %s is missing in the log of nights", table_id)
            else:
                yield result

    def _store(self, changed: Mapping[str, int], results: Sequence[GameResult]) -> None:
        """Store results of tables, given with the number of the last change that the results contain."""
        with self._database.writing("nights") as db:
            current = people_version(db)  # before the roster, which may be newer then
            roster = self._people.roster()
            _replace(db, _without_older(db, results), roster)
            if _people_of_results(db) != current:
                _seat_players(db, roster)
                db.execute("DELETE FROM night_state")
                db.execute("INSERT INTO night_state (people) VALUES (?)", [current])
            _name_players(db, roster)
            # At the end: an append to one of the tables waits for it. A table that has changed again keeps its 0.
            db.executemany(
                "UPDATE table_activity SET results = ? WHERE table_id = ? AND changed = ? AND results < ?",
                [(_VERSION, table_id, number, _VERSION) for table_id, number in sorted(changed.items())],
            )


def _people_of_results(db: Connection) -> int:
    """Return the number of the last change of the people that the results contain."""
    row = db.execute("SELECT people FROM night_state").fetchone()
    return 0 if row is None else int(row[0])


def _without_older(db: Connection, results: Sequence[GameResult]) -> list[GameResult]:
    """Return the results that contain more than the stored ones; another process may have been faster."""
    query = (
        "SELECT table_id, game.seq, results FROM table_activity JOIN night_games AS game USING (table_id)"
        f" WHERE table_id IN ({marks(results)})"
    )
    stored = {
        table_id: (seq, version)
        for table_id, seq, version in db.execute(query, [each.table for each in results]).fetchall()
    }
    unknown = (0, 0)
    newer = {
        each.table: each
        for each in results
        if stored.get(each.table, unknown)[0] <= each.seq and stored.get(each.table, unknown)[1] < _VERSION
    }
    return list(newer.values())


def _seat_players(db: Connection, roster: Roster) -> None:
    """Update the players of all seats after a change of the people; rows that stay the same are not written."""
    query = (
        "SELECT table_id, seat, player, seated.name, recorded, night_id"
        " FROM night_seats AS seated JOIN night_games USING (table_id)"
    )
    changed = [
        (player, table_id, seat)
        for table_id, seat, before, name, recorded, night_id in db.execute(query).fetchall()
        if (player := roster.seated(night_id, name, recorded)) != before
    ]
    for table in ("night_seats", "night_round_seats"):
        db.executemany(f"UPDATE {table} SET player = ? WHERE table_id = ? AND seat = ?", changed)


def _name_players(db: Connection, roster: Roster) -> None:
    """Update the names of all players."""
    names = {each.id: each.name for each in roster.players}
    for (player,) in db.execute("SELECT DISTINCT player FROM night_seats WHERE player <> ''").fetchall():
        names.setdefault(player, player)  # somebody without an entry has the name as id
    if dict(db.execute("SELECT player, name FROM night_people").fetchall()) != names:
        db.execute("DELETE FROM night_people")
        db.executemany("INSERT INTO night_people (player, name) VALUES (?, ?)", names.items())


def _replace(db: Connection, results: Sequence[GameResult], roster: Roster) -> None:
    """Replace the rows of games; rows that stay the same are not written."""
    tables = [game.table for game in results]
    rows: dict[str, dict[_Key, _Row]] = {table: {} for table in _TABLES}
    for game in results:
        for table, row in _rows(game, roster):
            rows[table][_key(table, row)] = row
    stored = {
        table: {
            _key(table, row): row
            for row in db.query(f"SELECT * FROM {table} WHERE table_id IN ({marks(tables)})", tables)
        }
        for table in _TABLES
    }
    for table in reversed(_TABLES):
        condition = " AND ".join(f"{name} = ?" for name in _TABLES[table])
        db.executemany(
            f"DELETE FROM {table} WHERE {condition}", sorted(stored[table].keys() - rows[table].keys())
        )
    for table, keys in _TABLES.items():
        changed = [row for key, row in rows[table].items() if row != stored[table].get(key)]
        if changed:
            names = ", ".join(changed[0])
            values = ", ".join(f":{name}" for name in changed[0])
            others = ", ".join(f"{name} = excluded.{name}" for name in changed[0] if name not in keys)
            db.executemany(
                f"INSERT INTO {table} ({names}) VALUES ({values})"
                f" ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {others}",
                changed,
            )


def _key(table: str, row: _Row) -> _Key:
    return tuple(row[name] for name in _TABLES[table])


def _rows(game: GameResult, roster: Roster) -> Iterator[tuple[str, _Row]]:
    """Yield the rows of a game, each with its table."""
    players = [
        roster.seated(game.night, name, player)
        for name, player in zip(game.players, game.player_ids, strict=True)
    ]
    yield "night_games", _row(game, GAME)
    for seat, player in enumerate(players, start=1):
        yield (
            "night_seats",
            {
                "table_id": game.table,
                "seat": seat,
                "player": player,
                "points": game.points[seat - 1],
                "won": int(seat in game.winners),
                "name": game.players[seat - 1],
                "recorded": game.player_ids[seat - 1],
            },
        )
    for each in game.rounds:
        position = {"table_id": game.table, "round": each.round}
        repeated = {
            "night_id": game.night,
            "game": game.game,
            "time": each.time,
            "rules_name": each.rules_name,
        }
        yield "night_rounds", position | _row(each, ROUND)
        for result in each.seats:
            player = players[result.seat - 1]
            yield "night_round_seats", position | repeated | {"player": player} | _row(result, ROUND_SEAT)
            for number, (slug, worth) in enumerate(result.yaku):
                made = {"seat": result.seat, "position": number, "yaku": slug, "points": worth}
                yield "night_yaku", position | made
    for dispute in game.disputes:
        yield "night_disputes", _row(dispute, DISPUTE)


def _row(result: object, columns: Mapping[str, str]) -> _Row:
    return {column: _stored(getattr(result, name)) for column, name in columns.items()}


def _stored(value: Any) -> Any:
    """Return a value as it is stored: a truth value as a number, the JSON of a message as text."""
    if isinstance(value, bool):
        return int(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, Mapping) else value
