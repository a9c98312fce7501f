"""Reads finished rounds from the tables ``night_…``; see `night_projection`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from companion.nights.night_results import RoundResult, SeatResult
from companion.store.sql.connection import Connection
from companion.store.sql.parameters import chunks, rows_of_marks

__all__ = ["grouped", "round_results"]

_SEATS: Final = """
    SELECT seat.*, coalesce(person.name, sitting.name) AS known_as
    FROM wanted JOIN night_round_seats AS seat USING (table_id, round)
    JOIN night_seats AS sitting USING (table_id, seat)
    LEFT JOIN night_people AS person ON person.player = seat.player ORDER BY seat.seat
"""
_YAKU: Final = "SELECT made.* FROM wanted JOIN night_yaku AS made USING (table_id, round) ORDER BY position"
_ROUNDS: Final = "SELECT each.* FROM wanted JOIN night_rounds AS each USING (table_id, round)"

_Row = Mapping[str, Any]


def round_results(db: Connection, keys: Sequence[tuple[str, int]]) -> dict[tuple[str, int], RoundResult]:
    """Return rounds by table and number."""
    results: dict[tuple[str, int], RoundResult] = {}
    for chunk in chunks(keys):
        wanted = f"WITH wanted (table_id, round) AS (VALUES {rows_of_marks(chunk)})"
        values = [value for key in chunk for value in key]
        seats = grouped(db.query(f"{wanted} {_SEATS}", values), lambda row: (row["table_id"], row["round"]))
        yaku = grouped(
            db.query(f"{wanted} {_YAKU}", values), lambda row: (row["table_id"], row["round"], row["seat"])
        )
        for row in db.query(f"{wanted} {_ROUNDS}", values):
            key = row["table_id"], row["round"]
            results[key] = _round_result(
                row,
                [_seat_result(seat, yaku.get((*key, seat["seat"]), ())) for seat in seats.get(key, ())],
            )
    return results


def grouped(
    rows: Iterable[dict[str, Any]], key: Callable[[dict[str, Any]], Any]
) -> dict[Any, list[dict[str, Any]]]:
    """Return rows in lists by a key, both in the order of the rows."""
    groups: dict[Any, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def _round_result(row: _Row, seats: Iterable[SeatResult]) -> RoundResult:
    return RoundResult(
        number=row["round"],
        time=row["time"],
        dealer=row["dealer"],
        month=row["month"],
        how=row["how"],
        rules_name=row["rules_name"],
        rules_hash=row["rules_hash"],
        why=json.loads(row["why"]),
        seats=tuple(seats),
    )


def _seat_result(row: _Row, yaku: Iterable[_Row]) -> SeatResult:
    return SeatResult(
        seat=row["seat"],
        player=row["known_as"],
        player_id=row["player"],
        points=row["points"],
        won=bool(row["won"]),
        calls=row["calls"],
        yaku=tuple((each["yaku"], each["points"]) for each in yaku),
        brights=row["brights"],
    )
