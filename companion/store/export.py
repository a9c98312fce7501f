"""Export for people: scans as JSON or CSV, tables as round records (JSON Lines) or points, and rounds of the log of nights.

CSV is such that spreadsheets import it as data only, never as formulas.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from companion.messages import render, with_texts
from companion.people.statistics import LoggedRound
from companion.pile import captured, left_out
from companion.redaction import without_controls
from companion.store.events import EventStore
from companion.store.scan_records import Scan
from companion.table import Table

_FORMULA_BEGINS = ("=", "+", "-", "@", "\t", "\r")
"""Characters that begin a formula in Excel, LibreOffice and Google Sheets (OWASP, CSV Injection)."""


def csv_line(values: Iterable[object]) -> str:
    """Return a line of CSV (RFC 4180); a text that a spreadsheet would run as a formula is prefixed with an apostrophe."""
    out = io.StringIO()
    csv.writer(out).writerow(_as_text(value) for value in values)
    return out.getvalue()


def _as_text(value: object) -> object:
    if not isinstance(value, str):
        return value
    # Full-width signs count too: Excel with Japanese settings treats them as the ASCII ones.
    dangerous = value.lstrip(" ").translate(_NARROW).startswith(_FORMULA_BEGINS)
    return without_controls(f"'{value}" if dangerous else value)


_NARROW = str.maketrans("＝＋－＠", "=+-@")


COLUMNS = (
    "id",
    "time",
    "kept",
    "note",
    "image",
    "sha256",
    "game",
    "rules",
    "rules_hash",
    "month",
    "base",
    "total",
    "yaku",
    "cards",
    "unnamed",
    "corrections",
)
"""The columns of the CSV; ``yaku`` and ``cards`` hold several values separated by spaces."""


def to_json(scans: Iterable[Scan], language: str) -> Iterator[str]:
    """Yield chunks of one JSON list of complete scans with their texts in a language, all on one line."""
    yield "["
    for number, scan in enumerate(scans):
        yield ("," if number else "") + json.dumps(with_texts(scan.to_json(), language), ensure_ascii=False)
    yield "]\n"


def to_csv(scans: Iterable[Scan]) -> Iterator[str]:
    """Yield the lines of a CSV (RFC 4180) with a header."""
    yield csv_line(COLUMNS)
    for scan in scans:
        yield csv_line(_row(scan))


def _row(scan: Scan) -> list[object]:
    score = scan.score
    cards = scan.cards
    scored: list[object] = [None] * 7
    if score is not None:
        yaku = " ".join(yaku["name"] for yaku in score.answer["yaku"])
        named = score.rules_reference
        scored = [
            score.game,
            named["name"],
            named["hash"],
            score.month,
            score.answer["base"],
            score.answer["total"],
            yaku,
        ]
    return [
        scan.id,
        scan.time,
        int(scan.kept),
        scan.note,
        scan.image,
        scan.sha256,
        *scored,
        " ".join(captured(cards)),
        left_out(cards)["unnamed"],
        len(scan.corrections),
    ]


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
        position = (each.night, each.table, result.round, result.time)
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
