"""The log of nights: the results of all games, which `NightProjection` brings up to date before each query."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeAlias

from companion.people.nights import DisputeResult, GameResult, Night, RoundResult, SeatResult, YakuResult
from companion.people.statistics import Choices, LoggedRound, PlayedBy, RoundFilter, RoundPage, Statistics
from companion.store.database import Connection, Database, chunks, marks, rows_of_marks
from companion.store.errors import NoSuchNightError
from companion.store.events import EventStore
from companion.store.night_projection import DISPUTE, GAME, ROUND, ROUND_SEAT, NightProjection
from companion.store.night_statistics import (
    NO_LIMIT,
    among_members,
    choices,
    played_by,
    selection_of,
    statistics,
)
from companion.store.people import PeopleStore
from companion.store.timestamps import iso_utc

_SEATS: Final = """
    SELECT seat.*, coalesce(person.name, sitting.name) AS known_as
    FROM wanted JOIN night_round_seats AS seat USING (table_id, round)
    JOIN night_seats AS sitting USING (table_id, seat)
    LEFT JOIN night_people AS person ON person.player = seat.player ORDER BY seat.seat
"""
_YAKU: Final = "SELECT made.* FROM wanted JOIN night_yaku AS made USING (table_id, round) ORDER BY position"
_ROUNDS: Final = "SELECT each.* FROM wanted JOIN night_rounds AS each USING (table_id, round)"

_DELETED: Final = """
    status = 'deleted' AND EXISTS (SELECT 1 FROM table_events AS last
    WHERE last.table_id = night_games.table_id AND last.seq = night_games.seq AND last.time >= :since)
"""
_RESTORABLE: Final = timedelta(days=30)
"""How long a deleted night is listed; after that only its address finds it."""

_Row: TypeAlias = Mapping[str, Any]


class NightStore:
    """The log of nights: the results of all games, computed from the tables' events."""

    def __init__(self, database: Database, events: EventStore, people: PeopleStore) -> None:
        self._database = database
        self._people = people
        self._projection = NightProjection(database, events, people)

    def close(self) -> None:
        """Stop computing results, and wait until nothing of them is being stored."""
        self._projection.close()

    def refresh(self) -> None:
        """Bring the results up to date, as every query does first. Stops early when the store is closed."""
        self._projection.refresh()

    def nights(
        self,
        *,
        limit: int = 30,
        before: str | None = None,
        player: str | None = None,
        circle: str | None = None,
        deleted: bool = False,
    ) -> list[Night]:
        """Return nights, the most recent first, without their rounds.

        ``before``: only nights that ended earlier; ``player``: only those of a player, by id; ``circle``: only those with a
        game among members of a circle, by id; ``deleted``: only those that were deleted in the last 30 days.
        """
        self.refresh()
        conditions = [_DELETED if deleted else "status <> 'deleted'"]
        values: dict[str, Any] = {"limit": limit if limit >= 0 else NO_LIMIT}
        if deleted:
            values["since"] = iso_utc(datetime.now(UTC) - _RESTORABLE)
        if player is not None:
            conditions.append(
                "night_id IN (SELECT night_id FROM night_games JOIN night_seats USING (table_id) WHERE player = :player)"
            )
            values["player"] = self._people.roster().resolved(player)
        members = self._members(circle)
        if members is not None:
            tables, named = among_members(members)
            conditions.append(f"table_id IN ({tables})")
            values |= named
        query = f"SELECT night_id FROM night_games WHERE {' AND '.join(conditions)} GROUP BY night_id"
        if before is not None:
            query += " HAVING max(ended) < :before"
            values["before"] = before
        with self._database.reading() as db:
            ids = list(db.query(f"{query} ORDER BY max(ended) DESC, night_id LIMIT :limit", values))
            return _nights(db, [row["night_id"] for row in ids], deleted=deleted)

    def night(self, night_id: str) -> Night:
        """Return a night with all its rounds, or raise `NoSuchNightError`. Deleted games are included."""
        self.refresh()
        with self._database.reading() as db:
            found = _nights(db, [night_id], full=True)
        if not found:
            raise NoSuchNightError(night_id)
        return found[0]

    def rounds(self, wanted: RoundFilter, *, limit: int = -1, skip: int = 0) -> RoundPage:
        """Return the rounds that pass a filter, the most recent first: all, or ``limit`` after the first ``skip``."""
        self.refresh()
        chosen = selection_of(self._resolved(wanted), self._members(wanted.circle))
        values = {**chosen.values, "limit": limit if limit >= 0 else NO_LIMIT, "skip": skip}
        page = f"{chosen.chosen} ORDER BY time DESC, table_id DESC, round DESC LIMIT :limit OFFSET :skip"
        with self._database.reading() as db:
            keys = [(table_id, number) for _, table_id, number in db.execute(page, values).fetchall()]
            results = round_results(db, keys)
            games: dict[str, tuple[str, str]] = {}
            for tables in chunks(sorted({table_id for table_id, _ in keys})):
                query = (
                    f"SELECT table_id, night_id, game FROM night_games WHERE table_id IN ({marks(tables)})"
                )
                games |= {table_id: of for table_id, *of in db.execute(query, tables).fetchall()}
            rounds = (
                LoggedRound(night=night, table=table_id, game=game, result=result)
                for (table_id, _), result in results.items()
                for night, game in [games[table_id]]
            )
            return RoundPage(total=chosen.count(db), rounds=tuple(rounds))

    def statistics(self, wanted: RoundFilter) -> Statistics:
        """Return the statistics of the rounds that pass a filter, of which only the player, game, rules, time and circle count."""
        self.refresh()
        with self._database.reading() as db:
            return statistics(db, self._resolved(wanted), self._members(wanted.circle))

    def disputes(self, *, night: str | None = None) -> list[DisputeResult]:
        """Return the disputes of all games that are not deleted, or of one night: open ones first, then the most recent."""
        self.refresh()
        query = "SELECT dispute.* FROM night_disputes AS dispute JOIN night_games USING (table_id) WHERE status <> 'deleted'"
        if night is not None:
            query += " AND dispute.night_id = :night"
        with self._database.reading() as db:
            order = "CASE state WHEN 'open' THEN 0 ELSE 1 END, dispute.time DESC, dispute.table_id, dispute.seq DESC"
            rows = list(db.query(f"{query} ORDER BY {order}", {"night": night}))
        return list(map(_dispute, rows))

    def choices(self) -> Choices:
        """Return the games, rules and players of all rounds."""
        self.refresh()
        with self._database.reading() as db:
            return choices(db)

    def played_by(self) -> list[PlayedBy]:
        """Return everybody who sits or sat at a table that is not deleted, the most recent first; no guests."""
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

    def _members(self, circle: str | None) -> Sequence[str] | None:
        """Return the ids of a circle's members, None without a circle; an unknown circle has none."""
        if circle is None:
            return None
        found = self._people.roster().circle(circle)
        return found.players if found else ()


def _nights(
    db: Connection, ids: Sequence[str], *, full: bool = False, deleted: bool | None = None
) -> list[Night]:
    """Return nights in the given order, with only their deleted or other games if ``deleted`` is given."""
    wanted = f"night_id IN ({marks(ids)})"
    games = grouped(
        db.query(f"SELECT * FROM night_games WHERE {wanted} ORDER BY opened, table_id", ids),
        "night_id",
    )
    tables = f"SELECT table_id FROM night_games WHERE {wanted}"
    seats = grouped(
        db.query(
            "SELECT seat.*, coalesce(person.name, seat.name) AS known_as"
            " FROM night_seats AS seat LEFT JOIN night_people AS person USING (player)"
            f" WHERE table_id IN ({tables}) ORDER BY table_id, seat",
            ids,
        ),
        "table_id",
    )
    disputes = grouped(
        db.query(f"SELECT * FROM night_disputes WHERE table_id IN ({tables}) ORDER BY table_id, seq", ids),
        "table_id",
    )
    rounds: dict[str, list[RoundResult]] = {}
    if full:
        query = (
            f"SELECT table_id, round FROM night_rounds WHERE table_id IN ({tables}) ORDER BY table_id, round"
        )
        for (table_id, _), result in round_results(db, db.execute(query, ids).fetchall()).items():
            rounds.setdefault(table_id, []).append(result)
    found = {
        night_id: tuple(
            _game(row, seats[row["table_id"]], rounds.get(row["table_id"]), disputes.get(row["table_id"]))
            for row in of_night
            if deleted is None or (row["status"] == "deleted") is deleted
        )
        for night_id, of_night in games.items()
    }
    return [Night(night_id, found[night_id]) for night_id in ids if night_id in found]


def _game(
    row: _Row, seats: Sequence[_Row], rounds: Iterable[RoundResult] | None, disputes: Iterable[_Row] | None
) -> GameResult:
    return GameResult(
        **_fields(row, GAME),
        winners=tuple(each["seat"] for each in seats if each["won"]),
        players=tuple(each["known_as"] for each in seats),
        player_ids=tuple(each["player"] for each in seats),
        points=tuple(each["points"] for each in seats),
        rounds=tuple(rounds or ()),
        disputes=tuple(map(_dispute, disputes or ())),
    )


def _dispute(row: _Row) -> DisputeResult:
    return DisputeResult(**_fields(row, DISPUTE))


def round_results(db: Connection, keys: Sequence[tuple[str, int]]) -> dict[tuple[str, int], RoundResult]:
    """Return rounds by table and number, in the order of their keys."""
    found: dict[tuple[str, int], RoundResult] = {}
    for chunk in chunks(keys):
        wanted = f"WITH wanted (table_id, round) AS (VALUES {rows_of_marks(chunk)})"
        values = [value for key in chunk for value in key]
        seats = grouped(db.query(f"{wanted} {_SEATS}", values), "table_id", "round")
        yaku = grouped(db.query(f"{wanted} {_YAKU}", values), "table_id", "round", "seat")
        for row in db.query(f"{wanted} {_ROUNDS}", values):
            key = row["table_id"], row["round"]
            results = (
                SeatResult(
                    **_fields(seat, ROUND_SEAT),
                    player=seat["known_as"],
                    player_id=seat["player"],
                    yaku=tuple(
                        YakuResult(each["yaku"], each["points"])
                        for each in yaku.get((*key, seat["seat"]), ())
                    ),
                )
                for seat in seats.get(key, ())
            )
            found[key] = RoundResult(**_fields(row, ROUND), seats=tuple(results))
    return {key: found[key] for key in keys}


def grouped(rows: Iterable[_Row], *names: str) -> dict[Any, list[_Row]]:
    """Return rows in lists by the values of columns, both in the order of the rows."""
    groups: dict[Any, list[_Row]] = {}
    for row in rows:
        key = tuple(row[name] for name in names)
        groups.setdefault(key if len(names) > 1 else key[0], []).append(row)
    return groups


def _fields(row: _Row, columns: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a result that the columns of a row hold."""
    return {name: _READ.get(column, _same)(row[column]) for column, name in columns.items()}


def _same(value: Any) -> Any:
    return value


_READ: Final[Mapping[str, Callable[[Any], Any]]] = {
    "over": bool,
    "won": bool,
    "why": json.loads,
    "says": json.loads,
}
"""How columns are read that hold truth values and JSON."""
