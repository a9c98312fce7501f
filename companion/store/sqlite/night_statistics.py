"""Statistics of the log of nights, computed by SQLite from the tables ``night_…``; see `night_store`."""

from __future__ import annotations

import json
from typing import Any, Final

from sqlite_utils import Database

from companion.nights.ratings import Games, Rating, rate_periods
from companion.nights.statistics import (
    Choices,
    LoggedRound,
    MonthOfPlayer,
    Pair,
    PlayedBy,
    PlayerStatistics,
    RoundFilter,
    RoundPage,
    Statistics,
    Streak,
    YakuStatistics,
)
from companion.store.sqlite.night_rounds import round_results

__all__ = ["AMONG_MEMBERS", "choices", "played_by", "round_page", "statistics"]

AMONG_MEMBERS: Final = """
    SELECT table_id FROM night_seats WHERE player <> '' GROUP BY table_id
    HAVING min(player IN (SELECT value FROM json_each(:members)))
"""
"""The tables at which all players are members of a circle, guests aside."""
_WHERE: Final = f"""
    game = coalesce(:game, game) AND rules_name = coalesce(:rules, rules_name)
    AND time BETWEEN coalesce(:since, time) AND coalesce(:until, time)
    AND table_id NOT IN (SELECT table_id FROM night_games WHERE status = 'deleted')
    AND (:members IS NULL OR table_id IN ({AMONG_MEMBERS}))
"""
_NAMED: Final = f"WITH named AS (SELECT * FROM night_round_seats WHERE player <> '' AND {_WHERE})"
"""The results of all named players in the rounds of a filter."""
_PLAYERS: Final = f"""
    {_NAMED}, chosen AS (
        SELECT *, row_number() OVER (PARTITION BY player ORDER BY points DESC, time, table_id, round) AS place
        FROM named WHERE player = coalesce(:player, player)
    )
    SELECT player, count(*) AS rounds, sum(won) AS wins, sum(points) AS points,
        max(points) AS best, max(night_id) FILTER (WHERE place = 1) AS night_id,
        max(table_id) FILTER (WHERE place = 1) AS table_id, max(round) FILTER (WHERE place = 1) AS round,
        count(*) FILTER (WHERE calls > 0) AS called, coalesce(sum(won) FILTER (WHERE calls > 0), 0) AS called_won,
        coalesce(sum(points) FILTER (WHERE calls > 0), 0) AS called_points,
        count(brights) AS hands, coalesce(sum(brights), 0) AS brights
    FROM chosen GROUP BY player ORDER BY points DESC, player
"""
"""The totals of each player; the best round is the earliest of those with the most points."""
_STREAKS: Final = f"""
    {_NAMED}, numbered AS (
        SELECT player, time, won, sum(NOT won) OVER (PARTITION BY player ORDER BY time, table_id, round) AS losses
        FROM named WHERE player = coalesce(:player, player)
    )
    SELECT player, max(length) AS length, since, until FROM (
        SELECT player, count(*) AS length, min(time) AS since, max(time) AS until
        FROM numbered WHERE won GROUP BY player, losses
    ) GROUP BY player
"""
_YAKU: Final = f"""
    {_NAMED}
    SELECT yaku, count(*) AS rounds, sum(won) AS won, sum(made.points) AS points
    FROM named JOIN night_yaku AS made USING (table_id, round, seat)
    WHERE player = coalesce(:player, player) GROUP BY yaku ORDER BY rounds DESC, yaku
"""
_MONTHS: Final = f"""
    {_NAMED}
    SELECT strftime('%Y-%m', time, 'localtime') AS month, player, count(*) AS rounds, sum(won) AS wins, sum(points) AS points
    FROM named WHERE player = coalesce(:player, player) GROUP BY month, player ORDER BY month, player
"""
_PAIRS: Final = f"""
    {_NAMED}
    SELECT night_id, one.player, other.player AS opponent, count(*) AS rounds, sum(one.won) AS wins, sum(other.won) AS losses,
        sum(one.points - other.points) AS points, sum(one.points > other.points) + sum(one.points = other.points) / 2.0 AS score
    FROM named AS one JOIN night_round_seats AS other USING (night_id, table_id, round)
    WHERE other.player > one.player GROUP BY night_id, one.player, other.player ORDER BY min(one.time), night_id
"""
"""Each pair of players in each night, the nights in order."""

_ROUNDS: Final = f"""
    SELECT DISTINCT time, table_id, round FROM night_round_seats AS seat
    WHERE {_WHERE} AND player = coalesce(:player, player)
    AND won = coalesce(:won, won) AND (calls > 0) = coalesce(:called, calls > 0)
    AND (brights IS NOT NULL) = coalesce(:dealt, brights IS NOT NULL)
    AND (:yaku IS NULL OR EXISTS (
        SELECT 1 FROM night_yaku AS made
        WHERE (made.table_id, made.round, made.seat, yaku) = (seat.table_id, seat.round, seat.seat, :yaku)
    ))
    AND (:opponent IS NULL OR EXISTS (
        SELECT 1 FROM night_round_seats AS other
        WHERE (other.table_id, other.round, other.player) = (seat.table_id, seat.round, :opponent) AND other.seat <> seat.seat
    ))
"""
"""The rounds that pass a filter."""


def statistics(db: Database, wanted: RoundFilter, members: str | None) -> Statistics:
    """Return the statistics of the rounds that pass a filter, of which only the player, game, rules, time and circle count.

    ``members``: the ids of the circle's members as JSON.
    """
    values = {**_values(wanted), "members": members}
    pairs, ratings = _pairs(db, values)
    streaks = {
        row["player"]: Streak(row["length"], row["since"], row["until"]) for row in db.query(_STREAKS, values)
    }
    return Statistics(
        rounds=_count(db, values),
        players=tuple(
            PlayerStatistics(
                player=row["player"],
                rounds=row["rounds"],
                wins=row["wins"],
                points=row["points"],
                best=(row["best"], row["night_id"], row["table_id"], row["round"]),
                called=row["called"],
                called_won=row["called_won"],
                called_points=row["called_points"],
                hands=row["hands"],
                brights=row["brights"],
                streak=streaks.get(row["player"]),
                rating=ratings.get(row["player"]),
            )
            for row in db.query(_PLAYERS, values)
        ),
        yaku=tuple(YakuStatistics(**row) for row in db.query(_YAKU, values)),
        pairs=tuple(pairs),
        months=tuple(MonthOfPlayer(**row) for row in db.query(_MONTHS, values)),
    )


def round_page(db: Database, wanted: RoundFilter, members: str | None, limit: int, skip: int) -> RoundPage:
    """Return the rounds that pass a filter, the most recent first; see `NightStore.rounds` and `statistics`."""
    values = {**_values(wanted), "members": members, "limit": limit, "skip": skip}
    page = f"{_ROUNDS} ORDER BY time DESC, table_id DESC, round DESC LIMIT :limit OFFSET :skip"
    keys = [(table_id, number) for _, table_id, number in db.execute(page, values).fetchall()]
    results = round_results(db, keys)
    tables = json.dumps(sorted({table_id for table_id, _ in keys}))
    query = "SELECT * FROM night_games WHERE table_id IN (SELECT value FROM json_each(?))"
    games = {row["table_id"]: row for row in db.query(query, [tables])}
    return RoundPage(
        total=_count(db, values),
        rounds=tuple(
            LoggedRound(
                night=games[table_id]["night_id"],
                table=table_id,
                game=games[table_id]["game"],
                result=results[table_id, number],
            )
            for table_id, number in keys
        ),
    )


def choices(db: Database) -> Choices:
    """Return the games, rules and players of all rounds."""
    rules = list(
        db.query(
            "SELECT game, rules AS rules_name FROM rounds GROUP BY game, rules"
            " ORDER BY sum(count(*)) OVER (PARTITION BY game) DESC, count(*) DESC"
        )
    )
    players = db.query(
        f"{_NAMED} SELECT player, person.name FROM (SELECT DISTINCT player FROM named)"
        " JOIN night_people AS person USING (player) ORDER BY person.name, player",
        {**_values(RoundFilter()), "members": None},
    )
    return Choices(
        games=tuple(dict.fromkeys(row["game"] for row in rules)),
        rules=tuple((row["game"], row["rules_name"]) for row in rules),
        players=tuple((row["player"], row["name"]) for row in players),
    )


def played_by(db: Database) -> list[PlayedBy]:
    """Return everybody who sits or sat at a table that is not deleted, the most recent first."""
    query = """
        SELECT seat.player, person.name, count(DISTINCT night_id) AS nights, sum(game.played) AS rounds, max(game.ended) AS last
        FROM night_seats AS seat JOIN night_games AS game USING (table_id) JOIN night_people AS person USING (player)
        WHERE seat.player <> '' AND status <> 'deleted' GROUP BY seat.player ORDER BY last DESC, person.name
    """
    return [PlayedBy(**row) for row in db.query(query)]


def _values(wanted: RoundFilter) -> dict[str, Any]:
    return {name: getattr(wanted, name) for name in RoundFilter.__dataclass_fields__}


def _count(db: Database, values: dict[str, Any]) -> int:
    return int(db.execute(f"SELECT count(*) FROM ({_ROUNDS})", values).fetchone()[0])


def _pairs(db: Database, values: dict[str, Any]) -> tuple[list[Pair], dict[str, Rating]]:
    """Return the pairs of players, the most rounds first, and the ratings of all players."""
    nights: dict[str, dict[tuple[str, str], Games]] = {}
    totals: dict[tuple[str, str], list[int]] = {}
    for row in db.query(_PAIRS, values):
        player, opponent, rounds, score = row["player"], row["opponent"], row["rounds"], row["score"]
        night = nights.setdefault(row["night_id"], {})
        night[player, opponent] = (rounds, score)
        night[opponent, player] = (rounds, rounds - score)
        numbers = [rounds, row["wins"], row["losses"], row["points"]]
        before = totals.get((player, opponent), [0] * len(numbers))
        totals[player, opponent] = [one + other for one, other in zip(before, numbers, strict=True)]
    pairs = []
    for (player, opponent), (rounds, wins, losses, points) in totals.items():
        if values["player"] == opponent:
            pairs.append(Pair(opponent, player, rounds, losses, wins, -points))
        elif values["player"] in {None, player}:
            pairs.append(Pair(player, opponent, rounds, wins, losses, points))
    pairs.sort(key=lambda each: (-each.rounds, each.player, each.opponent))
    return pairs, rate_periods(nights.values())
