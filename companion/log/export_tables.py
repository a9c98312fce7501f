"""The tables of the log for other programs: the rounds as round records, a line each, or the points as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator

from companion.log.tables import TableStore
from companion.table import Table

__all__ = ["POINT_COLUMNS", "points_csv", "records_jsonl"]

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


def _tables(store: TableStore) -> Iterator[tuple[str, Table]]:
    """Yield the tables, the one opened first first."""
    for each in sorted(store.list(), key=lambda each: each.opened.time):
        yield each.id, Table.of(store.load(each.id))


def records_jsonl(store: TableStore) -> Iterator[str]:
    """Yield the round records of all tables, a line a round; unfinished ones have no result.

    Besides what a record has (docs/records.md): ``table``, ``round`` and ``time``, when it was dealt.
    """
    for table_id, table in _tables(store):
        for live in table.rounds:
            if not live.abandoned:
                told = {"table": table_id, "round": live.number, "time": live.items[0].first.time}
                yield json.dumps({**told, **table.record(live.number)}, ensure_ascii=False) + "\n"


def points_csv(store: TableStore) -> Iterator[str]:
    """Yield the points of all finished rounds as CSV (RFC 4180) with a heading."""
    yield _line(POINT_COLUMNS)
    for table_id, table in _tables(store):
        so_far = [0] * table.game.players
        for live in table.rounds:
            if (outcome := live.outcome) is None:
                continue
            for seat, points in enumerate(outcome.points, start=1):
                so_far[seat - 1] += points
                yield _line(
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


def _line(values: Iterable[object]) -> str:
    out = io.StringIO()
    csv.writer(out).writerow(values)
    return out.getvalue()
