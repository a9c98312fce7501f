"""The store on disk: a SQLite database and, beside it, pictures and documents as files."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import sqlite3
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from companion.hanafuda.messages import Message
from companion.hanafuda.rules import Rules, resolve
from companion.hanafuda.scoring import rules_for_pile
from companion.pile import Cards, score_pile
from companion.store.errors import LogBusyError, LogUnusableError, LogWriteError, NoSuchScanError
from companion.store.scan_records import Changes, Correction, Scan, ScanScore, corrections_for
from companion.store.sqlite.data_folder import LOG_MARKER
from companion.store.sqlite.database import DATABASE, LogDatabase
from companion.store.sqlite.document_files import DocumentFiles
from companion.store.sqlite.drafts import check_changes, check_room, remove_expired
from companion.store.sqlite.evidence import PictureFiles
from companion.store.sqlite.house_rules import SqliteHouseRules
from companion.store.sqlite.night_store import SqliteNights
from companion.store.sqlite.pairing_store import SqlitePairings
from companion.store.sqlite.people_store import SqlitePeople
from companion.store.sqlite.schema import MIGRATIONS
from companion.store.sqlite.table_store import SqliteEvents
from companion.store.stored_records import Visitor

__all__ = ["SqliteStore"]

_CHECK_S = 10.0
"""Validity of a successful write check, s; each check costs a write to the disk."""
_FAULT_CHECK_S = 0.5
"""Validity of a write check that found a fault, or while there are signs of one, s."""
_LOW_BYTES = 2**20
"""Free disk space below which the disk may soon be full, bytes."""
_CHECK_BYTES = 16_384
"""Size of the test write, bytes: that of a large event."""
_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"


class SqliteStore:
    """The store in one data folder; see `companion.store.store_protocol.Store`. Several processes may use one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pictures = PictureFiles(folder / "evidence")
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if (folder / LOG_MARKER).exists() and not self.is_in(folder):
                raise LogUnusableError(Message("log-missing", {"path": str(folder / DATABASE)}))
            self.database = LogDatabase(folder / DATABASE, MIGRATIONS)
        except OSError as error:
            raise LogUnusableError(
                Message("log-folder-unusable", {"folder": str(folder), "reason": error.strerror or ""})
            ) from error
        except sqlite3.Error as error:
            raise LogUnusableError(
                Message("log-unusable", {"path": str(folder / DATABASE), "reason": str(error)})
            ) from error
        self._check_lock = threading.Lock()
        self._fault: LogWriteError | None = None
        self._checked = float("-inf")
        self.house_rules = SqliteHouseRules(self.database)
        self.tables = SqliteEvents(self.database)
        self.people = SqlitePeople(self.database)
        self.nights = SqliteNights(self.database, self.tables, self.people)
        self.pairings = SqlitePairings(self.database, folder)
        self.documents = DocumentFiles(folder)

    @property
    def written(self) -> float | None:
        """Time of the last write, in seconds of the monotonic clock."""
        return self.database.written

    @property
    def restored(self) -> int:
        """Number of times the database was restored after its file was removed while the program ran."""
        return self.database.restored

    @staticmethod
    def is_in(folder: Path) -> bool:
        """Return whether a folder has a log."""
        return (folder / DATABASE).exists()

    def close(self) -> None:
        """Close the database; the log cannot be used afterwards."""
        self.nights.close()
        self.database.close()

    def add(
        self,
        *,
        picture: bytes,
        media_type: str,
        image: str,
        reading: Mapping[str, Any],
        settings: Mapping[str, Any],
        actor: str,
        visitor: Visitor | None = None,
    ) -> Scan:
        """Store a scan as a draft, with its picture, scored if the settings name a game.

        ``image`` is the picture's file name, ``reading`` the recognizer's result (in the format of ``scan --json``), ``settings``
        as in `Changes`. ``visitor`` owns the draft; raises `TooManyDraftsError` if it has too many.
        """
        now = datetime.now(UTC)
        scan_id = _new_id(now)
        score = _scored(reading["cards"], None, settings, _iso(now), actor)
        sha256: str | None = None
        try:
            with self.database.writing() as db:
                expired = remove_expired(db, now)
                if visitor is not None:
                    check_room(db, visitor, len(picture))
                sha256 = self.pictures.put(picture, media_type)
                db.table("scans").insert(
                    {
                        "id": scan_id,
                        "time": _iso(now),
                        "image": image,
                        "sha256": sha256,
                        "media_type": media_type,
                        "owner": visitor and visitor.id,
                        "address": visitor and visitor.address,
                        "size": visitor and len(picture),
                    }
                )
                db.table("readings").insert({"scan": scan_id, "reading": _dumps(reading)})
                if score is not None:
                    _insert_score(db, scan_id, score)
                scan = _get(db, scan_id)
        except LogWriteError:
            if sha256 is not None:
                self._forget_picture(sha256)
            raise
        with suppress(LogWriteError):  # the scan is stored; the next `prune` removes what stays
            for each in expired:
                self._forget_picture(each)
        return scan

    def check_room(self, visitor: Visitor, size: int) -> None:
        """Raise `TooManyDraftsError` unless a visitor may add a draft with a picture of ``size`` bytes."""
        with self.database.reading() as db:
            check_room(db, visitor, size)

    def draft_owner(self, scan_id: str) -> str | None:
        """Return the id of the visitor who owns a draft; None for a paired person's draft, a kept scan, and an unknown id."""
        with self.database.reading() as db:
            rows = db.table("scans").rows_where("id = ? AND kept = 0", [scan_id], select="owner")
            return next((row["owner"] for row in rows), None)

    def adopt_drafts(self, visitor: str) -> None:
        """Turn a visitor's drafts into those of a paired person, which are kept longer."""
        with self.database.writing() as db:
            db.execute(
                "UPDATE scans SET owner = NULL, address = NULL, size = NULL WHERE owner = ?", [visitor]
            )

    def get(self, scan_id: str) -> Scan:
        """Return a scan, or raise ``NoSuchScanError``."""
        with self.database.reading() as db:
            return _get(db, scan_id)

    def scans(self, *, kept: bool | None = None, limit: int = 50, before: str | None = None) -> list[Scan]:
        """Return scans, newest first: (not) kept ones if asked, and only those older than scan ``before``."""
        where, values = ["1 = 1"], list[Any]()
        if kept is not None:
            where.append("kept = ?")
            values.append(int(kept))
        if before is not None:
            where.append("id < ?")
            values.append(before)
        with self.database.reading() as db:
            rows = db.table("scans").rows_where(
                " AND ".join(where), values, select="id", order_by="id DESC", limit=limit
            )
            return [_get(db, row["id"]) for row in list(rows)]

    def all(self, *, kept: bool | None = None, newest_first: bool = False) -> Iterator[Scan]:
        """Yield all (not) kept scans, oldest first by default; the database is not locked between scans."""
        where, values = ("kept = ?", [int(kept)]) if kept is not None else ("1 = 1", [])
        order = "id DESC" if newest_first else "id"
        with self.database.reading() as db:
            rows = db.table("scans").rows_where(where, values, select="id", order_by=order)
            ids = [row["id"] for row in rows]
        for scan_id in ids:
            try:
                yield self.get(scan_id)
            except NoSuchScanError:  # deleted meanwhile
                continue

    def change(self, scan_id: str, changes: Changes, actor: str) -> Scan:
        """Apply a person's changes, score the pile again if it may differ, and return the scan."""
        with self.database.writing() as db:
            scan = _get(db, scan_id)
            check_changes(db, scan_id)
            now = _iso(datetime.now(UTC))
            corrections = corrections_for(scan, changes, now, actor)
            for correction in corrections:
                _insert_correction(db, scan_id, correction)
            stored = {"kept": changes.kept, "note": changes.note}
            if changes.kept:
                db.table("scans").update(scan_id, {"owner": None, "address": None, "size": None})
            db.table("scans").update(
                scan_id, {key: value for key, value in stored.items() if value is not None}
            )
            if corrections or changes.settings:
                score = _scored(_get(db, scan_id).cards, scan.score, changes.settings, now, actor)
                if score is not None:
                    _insert_score(db, scan_id, score)
            return _get(db, scan_id)

    def delete(self, scan_id: str) -> None:
        """Delete a scan, and its picture unless another scan or a table needs it."""
        with self.database.writing() as db:
            sha256 = _get(db, scan_id).sha256
            db.table("scans").delete(scan_id)
        self._forget_picture(sha256)

    def prune(self) -> int:
        """Delete expired drafts and unused pictures; return the number of drafts."""
        with self.database.writing() as db:
            removed_count = len(remove_expired(db, datetime.now(UTC)))
            self.pictures.remove_unfinished()
        for sha256 in list(self.pictures.hashes()):
            self._forget_picture(sha256)
        return removed_count

    def fault(self) -> LogWriteError | None:
        """Return why nothing can be stored at present; None if writing works.

        The check writes to the database and rolls back, and writes a temporary file of the size of a large event beside it. It is
        repeated at most every 10 s, or every 0.5 s while there is a fault or a sign of one. Signs are cheap to check: a failed
        write, a nearly full disk, a missing file.
        """
        with self._check_lock:
            age = time.monotonic() - self._checked
            if age > _CHECK_S or (age > _FAULT_CHECK_S and (self._fault or self._signs())):
                try:
                    self._check()
                    self._fault = None
                except LogBusyError as error:
                    # If it is not locked for long, this program or another one is just writing.
                    self._fault = error if self.database.locked else None
                except LogWriteError as error:
                    self._fault = error
                self._checked = time.monotonic()
            return self._fault

    def _signs(self) -> bool:
        """Return whether there is a sign that the log cannot be written."""
        try:
            low = shutil.disk_usage(self.folder).free < _LOW_BYTES
            return low or not os.access(self.folder, os.W_OK) or self.database.in_doubt
        except OSError:
            return True

    def _check(self) -> None:
        with self.database.writing(probe=True) as db:
            db.execute("SAVEPOINT checked")
            db.execute("CREATE TABLE checked (at)")
            db.execute("ROLLBACK TO checked")
            with tempfile.TemporaryFile(dir=self.folder) as file:
                file.write(bytes(_CHECK_BYTES))
                file.flush()
                os.fsync(file.fileno())

    def _forget_picture(self, sha256: str) -> None:
        """Remove a picture unless a scan or a table's event refers to it; in a transaction, so that nobody else can write."""
        with self.database.writing() as db:
            references = (
                db.table(name).count_where("sha256 = ?", [sha256]) for name in ("scans", "table_pictures")
            )
            if not any(references):
                self.pictures.remove(sha256)


def _get(db: Database, scan_id: str) -> Scan:
    row = next(db.table("scans").rows_where("id = ?", [scan_id]), None)
    if row is None:
        raise NoSuchScanError(scan_id)
    reading = next(db.table("readings").rows_where("scan = ?", [scan_id]))
    corrections = db.table("corrections").rows_where("scan = ?", [scan_id], order_by="id")
    score = next(db.table("scores").rows_where("scan = ?", [scan_id], order_by="id DESC", limit=1), None)
    return Scan(
        id=row["id"],
        time=row["time"],
        image=row["image"],
        sha256=row["sha256"],
        media_type=row["media_type"],
        kept=bool(row["kept"]),
        note=row["note"],
        reading=json.loads(reading["reading"]),
        corrections=tuple(
            Correction(event["time"], event["actor"], event["kind"], event["card_index"], event["card"])
            for event in corrections
        ),
        score=None if score is None else _score_of(score),
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


def _insert_correction(db: Database, scan_id: str, correction: Correction) -> None:
    db.table("corrections").insert(
        {
            "scan": scan_id,
            "time": correction.time,
            "actor": correction.actor,
            "kind": correction.kind,
            "card_index": correction.index,
            "card": correction.card,
        }
    )


def _insert_score(db: Database, scan_id: str, score: ScanScore) -> None:
    db.table("scores").insert(
        {
            "scan": scan_id,
            "time": score.time,
            "actor": score.actor,
            "game": score.game,
            "rules_name": score.rules_reference["name"],
            "rules_hash": score.rules_reference["hash"],
            "rules": _dumps(score.rules),
            "month": score.month,
            "calls": None if score.calls is None else _dumps(score.calls),
            "total": score.answer["total"],
            "score": _dumps(score.answer),
        }
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


def _iso(instant: datetime) -> str:
    return instant.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _new_id(now: datetime) -> str:
    """Return an id that sorts by time, is short enough to type, and is unlikely to exist in another log."""
    number = int(now.timestamp() * 1000) << 20 | secrets.randbits(20)
    digits = []
    while number:
        number, digit = divmod(number, len(_DIGITS))
        digits.append(_DIGITS[digit])
    return "".join(reversed(digits))
