"""The log of nights: the results of all games, which `NightProjection` brings up to date before each query."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from companion.nights.night_results import DisputeResult, GameResult, Night, RoundResult
from companion.nights.statistics import Choices, PlayedBy, RoundFilter, RoundPage, Statistics
from companion.store.errors import NoSuchNightError
from companion.store.sql.connection import Connection, Database
from companion.store.sql.night_projection import NightProjection
from companion.store.sql.night_rounds import grouped, round_results
from companion.store.sql.night_statistics import (
    NO_LIMIT,
    among_members,
    choices,
    played_by,
    round_page,
    statistics,
)
from companion.store.sql.parameters import marks
from companion.store.store_protocol import EventStore, PeopleStore

__all__ = ["SqlNights"]


class SqlNights:
    """The log of nights; see `companion.store.store_protocol.NightStore`. Thread-safe."""

    def __init__(self, database: Database, events: EventStore, people: PeopleStore) -> None:
        self._database = database
        self._people = people
        self._projection = NightProjection(database, events, people)

    def close(self) -> None:
        """Stop computing results, and wait until nothing of them is being stored."""
        self._projection.close()

    def refresh(self) -> None:
        """Compute the results of the tables that have changed; see `NightStore.refresh`."""
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
        """Return nights, the most recent first; see `NightStore.nights`."""
        self.refresh()
        conditions = [f"status {'=' if deleted else '<>'} 'deleted'"]
        values: dict[str, Any] = {"limit": limit if limit >= 0 else NO_LIMIT}
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
            order = "CASE state WHEN 'open' THEN 0 ELSE 1 END, dispute.time DESC, dispute.table_id, dispute.seq DESC"
            rows = list(db.query(f"{query} ORDER BY {order}", {"night": night}))
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
        lambda row: row["night_id"],
    )
    tables = f"SELECT table_id FROM night_games WHERE {wanted}"
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
