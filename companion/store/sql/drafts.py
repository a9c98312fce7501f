"""Limits and expiry of drafts from visitors, which are scans made with unpaired phones.

Anybody on the network can scan a photograph, so the disk space for these scans is limited, and they are deleted after a day.
Scans of paired people have no owner and no limit.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from companion.hanafuda.messages import Message
from companion.store.errors import TooManyDraftsError
from companion.store.sql.connection import Connection
from companion.store.stored_records import DRAFT_DAYS, VISITOR_DRAFT_DAYS, Visitor
from companion.store.timestamps import iso_utc

__all__ = [
    "MAX_BYTES",
    "MAX_BYTES_PER_ADDRESS",
    "MAX_CHANGES",
    "MAX_PER_ADDRESS",
    "MAX_PER_VISITOR",
    "check_changes",
    "check_room",
    "remove_expired",
]

MAX_PER_VISITOR: Final = 30
"""Maximum number of drafts of one browser: both piles of a game of twelve rounds are 24."""
MAX_PER_ADDRESS: Final = 3 * MAX_PER_VISITOR
"""Maximum number of drafts from one address, because a program can pose as any number of browsers; a few phones may share an
address behind a router."""
MAX_BYTES: Final = 2**30
"""Maximum total size of the pictures of all visitors' drafts, bytes: a thirtieth of a Raspberry Pi's usual memory card."""
MAX_BYTES_PER_ADDRESS: Final = MAX_BYTES // 4
"""The same for one address, so that one phone cannot use up the space of all."""
MAX_CHANGES: Final = 500
"""Maximum number of corrections and scores of one visitor's draft: each of 48 cards corrected five times, and as many scores."""


_DRAFTS: Final = "SELECT owner, address, size FROM scans WHERE kept = 0 AND owner IS NOT NULL"
_QUEUED: Final = (
    "SELECT owner, address, size FROM scan_jobs WHERE owner IS NOT NULL AND state IN ('waiting', 'reading')"
)


def check_room(db: Connection, visitor: Visitor, size: int, *, queued: bool = False) -> None:
    """Raise `TooManyDraftsError` unless a visitor may add a draft with a picture of ``size`` bytes.

    With ``queued``, the pictures that visitors have in the queue of scan workers count, too.
    """
    (own, count, size_here, size_of_all) = db.execute(
        "SELECT count(*) FILTER (WHERE owner = ?), count(*) FILTER (WHERE address = ?),"
        " coalesce(sum(size) FILTER (WHERE address = ?), 0), coalesce(sum(size), 0)"
        f" FROM ({f'{_DRAFTS} UNION ALL {_QUEUED}' if queued else _DRAFTS}) AS drafts",
        (visitor.id, visitor.address, visitor.address),
    ).fetchone()
    if own >= MAX_PER_VISITOR:
        raise TooManyDraftsError(Message("drafts-of-phone", {"count": int(own)}))
    if count >= MAX_PER_ADDRESS or size_here + size > MAX_BYTES_PER_ADDRESS:
        raise TooManyDraftsError(Message("drafts-of-address", {"count": int(count)}))
    if size_of_all + size > MAX_BYTES:
        raise TooManyDraftsError(Message("drafts-in-all"))


def check_changes(db: Connection, scan_id: str) -> None:
    """Raise `TooManyDraftsError` if a visitor's draft was changed too often."""
    if not _count(db, "scans", "id = ? AND owner IS NOT NULL", scan_id):
        return
    changes = sum(_count(db, table, "scan = ?", scan_id) for table in ("corrections", "scores"))
    if changes >= MAX_CHANGES:
        raise TooManyDraftsError(Message("draft-changes"))


def remove_expired(db: Connection, now: datetime) -> list[str]:
    """Remove expired drafts; return the hashes of their pictures, which other scans may use too."""
    removed: list[str] = []
    for where, days in (("owner IS NULL", DRAFT_DAYS), ("owner IS NOT NULL", VISITOR_DRAFT_DAYS)):
        oldest = iso_utc(now - timedelta(days=days))
        rows = db.execute(
            f"DELETE FROM scans WHERE kept = 0 AND {where} AND time < ? RETURNING sha256", (oldest,)
        )
        removed += [sha256 for (sha256,) in rows.fetchall()]
    return removed


def _count(db: Connection, table: str, where: str, value: str) -> int:
    return int(db.execute(f"SELECT count(*) FROM {table} WHERE {where}", (value,)).fetchone()[0])
