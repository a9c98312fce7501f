"""The scanned photographs in the database: readings, corrections and scores; of each scan the newest score counts.

Anybody on the network can scan a photograph, so the disk space for drafts from visitors, made with unpaired phones, is limited, and they
are deleted after a day. Scans of paired people have no owner and no limit.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from companion.hanafuda.messages import Message
from companion.hanafuda.rules import Rules, resolve
from companion.hanafuda.scoring import rules_for_pile
from companion.pile import Cards, score_pile
from companion.store.database import Connection, Database
from companion.store.errors import LogWriteError, NoSuchScanError, TooManyDraftsError
from companion.store.pictures import PictureStore, picture_scope
from companion.store.scan_records import (
    DRAFT_DAYS,
    VISITOR_DRAFT_DAYS,
    Changes,
    Correction,
    Scan,
    ScanDraft,
    ScanScore,
    Visitor,
    corrections_for,
)
from companion.store.timestamps import iso_utc, now_utc, settled_now

_SCOPE: Final = "scans"
"""The scope of the transactions that change or remove scans of which they do not know the ids."""
_DIGITS: Final = "0123456789abcdefghjkmnpqrstvwxyz"


class ScanStore:
    """Scanned photographs: the reading, people's corrections, and the score. A scan is a draft until somebody keeps it."""

    def __init__(self, database: Database, pictures: PictureStore) -> None:
        self._database = database
        self._pictures = pictures

    def add(self, draft: ScanDraft, visitor: Visitor | None = None) -> Scan:
        """Store a draft with its picture, scored if its settings name a game.

        ``visitor`` owns the draft; raises `TooManyDraftsError` if it has too many.
        """
        now = datetime.now(UTC)
        sha256: str | None = None
        try:
            with self._database.writing(picture_scope(hashlib.sha256(draft.picture).hexdigest())) as db:
                expired = remove_expired(db, settled_now())
                if visitor is not None:
                    check_room(db, visitor, len(draft.picture))
                sha256 = self._pictures.put_in(db, draft.picture, draft.media_type)
                scan = _get(db, _insert_scan(db, draft, sha256, visitor, now))
        except LogWriteError:
            if sha256 is not None:
                self._forget_picture(sha256)
            raise
        with suppress(LogWriteError):  # the scan is stored; the next `prune` removes what stays
            for each in expired:
                self._forget_picture(each)
        return scan

    def add_in(self, db: Connection, draft: ScanDraft, visitor: Visitor | None) -> str:
        """Store a draft in a transaction with the scope of its picture, and return its id; a visitor was given room before."""
        sha256 = self._pictures.put_in(db, draft.picture, draft.media_type)
        return _insert_scan(db, draft, sha256, visitor, datetime.now(UTC))

    def check_room(self, visitor: Visitor, size: int) -> None:
        """Raise `TooManyDraftsError` unless a visitor may add a draft with a picture of ``size`` bytes."""
        with self._database.reading() as db:
            check_room(db, visitor, size)

    def draft_owner(self, scan_id: str) -> str | None:
        """Return the id of the visitor who owns a draft; None for a paired person's draft, a kept scan, and an unknown id."""
        with self._database.reading() as db:
            row = db.execute("SELECT owner FROM scans WHERE id = ? AND kept = 0", (scan_id,)).fetchone()
            return None if row is None or row[0] is None else str(row[0])

    def adopt_drafts(self, visitor: str) -> None:
        """Turn a visitor's drafts into those of a paired person, which are kept longer."""
        with self._database.writing(_SCOPE) as db:
            db.execute(
                "UPDATE scans SET owner = NULL, address = NULL, size = NULL WHERE owner = ?", (visitor,)
            )

    def get(self, scan_id: str) -> Scan:
        """Return a scan, or raise ``NoSuchScanError``."""
        with self._database.reading() as db:
            return _get(db, scan_id)

    def newest(self, *, kept: bool | None = None, limit: int = 50, before: str | None = None) -> list[Scan]:
        """Return scans, newest first: (not) kept ones if asked, and only those older than scan ``before``."""
        where, values = ["1 = 1"], list[Any]()
        if kept is not None:
            where.append("kept = ?")
            values.append(int(kept))
        if before is not None:
            where.append("id < ?")
            values.append(before)
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT id FROM scans WHERE {' AND '.join(where)} ORDER BY id DESC LIMIT ?",
                (*values, limit),
            )
            return [_get(db, scan_id) for (scan_id,) in rows.fetchall()]

    def all(self, *, kept: bool | None = None, newest_first: bool = False) -> Iterator[Scan]:
        """Yield all (not) kept scans, oldest first by default; the database is not locked between scans."""
        where, values = ("kept = ?", [int(kept)]) if kept is not None else ("1 = 1", [])
        order = "id DESC" if newest_first else "id"
        with self._database.reading() as db:
            rows = db.execute(f"SELECT id FROM scans WHERE {where} ORDER BY {order}", values).fetchall()
        for (scan_id,) in rows:
            try:
                yield self.get(scan_id)
            except NoSuchScanError:  # deleted meanwhile
                continue

    def change(self, scan_id: str, changes: Changes, actor: str) -> Scan:
        """Apply a person's changes, score the pile again if it may differ, and return the scan."""
        with self._database.writing(_scan_scope(scan_id)) as db:
            # Locks the row: a draft that is kept at this moment does not expire.
            db.execute("UPDATE scans SET kept = kept WHERE id = ?", (scan_id,))
            scan = _get(db, scan_id)
            check_changes(db, scan_id)
            now = now_utc()
            corrections = corrections_for(scan, changes, now, actor)
            for correction in corrections:
                _insert_correction(db, scan_id, correction)
            if changes.kept:
                db.execute(
                    "UPDATE scans SET owner = NULL, address = NULL, size = NULL WHERE id = ?", (scan_id,)
                )
            kept = scan.kept if changes.kept is None else changes.kept
            note = scan.note if changes.note is None else _text(changes.note)
            db.execute("UPDATE scans SET kept = ?, note = ? WHERE id = ?", (int(kept), note, scan_id))
            if corrections or changes.settings:
                score = _scored(_get(db, scan_id).cards, scan.score, changes.settings, now, actor)
                if score is not None:
                    _insert_score(db, scan_id, score)
            return _get(db, scan_id)

    def delete(self, scan_id: str) -> None:
        """Delete a scan, and its picture unless another scan or a table needs it."""
        with self._database.writing(_scan_scope(scan_id)) as db:
            sha256 = _get(db, scan_id).sha256
            db.execute("DELETE FROM scans WHERE id = ?", (scan_id,))
        self._forget_picture(sha256)

    def prune(self) -> int:
        """Delete expired drafts and unused pictures; return the number of drafts."""
        with self._database.writing(_SCOPE) as db:
            removed_count = len(remove_expired(db, settled_now()))
            self._pictures.clean_up()
        removable = list(self._pictures.hashes())
        with self._database.reading() as db:
            used = db.execute("SELECT sha256 FROM scans UNION SELECT sha256 FROM table_pictures").fetchall()
        for sha256 in set(removable).difference(sha256 for (sha256,) in used):
            self._forget_picture(sha256)
        return removed_count

    def _forget_picture(self, sha256: str) -> None:
        """Remove a picture unless a scan or a table's event refers to it; in a transaction, so that nobody else can write."""
        with self._database.writing(picture_scope(sha256)) as db:
            references = (
                db.execute(f"SELECT 1 FROM {name} WHERE sha256 = ? LIMIT 1", (sha256,)).fetchone()
                for name in ("scans", "table_pictures")
            )
            if not any(references):
                self._pictures.remove_in(db, sha256)


def _scan_scope(scan_id: str) -> str:
    return f"scan:{scan_id}"


def _insert_scan(
    db: Connection, draft: ScanDraft, sha256: str, visitor: Visitor | None, now: datetime
) -> str:
    """Insert a draft whose picture is stored, and return its id."""
    scan_id = _new_id(now)
    score = _scored(draft.reading["cards"], None, draft.settings, iso_utc(now), draft.actor)
    db.execute(
        "INSERT INTO scans (id, time, image, sha256, media_type, owner, address, size)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(scan_id, iso_utc(now), _text(draft.image), sha256, draft.media_type),
            *((visitor.id, visitor.address, len(draft.picture)) if visitor else (None, None, None)),
        ),
    )
    db.execute("INSERT INTO readings (scan, reading) VALUES (?, ?)", (scan_id, _dumps(draft.reading)))
    if score is not None:
        _insert_score(db, scan_id, score)
    return scan_id


def _get(db: Connection, scan_id: str) -> Scan:
    row = next(
        iter(db.query("SELECT * FROM scans JOIN readings ON scan = id WHERE id = ?", (scan_id,))), None
    )
    if row is None:
        raise NoSuchScanError(scan_id)
    corrections = db.query("SELECT * FROM corrections WHERE scan = ? ORDER BY id", (scan_id,))
    scores = db.query("SELECT * FROM scores WHERE scan = ? ORDER BY id DESC LIMIT 1", (scan_id,))
    return Scan(
        id=row["id"],
        time=row["time"],
        image=row["image"],
        sha256=row["sha256"],
        media_type=row["media_type"],
        kept=bool(row["kept"]),
        note=row["note"],
        reading=json.loads(row["reading"]),
        corrections=tuple(
            Correction(event["time"], event["actor"], event["kind"], event["card_index"], event["card"])
            for event in corrections
        ),
        score=next((_score_of(score) for score in scores), None),
    )


def _scored(
    cards: Cards, last: ScanScore | None, settings: Mapping[str, Any], time: str, actor: str
) -> ScanScore | None:
    """Score cards with ``settings``, and the last score's settings for the rest; None if no game was ever selected."""
    if last is None and not settings:
        return None
    rules = settings.get("rules")
    if rules is None and last is not None and settings.get("game", last.game) == last.game:
        rules = replace(resolve(last.rules, last.game), name=last.rules_reference["name"])
    elif not isinstance(rules, Rules):
        rules = rules_for_pile(rules, settings.get("game"))
    month = settings.get("month", last and last.month)
    calls = settings.get("calls", last and last.calls)
    return ScanScore(
        time=time,
        actor=actor,
        game=rules.game,
        rules=rules.to_dict(),
        month=month,
        calls=calls,
        answer=score_pile(cards, rules, month, calls),
    )


def _insert_correction(db: Connection, scan_id: str, correction: Correction) -> None:
    db.execute(
        "INSERT INTO corrections (scan, time, actor, kind, card_index, card) VALUES (?, ?, ?, ?, ?, ?)",
        (
            *(scan_id, correction.time, correction.actor),
            *(correction.kind, correction.index, correction.card),
        ),
    )


def _insert_score(db: Connection, scan_id: str, score: ScanScore) -> None:
    db.execute(
        "INSERT INTO scores (scan, time, actor, game, rules_name, rules_hash, rules, month, calls, total, score)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(scan_id, score.time, score.actor, score.game),
            *(score.rules_reference["name"], score.rules_reference["hash"], _dumps(score.rules)),
            *(score.month, None if score.calls is None else _dumps(score.calls)),
            *(score.answer["total"], _dumps(score.answer)),
        ),
    )


def _score_of(row: Mapping[str, Any]) -> ScanScore:
    return ScanScore(
        time=row["time"],
        actor=row["actor"],
        game=row["game"],
        rules=json.loads(row["rules"]),
        month=row["month"],
        calls=json.loads(row["calls"]) if row["calls"] else None,
        answer=json.loads(row["score"]),
    )


def _dumps(document: Mapping[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def _text(text: str) -> str:
    """Return a text without NUL characters, which PostgreSQL cannot store."""
    return text.replace("\0", "")


def _new_id(now: datetime) -> str:
    """Return an id that sorts by time, is short enough to type, and is unlikely to exist in another log."""
    number = int(now.timestamp() * 1000) << 20 | secrets.randbits(20)
    digits = []
    while number:
        number, digit = divmod(number, len(_DIGITS))
        digits.append(_DIGITS[digit])
    return "".join(reversed(digits))


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
        raise TooManyDraftsError(Message("drafts-too-many", {"count": int(own)}))
    if count >= MAX_PER_ADDRESS or size_here + size > MAX_BYTES_PER_ADDRESS:
        raise TooManyDraftsError(Message("drafts-too-many", {"count": int(count)}))
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
