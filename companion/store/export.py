"""Export of scans: complete scans as one JSON list, or CSV with one line per scan."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from companion.messages import with_texts
from companion.pile import captured, left_out
from companion.store.csv_lines import csv_line
from companion.store.scan_records import Scan

__all__ = ["COLUMNS", "to_csv", "to_json"]

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
