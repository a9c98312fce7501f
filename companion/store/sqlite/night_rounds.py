"""Reads finished rounds from the tables ``night_…``; see `night_store`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from sqlite_utils import Database

from companion.nights.night_results import RoundResult, SeatResult

__all__ = ["grouped", "round_results"]


_WANTED: Final = """
    WITH wanted AS MATERIALIZED (SELECT value ->> 0 AS table_id, value ->> 1 AS round FROM json_each(?))
"""


def round_results(db: Database, keys: Iterable[tuple[str, int]]) -> dict[tuple[str, int], RoundResult]:
    """Return rounds by table and number."""
    values = [json.dumps(list(keys))]

    def rows(query: str) -> Iterator[dict[str, Any]]:
        return db.query(f"{_WANTED} {query}", values)

    seats = grouped(
        rows(
            "SELECT seat.*, coalesce(person.name, sitting.name) AS known_as"
            " FROM wanted CROSS JOIN night_round_seats AS seat USING (table_id, round)"
            " JOIN night_seats AS sitting USING (table_id, seat)"
            " LEFT JOIN night_people AS person ON person.player = seat.player ORDER BY seat.seat"
        ),
        lambda row: (row["table_id"], row["round"]),
    )
    yaku = grouped(
        rows(
            "SELECT made.* FROM wanted CROSS JOIN night_yaku AS made USING (table_id, round) ORDER BY position"
        ),
        lambda row: (row["table_id"], row["round"], row["seat"]),
    )
    return {
        (row["table_id"], row["round"]): RoundResult(
            number=row["round"],
            time=row["time"],
            dealer=row["dealer"],
            month=row["month"],
            how=row["how"],
            rules_name=row["rules_name"],
            rules_hash=row["rules_hash"],
            why=json.loads(row["why"]),
            seats=tuple(
                SeatResult(
                    seat=seat["seat"],
                    player=seat["known_as"],
                    player_id=seat["player"],
                    points=seat["points"],
                    won=bool(seat["won"]),
                    calls=seat["calls"],
                    yaku=tuple(
                        (each["yaku"], each["points"])
                        for each in yaku.get((row["table_id"], row["round"], seat["seat"]), ())
                    ),
                    brights=seat["brights"],
                )
                for seat in seats.get((row["table_id"], row["round"]), ())
            ),
        )
        for row in rows("SELECT each.* FROM wanted CROSS JOIN night_rounds AS each USING (table_id, round)")
    }


def grouped(
    rows: Iterable[dict[str, Any]], key: Callable[[dict[str, Any]], Any]
) -> dict[Any, list[dict[str, Any]]]:
    """Return rows in lists by a key, both in the order of the rows."""
    groups: dict[Any, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups
