"""Shared helpers of the log tests: readings of a picture, and a log for them."""

from __future__ import annotations

from typing import Any

from companion.store.scan_records import Scan, ScanDraft
from companion.store.store import Store


def reading(*names: str | None) -> dict[str, Any]:
    """Return a reading with these cards side by side."""
    return {
        "width": 640,
        "height": 480,
        "deck": "hanafuda",
        "cards": [
            {
                "card": name,
                "confidence": 0.9 if name else 0.4,
                "quad": [[x, 0.0], [x + 30, 0.0], [x + 30, 49.0], [x, 49.0]],
                "visible": 1.0,
                "alternatives": [["iris-bridge", 0.4], ["back", 0.1]],
                "zone": None,
            }
            for x, name in ((40.0 * place, name) for place, name in enumerate(names))
        ],
        "ms": {"total": 12.0},
    }


BRIGHTS = ("pine-crane", "cherry-curtain", "susuki-moon")


def add(log: Store, *names: str | None, picture: bytes = b"a picture", **settings: Any) -> Scan:
    """Store a scan of these cards."""
    return log.scans.add(
        ScanDraft(
            picture=picture,
            media_type="image/jpeg",
            image="pile.jpg",
            reading=reading(*names),
            settings=settings,
            actor="a test",
        ),
    )
