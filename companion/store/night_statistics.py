"""Statistics of the log of nights, computed by the database from the tables ``night_…``; see `night_projection`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from companion.people.ratings import Games, Rating, rate_periods
from companion.people.statistics import (
    BestRound,
    Choices,
    MonthOfPlayer,
    Pair,
    PlayedBy,
    PlayerStatistics,
    RoundFilter,
    Statistics,
    Streak,
    YakuStatistics,
)
from companion.store.database import Connection

NO_LIMIT: Final = sys.maxsize
"""The ``LIMIT`` of a query that returns all rows."""

_COUNTED: Final = "table_id NOT IN (SELECT table_id FROM night_games WHERE status = 'deleted')"
_OF_ROUNDS: Final = {
    "game": "game = :game",
    "rules": "rules_name = :rules",
    "since": "time >= :since",
    "until": "time <= :until",
}
"""The conditions of a filter on the whole round, by its field."""
_OF_PLAYERS: Final = {
    "player": "player = :player",
    "won": "won = :won",
    "yaku": """EXISTS (
        SELECT 1 FROM night_yaku AS made
        WHERE (made.table_id, made.round, made.seat, yaku) = (seat.table_id, seat.round, seat.seat, :yaku)
    )""",
    "opponent": """EXISTS (
        SELECT 1 FROM night_round_seats AS other
        WHERE (other.table_id, other.round, other.player) = (seat.table_id, seat.round, :opponent) AND other.seat <> seat.seat
    )""",
}
"""Those on one player of the round."""

_PLAYERS: Final = """
    SELECT player, count(*) AS rounds, sum(won) AS wins, sum(points) AS points,
        max(points) AS best, max(night_id) FILTER (WHERE place = 1) AS night_id,
        max(table_id) FILTER (WHERE place = 1) AS table_id, max(round) FILTER (WHERE place = 1) AS round,
        count(*) FILTER (WHERE calls > 0) AS called, coalesce(sum(won) FILTER (WHERE calls > 0), 0) AS called_won,
        coalesce(sum(points) FILTER (WHERE calls > 0), 0) AS called_points,
        count(brights) AS hands, coalesce(sum(brights), 0) AS brights
    FROM (
        SELECT chosen.*, row_number() OVER (PARTITION BY player ORDER BY points DESC, time, table_id, round) AS place
        FROM chosen
    ) AS ranked GROUP BY player ORDER BY points DESC, player
"""
"""The totals of each player; the best round is the earliest of those with the most points."""
_STREAKS: Final = """
    SELECT player, length, since, until FROM (
        SELECT player, count(*) AS length, min(time) AS since, max(time) AS until,
            row_number() OVER (PARTITION BY player ORDER BY count(*) DESC, min(time)) AS place
        FROM (
            SELECT player, time, won, sum(1 - won) OVER (PARTITION BY player ORDER BY time, table_id, round) AS losses
            FROM chosen
        ) AS numbered WHERE won = 1 GROUP BY player, losses
    ) AS streaks WHERE place = 1
"""
"""The longest streak of each player; of two of the same length the earlier one."""
_YAKU: Final = """
    SELECT yaku, count(*) AS rounds, sum(won) AS won, sum(made.points) AS points
    FROM chosen JOIN night_yaku AS made USING (table_id, round, seat) GROUP BY yaku ORDER BY rounds DESC, yaku
"""
_QUARTERS: Final = """
    SELECT substr(time, 1, 14) AS hour, CAST(substr(time, 15, 2) AS INTEGER) / 15 AS quarter,
        player, count(*) AS rounds, sum(won) AS wins, sum(points) AS points
    FROM chosen GROUP BY 1, 2, player
"""
"""The totals of each player in each quarter of an hour: all time zones begin their months at a quarter of an hour of UTC."""
_PAIRS: Final = """
    SELECT night_id, one.player, other.player AS opponent, count(*) AS rounds, sum(one.won) AS wins, sum(other.won) AS losses,
        sum(one.points - other.points) AS points,
        2 * count(*) FILTER (WHERE one.points > other.points) + count(*) FILTER (WHERE one.points = other.points) AS halves
    FROM named AS one JOIN night_round_seats AS other USING (night_id, table_id, round)
    WHERE other.player > one.player
    GROUP BY night_id, one.player, other.player ORDER BY min(one.time), night_id, one.player, other.player
"""
"""Each pair of players in each night, the nights in order; ``halves`` is the player's score against the other, in half points."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The part of a query that selects rounds, and the parameters."""

    rounds: str
    """A condition on rows of ``night_round_seats`` for the whole round."""
    players: str
    """A condition on rows of ``night_round_seats AS seat`` for the player too."""
    values: dict[str, Any]

    @property
    def chosen(self) -> str:
        """A query of the rounds whose player passes the filter."""
        return f"SELECT DISTINCT time, table_id, round FROM night_round_seats AS seat WHERE {self.players}"

    def count(self, db: Connection) -> int:
        """Return the number of these rounds."""
        row = db.execute(f"SELECT count(*) FROM ({self.chosen}) AS selected", self.values).fetchone()
        return int(row[0])


def statistics(db: Connection, wanted: RoundFilter, members: Sequence[str] | None) -> Statistics:
    """Return the statistics of the rounds that pass a filter, of which only the player, game, rules, time and circle count.

    ``members``: the ids of the circle's members.
    """
    selection = selection_of(wanted, members)
    values = selection.values
    named = f"WITH named AS (SELECT * FROM night_round_seats WHERE player <> '' AND {selection.rounds})"
    of_player = "player <> ''" if wanted.player is None else "player = :player"
    chosen = f"{named}, chosen AS (SELECT * FROM named WHERE {of_player})"
    pairs, ratings = _pairs(db, f"{named} {_PAIRS}", wanted.player, values)
    streaks = {
        row["player"]: Streak(row["length"], row["since"], row["until"])
        for row in db.query(f"{chosen} {_STREAKS}", values)
    }
    return Statistics(
        rounds=selection.count(db),
        players=tuple(
            PlayerStatistics(
                player=row["player"],
                rounds=row["rounds"],
                wins=row["wins"],
                points=row["points"],
                best=BestRound(row["best"], row["night_id"], row["table_id"], row["round"]),
                called=row["called"],
                called_won=row["called_won"],
                called_points=row["called_points"],
                hands=row["hands"],
                brights=row["brights"],
                streak=streaks.get(row["player"]),
                rating=ratings.get(row["player"]),
            )
            for row in db.query(f"{chosen} {_PLAYERS}", values)
        ),
        yaku=tuple(YakuStatistics(**row) for row in db.query(f"{chosen} {_YAKU}", values)),
        pairs=tuple(pairs),
        months=tuple(_months(db, chosen, values)),
    )


def choices(db: Connection) -> Choices:
    """Return the games, rules and players of all rounds."""
    rules = list(
        db.query(
            "SELECT game, rules AS rules_name FROM rounds GROUP BY game, rules"
            " ORDER BY sum(count(*)) OVER (PARTITION BY game) DESC, count(*) DESC, game, rules"
        )
    )
    players = db.query(
        "SELECT player, person.name FROM night_people AS person WHERE player IN ("
        f" SELECT player FROM night_round_seats WHERE player <> '' AND {_COUNTED}) ORDER BY person.name, player"
    )
    return Choices(
        games=tuple(dict.fromkeys(row["game"] for row in rules)),
        rules=tuple((row["game"], row["rules_name"]) for row in rules),
        players=tuple((row["player"], row["name"]) for row in players),
    )


def played_by(db: Connection) -> list[PlayedBy]:
    """Return everybody who sits or sat at a table that is not deleted, the most recent first."""
    query = """
        SELECT seat.player, person.name, count(DISTINCT night_id) AS nights, sum(game.played) AS rounds, max(game.ended) AS last
        FROM night_seats AS seat JOIN night_games AS game USING (table_id) JOIN night_people AS person USING (player)
        WHERE seat.player <> '' AND status <> 'deleted'
        GROUP BY seat.player, person.name ORDER BY last DESC, person.name, seat.player
    """
    return [PlayedBy(**row) for row in db.query(query)]


def among_members(members: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """Return a query of the tables at which all players are members of a circle, guests aside, and its parameters."""
    values: dict[str, Any] = {f"member_{number}": member for number, member in enumerate(members)}
    names = ", ".join(f":{name}" for name in values) or "NULL"
    query = (
        "SELECT table_id FROM night_seats WHERE player <> '' GROUP BY table_id"
        f" HAVING count(*) = count(*) FILTER (WHERE player IN ({names}))"
    )
    return query, values


def selection_of(wanted: RoundFilter, members: Sequence[str] | None) -> Selection:
    """Return the selection of a filter; ``members`` are the ids of its circle's members, None without a circle."""
    values: dict[str, Any] = {
        name: int(value) if isinstance(value, bool) else value
        for name in RoundFilter.__dataclass_fields__
        if (value := getattr(wanted, name)) is not None
    }
    rounds = [_COUNTED, *(_OF_ROUNDS[name] for name in _OF_ROUNDS if name in values)]
    if members is not None:
        tables, named = among_members(members)
        rounds.append(f"table_id IN ({tables})")
        values |= named
    players = [_OF_PLAYERS[name] for name in _OF_PLAYERS if name in values]
    if wanted.called is not None:
        players.append("calls > 0" if wanted.called else "calls = 0")
    if wanted.dealt is not None:
        players.append("brights IS NOT NULL" if wanted.dealt else "brights IS NULL")
    return Selection(" AND ".join(rounds), " AND ".join([*rounds, *players]), values)


def _months(db: Connection, chosen: str, values: dict[str, Any]) -> list[MonthOfPlayer]:
    """Return the results of each player by month of the time zone of this process, which a database does not know."""
    months: dict[tuple[str, int], str] = {}
    totals: dict[tuple[str, str], list[int]] = {}
    for hour, quarter, player, *numbers in db.execute(f"{chosen} {_QUARTERS}", values).fetchall():
        if (month := months.get((hour, quarter))) is None:
            month = months[hour, quarter] = _local_month(f"{hour}{15 * quarter:02}")
        before = totals.get((month, player), [0] * len(numbers))
        totals[month, player] = [one + other for one, other in zip(before, numbers, strict=True)]
    return [
        MonthOfPlayer(month, player, *numbers)
        for (month, player), numbers in sorted(totals.items(), key=lambda each: each[0])
    ]


def _local_month(minute: str) -> str:
    """Return the month of a minute in UTC, such as ``2026-11-30T23:45``, in the local time zone."""
    try:
        return f"{datetime.fromisoformat(f'{minute}+00:00').astimezone():%Y-%m}"
    except (ValueError, OverflowError):  # no date of the calendar, from an imported file
        return minute[:7]


def _pairs(
    db: Connection, query: str, wanted: str | None, values: dict[str, Any]
) -> tuple[list[Pair], dict[str, Rating]]:
    """Return the pairs of players (or of the ``wanted`` one), the most rounds first, and the ratings of all players."""
    nights: dict[str, dict[tuple[str, str], Games]] = {}
    totals: dict[tuple[str, str], list[int]] = {}
    for row in db.query(query, values):
        player, opponent, rounds, score = row["player"], row["opponent"], row["rounds"], row["halves"] / 2
        night = nights.setdefault(row["night_id"], {})
        night[player, opponent] = (rounds, score)
        night[opponent, player] = (rounds, rounds - score)
        numbers = [rounds, row["wins"], row["losses"], row["points"]]
        before = totals.get((player, opponent), [0] * len(numbers))
        totals[player, opponent] = [one + other for one, other in zip(before, numbers, strict=True)]
    pairs = []
    for (player, opponent), (rounds, wins, losses, points) in totals.items():
        if wanted == opponent:
            pairs.append(Pair(opponent, player, rounds, losses, wins, -points))
        elif wanted in {None, player}:
            pairs.append(Pair(player, opponent, rounds, wins, losses, points))
    pairs.sort(key=lambda each: (-each.rounds, each.player, each.opponent))
    return pairs, rate_periods(nights.values())
