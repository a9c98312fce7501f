"""The tables of the log for other programs: the rounds as round records, a line each, or the points as CSV."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TypeAlias

from companion.store.csv_lines import csv_line
from companion.store.store_protocol import EventStore
from companion.table import Table

__all__ = ["POINT_COLUMNS", "Failed", "points_csv", "records_jsonl"]

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
"""What a line of the CSV tells, in order: a line a player and finished round; ``so_far`` is what he has after it."""


Failed: TypeAlias = Callable[[str, Exception], None]
"""Takes the id of a table that cannot be exported, and why."""


def records_jsonl(store: EventStore, failed: Failed) -> Iterator[str]:
    """Yield the round records of all tables, a line a round; unfinished ones have no result.

    Besides what a record has (docs/records.md): ``table``, ``round`` and ``time``, when it was dealt. A table that
    cannot be exported is reported to ``failed``, and the others follow.
    """
    return _each_table(store, _records, failed)


def points_csv(store: EventStore, failed: Failed) -> Iterator[str]:
    """Yield the points of all finished rounds as CSV (RFC 4180) with a heading; ``failed`` as in `records_jsonl`."""
    yield csv_line(POINT_COLUMNS)
    yield from _each_table(store, _points, failed)


def _each_table(
    store: EventStore, lines: Callable[[str, Table], Iterator[str]], failed: Failed
) -> Iterator[str]:
    """Yield the lines of all tables, the one opened first first; of each table all lines or none."""
    for each in sorted(store.list(), key=lambda each: each.opened.time):
        try:
            written = list(lines(each.id, Table.of(store.load(each.id))))
        except Exception as error:  # whatever one table has in it, the others are exported
            failed(each.id, error)
        else:
            yield from written


def _records(table_id: str, table: Table) -> Iterator[str]:
    for live in table.rounds:
        if not live.abandoned:
            told = {"table": table_id, "round": live.number, "time": live.items[0].first.time}
            yield json.dumps({**told, **table.record(live.number)}, ensure_ascii=False) + "\n"


def _points(table_id: str, table: Table) -> Iterator[str]:
    so_far = [0] * table.game.players
    for live in table.rounds:
        if (outcome := live.outcome) is None:
            continue
        for seat, points in enumerate(outcome.points, start=1):
            so_far[seat - 1] += points
            yield csv_line(
                (
                    table_id,
                    table.opened.get("name"),
                    live.items[0].first.time,
                    table.rules.game,
                    table.rules.name,
                    table.rules.hash,
                    live.number,
                    live.round.dealer,
                    outcome.how,
                    seat,
                    table.names.of(seat).en,
                    points,
                    so_far[seat - 1],
                )
            )
