"""The queue of pictures in PostgreSQL: rows that are the truth, and jobs of procrastinate that bring them to the workers."""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeAlias

import procrastinate
from procrastinate.exceptions import ConnectorException

from companion.hanafuda.errors import MessageError
from companion.hanafuda.messages import Message
from companion.store.errors import LogReadError, LogWriteError, NoSuchScanJobError, ScanQueueFullError
from companion.store.postgres.database import PostgresConnection, PostgresDatabase
from companion.store.postgres.job_runner import QUEUE, TASK, run_jobs, running_workers
from companion.store.scan_queue import (
    QueuedPicture,
    ReadingStoppedError,
    ReadPicture,
    ScanDraft,
    ScanFailure,
    ScanJob,
)
from companion.store.sql.scan_store import picture_scope
from companion.store.stored_records import Visitor
from companion.store.timestamps import iso_utc, now_utc

__all__ = ["PostgresScanQueue"]

MAX_WAITING: Final = 200
"""Maximum number of waiting pictures: three minutes for one worker on two cores, and at most 1 GB of usual photographs."""
MAX_OF_SENDER: Final = 30
"""Maximum number of waiting pictures of one phone, so that none fills the queue; both piles of a game of twelve rounds are 24."""
MAX_ATTEMPTS: Final = 3
"""How many times a picture is read if its worker dies or fails: one that kills workers must not stop the queue."""
_KEPT: Final = timedelta(days=1)
"""How long after a picture was read its outcome can be polled; its scan is stored independently of it."""
_PAIRED, _VISITOR = 1, 0
"""Priorities: higher ones first."""
_SCOPE: Final = "scan jobs"
_OPEN: Final = "state IN ('waiting', 'reading')"

_log = logging.getLogger(__name__)

StoreScan: TypeAlias = Callable[[PostgresConnection, ScanDraft, "Visitor | None"], str]
"""Stores a scan in a transaction, and returns its id."""
CheckRoom: TypeAlias = Callable[[PostgresConnection, Visitor, int], None]
"""Raises `TooManyDraftsError` unless a visitor may add a picture of that many bytes."""


class PostgresScanQueue:
    """The queue of pictures in a database; see `companion.store.scan_queue.ScanQueue`."""

    def __init__(
        self, url: str, database: PostgresDatabase, store_scan: StoreScan, check_room: CheckRoom
    ) -> None:
        self._url = url
        self._database = database
        self._store_scan = store_scan
        self._check_room = check_room
        # It only adds jobs to transactions of the store, so it needs no connections of its own.
        self._app = procrastinate.App(connector=procrastinate.SyncPsycopgConnector())

    def add(
        self,
        picture: bytes,
        request: Mapping[str, Any],
        visitor: Visitor | None = None,
        *,
        sender: str | None = None,
    ) -> str:
        """Store a picture and add its job to the queue, both or none."""
        job_id = secrets.token_urlsafe(16)
        priority = _PAIRED if visitor is None else _VISITOR
        now = datetime.now(UTC)
        with self._database.writing(_SCOPE) as db:
            db.execute(f"DELETE FROM scan_jobs WHERE NOT {_OPEN} AND time < ?", (iso_utc(now - _KEPT),))
            waiting, own = db.execute(
                "SELECT count(*), count(*) FILTER (WHERE sender = ?) FROM scan_jobs WHERE state = 'waiting'",
                (sender,),
            ).fetchone() or (0, 0)
            if waiting >= MAX_WAITING or own >= MAX_OF_SENDER:
                raise ScanQueueFullError(waiting if waiting >= MAX_WAITING else own)
            if visitor is not None:
                self._check_room(db, visitor, len(picture))
            db.execute(
                "INSERT INTO scan_jobs (id, time, priority, sender, owner, address, size, request, picture)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(job_id, iso_utc(now), priority, sender),
                    *((visitor.id, visitor.address) if visitor else (None, None)),
                    *(len(picture), json.dumps(request, ensure_ascii=False), picture),
                ),
            )
            deferrer = self._app.configure_task(TASK, queue=QUEUE, priority=priority, connection=db.raw)
            try:
                deferrer.defer(job=job_id)
            except ConnectorException as error:
                raise error.__cause__ or error from None  # psycopg's error, which the transaction reports
        return job_id

    def job(self, job_id: str) -> ScanJob:
        """Return the progress of a picture, or raise `NoSuchScanJobError`."""
        with self._database.reading() as db:
            row = db.execute(
                "SELECT owner, scan, failure, CASE WHEN state = 'waiting' THEN ("
                " SELECT 1 + count(*) FROM scan_jobs AS other WHERE other.state = 'waiting' AND"
                " (other.priority > own.priority OR other.priority = own.priority AND other.seq < own.seq)"
                ") ELSE 0 END FROM scan_jobs AS own WHERE id = ?",
                (job_id,),
            ).fetchone()
        if row is None:
            raise NoSuchScanJobError(job_id)
        owner, scan, failure, place = row
        return ScanJob(job_id, owner, place, scan, _failure_of(failure))

    def waiting(self) -> int:
        """Return the number of pictures that wait to be read."""
        with self._database.reading() as db:
            return _waiting(db)

    def workers(self) -> int:
        """Return the number of workers that are running, on all machines."""
        with self._database.reading() as db:
            return running_workers(db)

    def adopt(self, visitor: str) -> None:
        """Turn a visitor's waiting pictures into those of a paired person."""
        with self._database.writing(_SCOPE) as db:
            db.execute("UPDATE scan_jobs SET owner = NULL, address = NULL WHERE owner = ?", (visitor,))

    def work(self, read: ReadPicture, stopping: threading.Event) -> None:
        """Read waiting pictures one after the other until ``stopping`` is set; then finish the current one and return."""
        run_jobs(self._url, lambda job_id: self._read(job_id, read), stopping)

    def _read(self, job_id: str, read: ReadPicture) -> None:
        """Read a picture and store the outcome, once, even if several workers do."""
        begun = self._begin(job_id)
        if begun is None:
            return
        queued, attempt = begun
        try:
            if attempt > MAX_ATTEMPTS:
                raise _GivenUpError
            self._finish(job_id, read(queued))
        except ReadingStoppedError:
            self._wait_again(job_id, attempts=attempt - 1)  # this one does not count
            raise
        except Exception as error:
            final = isinstance(error, MessageError) and not isinstance(error, LogReadError | LogWriteError)
            if not final and attempt < MAX_ATTEMPTS:
                self._wait_again(job_id, attempts=attempt)
                raise
            if not final:
                _log.error("the picture of job %s cannot be read", job_id, exc_info=error)
            self._fail(job_id, _failure(error))

    def _begin(self, job_id: str) -> tuple[QueuedPicture, int] | None:
        """Return a picture and the number of the attempt to read it, from 1; None if it was read already."""
        with self._database.writing(job_id) as db:
            row = db.execute(
                "UPDATE scan_jobs SET state = 'reading', attempts = attempts + 1"
                f" WHERE id = ? AND {_OPEN} RETURNING picture, request, attempts",
                (job_id,),
            ).fetchone()
        if row is None:
            return None
        picture, request, attempts = row
        return QueuedPicture(job_id, picture, json.loads(request)), attempts

    def _finish(self, job_id: str, draft: ScanDraft) -> None:
        with self._database.writing(picture_scope(hashlib.sha256(draft.picture).hexdigest())) as db:
            row = db.execute(
                "UPDATE scan_jobs SET state = 'done', time = ?, picture = NULL"
                f" WHERE id = ? AND {_OPEN} RETURNING owner, address",
                (now_utc(), job_id),
            ).fetchone()
            if row is None:  # another worker was faster
                return
            owner, address = row
            scan = self._store_scan(db, draft, Visitor(owner, address) if owner is not None else None)
            db.execute("UPDATE scan_jobs SET scan = ? WHERE id = ?", (scan, job_id))

    def _fail(self, job_id: str, failure: ScanFailure) -> None:
        document = {"code": failure.code, "message": failure.message.to_dict()}
        with self._database.writing(job_id) as db:
            db.execute(
                "UPDATE scan_jobs SET state = 'failed', time = ?, picture = NULL, failure = ?"
                f" WHERE id = ? AND {_OPEN}",
                (now_utc(), json.dumps(document, ensure_ascii=False), job_id),
            )

    def _wait_again(self, job_id: str, *, attempts: int) -> None:
        with suppress(LogWriteError), self._database.writing(job_id) as db:
            db.execute(
                "UPDATE scan_jobs SET state = 'waiting', attempts = ? WHERE id = ? AND state = 'reading'",
                (attempts, job_id),
            )


class _GivenUpError(Exception):
    """The workers that tried to read a picture died."""


def _waiting(db: PostgresConnection) -> int:
    row: Any = db.execute("SELECT count(*) FROM scan_jobs WHERE state = 'waiting'").fetchone()
    return int(row[0])


def _failure(error: Exception) -> ScanFailure:
    if isinstance(error, MessageError):
        return ScanFailure(error.code, error.message)
    return ScanFailure("scanner-failed", Message("problem-scanner-failed"))


def _failure_of(document: str | None) -> ScanFailure | None:
    if document is None:
        return None
    failure = json.loads(document)
    return ScanFailure(failure["code"], Message.from_dict(failure["message"]))
