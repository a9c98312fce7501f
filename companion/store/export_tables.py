"""Export of tables: rounds as round records (JSON Lines), or points as CSV; and the rounds of the log of nights as CSV."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from companion.messages import render
from companion.nights.statistics import LoggedRound
from companion.store.csv_lines import csv_line
from companion.store.store_protocol import EventStore
from companion.table import Table

__all__ = ["POINT_COLUMNS", "ROUND_COLUMNS", "Failed", "points_csv", "records_jsonl", "rounds_csv"]

POINT_COLUMNS = (
    "table",
    "name",
    "time",
    "game",
    "rules",
    "rules_hash",
    "round",
    "dealer",
    "how",
    "seat",
    "player",
    "points",
    "so_far",
)
"""The columns of the CSV, which has one line per player and finished round; ``so_far`` is the player's total after it."""

ROUND_COLUMNS = (
    *("night", "table", "round", "time", "game", "rules", "rules_hash", "dealer", "month", "how"),
    *("seat", "player", "points", "won", "calls", "yaku", "brights"),
)
"""The columns of the CSV of rounds, one line per player and round; ``yaku`` holds slugs separated by spaces."""


Failed: TypeAlias = Callable[[str, Exception], None]
"""Called with the id of a table that cannot be exported, and the error."""


def records_jsonl(store: EventStore, failed: Failed) -> Iterator[str]:
    """Yield the round records of all tables, one line per round; unfinished rounds have no result.

    Each record (docs/records.md) also has ``table``, ``round`` and ``time``, when it was dealt. A table that cannot be exported
    is reported to ``failed`` and skipped.
    """
    return _each_table(store, _records, failed)


def points_csv(store: EventStore, failed: Failed) -> Iterator[str]:
    """Yield the points of all finished rounds as CSV (RFC 4180) with a header; ``failed`` as in `records_jsonl`."""
    yield csv_line(POINT_COLUMNS)
    yield from _each_table(store, _points, failed)


def rounds_csv(rounds: Iterable[LoggedRound]) -> Iterator[str]:
    """Yield rounds of the log of nights as CSV (RFC 4180) with a header."""
    yield csv_line(ROUND_COLUMNS)
    for each in rounds:
        result = each.result
        position = (each.night, each.table, result.number, result.time)
        played = (each.game, result.rules_name, result.rules_hash, result.dealer, result.month, result.how)
        for seat in result.seats:
            yaku = " ".join(slug for slug, _ in seat.yaku)
            own = (seat.seat, seat.player, seat.points, int(seat.won), seat.calls, yaku, seat.brights)
            yield csv_line((*position, *played, *own))


def _each_table(
    store: EventStore, lines: Callable[[str, Table], Iterator[str]], failed: Failed
) -> Iterator[str]:
    """Yield the lines of all tables in the order in which they were opened; of each table all lines or none."""
    for each in sorted(store.list(), key=lambda each: each.opened.time):
        try:
            written = list(lines(each.id, Table.of(store.load(each.id))))
        except Exception as error:  # a damaged table must not stop the export of the others
            failed(each.id, error)
        else:
            yield from written


def _records(table_id: str, table: Table) -> Iterator[str]:
    for live in table.rounds:
        if not live.abandoned:
            position = {"table": table_id, "round": live.number, "time": live.items[0].first.time}
            yield json.dumps({**position, **table.record(live.number)}, ensure_ascii=False) + "\n"


def _points(table_id: str, table: Table) -> Iterator[str]:
    running = [0] * table.game.players
    for live in table.rounds:
        if (outcome := live.outcome) is None:
            continue
        for seat, points in enumerate(outcome.points, start=1):
            running[seat - 1] += points
            yield csv_line(
                (
                    table_id,
                    table.opened.get("name"),
                    live.items[0].first.time,
                    table.rules.game,
                    live.context.rules.name,
                    live.context.rules.hash,
                    live.number,
                    live.round.dealer,
                    outcome.how,
                    seat,
                    render(table.names.of(seat)),
                    points,
                    running[seat - 1],
                )
            )
