"""The log of nights in SQLite: the results of all games, computed from the tables' events.

The tables ``night_…`` are a projection: they may be dropped at any time and are rebuilt. They are brought up to date before each
query, so no write of an event has to wait for them.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from sqlite_utils import Database

from companion.nights.night_results import DisputeResult, GameResult, Night, RoundResult, game_result
from companion.nights.statistics import Choices, PlayedBy, RoundFilter, RoundPage, Statistics
from companion.people.roster import Roster
from companion.store.errors import LogReadError, LogWriteError, NoSuchNightError
from companion.store.sql.people_store import SqlPeople, people_version
from companion.store.sqlite.database import LogDatabase
from companion.store.sqlite.night_rounds import grouped, round_results
from companion.store.sqlite.night_statistics import AMONG_MEMBERS, choices, played_by, round_page, statistics
from companion.store.store_protocol import EventStore
from companion.table import Table

__all__ = ["SqliteNights"]

_VERSION: Final = 5
"""The version of `game_result`: a database with results of another version is computed again."""
_BATCH: Final = 50
"""Tables whose results are computed before they are stored: new results of a large log take minutes, but may be interrupted."""
_TABLES: Final = (
    "night_disputes",
    "night_yaku",
    "night_round_seats",
    "night_rounds",
    "night_seats",
    "night_games",
)
"""The tables of the projection, those that refer to others first."""

_log = logging.getLogger(__name__)


class SqliteNights:
    """The log of nights; see `companion.store.store_protocol.NightStore`. Thread-safe."""

    def __init__(self, database: LogDatabase, events: EventStore, people: SqlPeople) -> None:
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

    def nights(
        self,
        *,
        limit: int = 30,
        before: str | None = None,
        player: str | None = None,
        circle: str | None = None,
        deleted: bool = False,
    ) -> list[Night]:
        """Return nights, the most recent first; see `NightStore.nights`."""
        self.refresh()
        games = "SELECT * FROM night_games WHERE (status = 'deleted') = :deleted"
        if player is not None:
            games += " AND night_id IN (SELECT night_id FROM night_games JOIN night_seats USING (table_id) WHERE player = :player)"
        if circle is not None:
            games += f" AND table_id IN ({AMONG_MEMBERS})"
        query = f"SELECT night_id FROM ({games}) GROUP BY night_id"
        if before is not None:
            query += " HAVING max(ended) < :before"
        members = self._members(circle)
        values = {
            "deleted": deleted,
            "player": player and self._people.roster().resolved(player),
            "members": members,
            "before": before,
            "limit": limit,
        }
        with self._database.reading() as db:
            ids = list(db.query(f"{query} ORDER BY max(ended) DESC LIMIT :limit", values))
            return _nights(db, [row["night_id"] for row in ids], deleted=deleted)

    def night(self, night_id: str) -> Night:
        """Return a night with all its rounds; see `NightStore.night`."""
        self.refresh()
        with self._database.reading() as db:
            found = _nights(db, [night_id], full=True)
        if not found:
            raise NoSuchNightError(night_id)
        return found[0]

    def rounds(self, wanted: RoundFilter, *, limit: int = -1, skip: int = 0) -> RoundPage:
        """Return the rounds that pass a filter, the most recent first; see `NightStore.rounds`."""
        self.refresh()
        with self._database.reading() as db:
            return round_page(db, self._resolved(wanted), self._members(wanted.circle), limit, skip)

    def statistics(self, wanted: RoundFilter) -> Statistics:
        """Return the statistics of the rounds that pass a filter; see `NightStore.statistics`."""
        self.refresh()
        with self._database.reading() as db:
            return statistics(db, self._resolved(wanted), self._members(wanted.circle))

    def disputes(self, *, night: str | None = None) -> list[DisputeResult]:
        """Return the disputes of all games, or of one night; see `NightStore.disputes`."""
        self.refresh()
        query = "SELECT dispute.* FROM night_disputes AS dispute JOIN night_games USING (table_id) WHERE status <> 'deleted'"
        if night is not None:
            query += " AND dispute.night_id = :night"
        with self._database.reading() as db:
            rows = list(db.query(f"{query} ORDER BY state <> 'open', time DESC, seq DESC", {"night": night}))
        return list(map(_dispute, rows))

    def choices(self) -> Choices:
        """Return the games, rules and players of all rounds."""
        self.refresh()
        with self._database.reading() as db:
            return choices(db)

    def played_by(self) -> list[PlayedBy]:
        """Return everybody who sits or sat at a table; see `NightStore.played_by`."""
        self.refresh()
        with self._database.reading() as db:
            return played_by(db)

    def deleted(self) -> set[str]:
        """Return the ids of the deleted tables."""
        self.refresh()
        with self._database.reading() as db:
            rows = db.execute("SELECT table_id FROM night_games WHERE status = 'deleted'").fetchall()
        return {row[0] for row in rows}

    def _resolved(self, wanted: RoundFilter) -> RoundFilter:
        """Return a filter with today's ids of its players, who may have been merged."""
        roster = self._people.roster()
        player, opponent = (each and roster.resolved(each) for each in (wanted.player, wanted.opponent))
        return replace(wanted, player=player, opponent=opponent)

    def _members(self, circle: str | None) -> str | None:
        """Return the ids of a circle's members as JSON, None without a circle; an unknown circle has none."""
        if circle is None:
            return None
        found = self._people.roster().circle(circle)
        return json.dumps(found.players if found else ())

    # --- the projection

    def refresh(self) -> None:
        """Compute the results of the tables that have changed; see `NightStore.refresh`."""
        with self._refreshing:
            while not self._closed.is_set() and self._refresh_some():
                pass

    def _refresh_some(self) -> bool:
        """Compute the results of some tables that have changed, and return whether there may be others.

        They are computed before the transaction, so that reports of events do not wait for them.
        """
        with self._database.reading() as db:
            state = version, changed, people = _state(db)
            since = changed if version == _VERSION else 0
            tables = db.execute(
                "SELECT table_id, changed FROM table_activity WHERE changed > ? ORDER BY changed LIMIT ?",
                [since, _BATCH],
            ).fetchall()
            if not tables and version == _VERSION and people == people_version(db):
                return False
            results = list(self._results(table_id for table_id, _ in tables))
        if self._closed.is_set():
            return False  # they may be incomplete
        try:
            with self._database.writing() as db:
                if _state(db) != state:
                    return True  # another process was faster
                if version != _VERSION:
                    for table in _TABLES:
                        db.execute(f"DELETE FROM {table}")
                roster, current = self._people.roster(), people_version(db)
                for result in results:
                    _replace(db, result, roster)
                if people != current:
                    _seat_players(db, roster)
                _name_players(db, roster)
                db.execute("DELETE FROM night_state")
                last = tables[-1][1] if tables else since
                db.execute("INSERT INTO night_state VALUES (?, ?, ?)", [_VERSION, last, current])
        except LogWriteError as error:
            _log.warning("the log of nights is not up to date: %s", error)
            return False
        return True

    def _results(self, tables: Iterable[str]) -> Iterator[GameResult]:
        for table_id in tables:
            if self._closed.is_set():
                return
            try:
                yield game_result(Table.of(self._events.load(table_id)))
            except LogReadError:
                raise
            except Exception:  # a table that cannot be computed must not hide the others
                _log.exception("table %s is missing in the log of nights", table_id)


def _state(db: Database) -> tuple[int, int, int]:
    """Return the version of the results, and the numbers of the last changes of a table and of the people that they contain."""
    row = db.execute("SELECT version, changed, people FROM night_state").fetchone()
    return (0, 0, 0) if row is None else tuple(row)


def _seat_players(db: Database, roster: Roster) -> None:
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
        db.conn.executemany(f"UPDATE {table} SET player = ? WHERE table_id = ? AND seat = ?", changed)


def _name_players(db: Database, roster: Roster) -> None:
    """Update the names of all players."""
    names = {each.id: each.name for each in roster.players}
    for (player,) in db.execute("SELECT DISTINCT player FROM night_seats WHERE player <> ''").fetchall():
        names.setdefault(player, player)  # somebody without an entry has the name as id
    if dict(db.execute("SELECT player, name FROM night_people").fetchall()) != names:
        db.execute("DELETE FROM night_people")
        _insert(db, "night_people", list(names.items()))


def _replace(db: Database, game: GameResult, roster: Roster) -> None:
    """Replace the rows of a game."""
    players = [
        roster.seated(game.night, name, player)
        for name, player in zip(game.players, game.player_ids, strict=True)
    ]
    for table in _TABLES:
        db.execute(f"DELETE FROM {table} WHERE table_id = ?", [game.table])
    _insert(db, "night_games", [_game_row(game)])
    _insert(
        db,
        "night_seats",
        [
            (game.table, seat, player, worth, seat in game.winners, name, recorded)
            for seat, (player, worth, name, recorded) in enumerate(
                zip(players, game.points, game.players, game.player_ids, strict=True), start=1
            )
        ],
    )
    _insert(
        db,
        "night_rounds",
        [
            (
                game.table,
                each.number,
                each.time,
                each.dealer,
                each.month,
                each.how,
                json.dumps(each.why, ensure_ascii=False),
                each.rules_name,
                each.rules_hash,
            )
            for each in game.rounds
        ],
    )
    _insert(
        db,
        "night_round_seats",
        [
            (
                *(
                    game.table,
                    each.number,
                    seat.seat,
                    players[seat.seat - 1],
                    seat.points,
                    seat.won,
                    seat.calls,
                ),
                *(seat.brights, game.night, each.time, game.game, each.rules_name),
            )
            for each in game.rounds
            for seat in each.seats
        ],
    )
    _insert(
        db,
        "night_disputes",
        [
            (
                *(game.table, each.seq, game.night, each.round, each.time, each.state, each.verdict),
                *(each.player, each.text, json.dumps(each.says, ensure_ascii=False)),
            )
            for each in game.disputes
        ],
    )
    _insert(
        db,
        "night_yaku",
        [
            (game.table, each.number, seat.seat, position, slug, worth)
            for each in game.rounds
            for seat in each.seats
            for position, (slug, worth) in enumerate(seat.yaku)
        ],
    )


def _game_row(game: GameResult) -> tuple[Any, ...]:
    return (
        game.table,
        game.night,
        game.seq,
        game.name,
        game.game,
        game.rules_name,
        game.rules_hash,
        game.deck,
        game.opened,
        game.ended,
        game.status,
        game.over,
        game.of,
        game.played,
    )


def _insert(db: Database, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
    if rows:
        db.conn.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)


def _nights(
    db: Database, ids: Sequence[str], *, full: bool = False, deleted: bool | None = None
) -> list[Night]:
    """Return nights in the given order, with only their deleted or other games if ``deleted`` is given."""
    marks = ", ".join("?" * len(ids))
    games = grouped(
        db.query(f"SELECT * FROM night_games WHERE night_id IN ({marks}) ORDER BY opened, table_id", ids),
        lambda row: row["night_id"],
    )
    tables = f"SELECT table_id FROM night_games WHERE night_id IN ({marks})"
    seats = grouped(
        db.query(
            "SELECT seat.*, coalesce(person.name, seat.name) AS known_as"
            " FROM night_seats AS seat LEFT JOIN night_people AS person USING (player)"
            f" WHERE table_id IN ({tables}) ORDER BY table_id, seat",
            ids,
        ),
        lambda row: row["table_id"],
    )
    disputes = grouped(
        db.query(f"SELECT * FROM night_disputes WHERE table_id IN ({tables}) ORDER BY table_id, seq", ids),
        lambda row: row["table_id"],
    )
    rounds: dict[str, list[RoundResult]] = {}
    if full:
        query = (
            f"SELECT table_id, round FROM night_rounds WHERE table_id IN ({tables}) ORDER BY table_id, round"
        )
        keys = db.execute(query, ids).fetchall()
        results = round_results(db, keys)
        for table_id, number in keys:
            rounds.setdefault(table_id, []).append(results[table_id, number])
    return [
        Night(
            night_id,
            tuple(
                _game(
                    row,
                    seats[row["table_id"]],
                    rounds.get(row["table_id"], ()),
                    disputes.get(row["table_id"], ()),
                )
                for row in games[night_id]
                if deleted is None or (row["status"] == "deleted") is deleted
            ),
        )
        for night_id in ids
        if night_id in games
    ]


def _dispute(row: Mapping[str, Any]) -> DisputeResult:
    return DisputeResult(
        night=row["night_id"],
        table=row["table_id"],
        seq=row["seq"],
        round=row["round"],
        time=row["time"],
        state=row["state"],
        verdict=row["verdict"],
        player=row["player"],
        text=row["text"],
        says=json.loads(row["says"]),
    )


def _game(
    row: Mapping[str, Any],
    seats: Sequence[Mapping[str, Any]],
    rounds: Iterable[RoundResult],
    disputes: Iterable[Mapping[str, Any]],
) -> GameResult:
    return GameResult(
        table=row["table_id"],
        night=row["night_id"],
        seq=row["seq"],
        name=row["name"],
        game=row["game"],
        rules_name=row["rules_name"],
        rules_hash=row["rules_hash"],
        deck=row["deck"],
        opened=row["opened"],
        ended=row["ended"],
        status=row["status"],
        over=bool(row["over"]),
        winners=tuple(each["seat"] for each in seats if each["won"]),
        of=row["rounds_of"],
        players=tuple(each["known_as"] for each in seats),
        player_ids=tuple(each["player"] for each in seats),
        points=tuple(each["points"] for each in seats),
        played=row["played"],
        rounds=tuple(rounds),
        disputes=tuple(map(_dispute, disputes)),
    )
