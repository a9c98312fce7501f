"""The queue of photographs that wait to be read by scan workers, on any machine; only a shared database has one.

The rows of one table are the queue. A worker has a connection of its own with a lock on the worker's number, which the database releases
when the worker dies: the picture that it was reading is then read by another one, and its scan is stored exactly once.
"""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from companion.hanafuda.errors import MessageError
from companion.hanafuda.messages import Message
from companion.messages import error_text
from companion.store.database import Connection
from companion.store.errors import LogReadError, LogWriteError, NoSuchScanJobError, ScanQueueFullError
from companion.store.pictures import picture_scope
from companion.store.scan_records import ScanDraft, Visitor
from companion.store.scans import ScanStore, check_room
from companion.store.timestamps import iso_utc, now_utc, settled_now

if TYPE_CHECKING:  # psycopg is optional
    from companion.store.postgres_database import PostgresDatabase


class ReadingStoppedError(Exception):
    """Raised while a picture is read if the worker is to end: the picture waits again."""


@dataclass(frozen=True, slots=True)
class QueuedPicture:
    """A picture that waits to be read; ``request`` is the JSON document with which it was added."""

    job: str
    data: bytes
    request: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ScanFailure:
    """Why a queued picture could not be read: the slug of the error, and its message for people."""

    code: str
    message: Message


@dataclass(frozen=True, slots=True)
class ScanJob:
    """The progress of a queued picture."""

    id: str
    owner: str | None
    """The id of the visitor who sent it; None for a paired person."""
    place: int
    """Its place among the waiting pictures, from 1; 0 while it is being read and afterward."""
    scan: str | None = None
    """The id of its scan as soon as it was read."""
    failure: ScanFailure | None = None

    @property
    def finished(self) -> bool:
        """Whether it was read, or could not be."""
        return self.scan is not None or self.failure is not None


ReadPicture: TypeAlias = Callable[[QueuedPicture], ScanDraft]
"""Reads a queued picture. A `companion.hanafuda.errors.MessageError` is the answer for the person who sent it; after any other error
the picture is read again, a few times at most; after a `ReadingStoppedError` always."""

MAX_WAITING: Final = 200
"""Maximum number of waiting pictures: three minutes for one worker on two cores, and at most 1 GB of usual photographs."""
MAX_OF_SENDER: Final = 30
"""Maximum number of waiting pictures of one phone, so that none fills the queue; both piles of a game of twelve rounds are 24."""
MAX_ATTEMPTS: Final = 3
"""How many times a picture is read if its worker dies or fails: one that kills workers must not stop the queue."""
_KEPT: Final = timedelta(days=1)
"""How long after a picture was read its outcome can be polled; its scan is stored independently of it."""
POLL_S: Final = 0.1
"""How often a worker looks for pictures, s: short beside the second that reading one takes, and a query takes 0.1 ms."""
_REPEAT_S: Final = 1.0
"""Pause after a failure, s."""
_RECONNECT_S: Final = 2.0
"""Pause after a lost connection to the database, s."""
_PAIRED, _VISITOR = 1, 0
"""Priorities: higher ones first."""
_SCOPE: Final = "scan jobs"
_OPEN: Final = "state IN ('waiting', 'reading')"
_WORKERS: Final = 7_262
"""The first number of the locks of workers; any that no other program uses in this database."""
_RUNNING: Final = f"""
    SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND classid = {_WORKERS} AND objsubid = 2
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
"""The numbers of the workers that are running, on all machines."""
_CLAIM: Final = f"""
    UPDATE scan_jobs SET state = 'reading', worker = :worker, attempts = attempts + 1 WHERE id = (
        SELECT id FROM scan_jobs
        WHERE state = 'waiting' OR state = 'reading' AND (worker = :worker OR worker NOT IN ({_RUNNING}))
        ORDER BY priority DESC, seq LIMIT 1 FOR UPDATE SKIP LOCKED
    ) RETURNING id, picture, request, attempts
"""
"""Takes the next picture that nobody reads; a worker reads one at a time, so an earlier one of its own was not finished."""

_log = logging.getLogger(__name__)


class ScanQueue:
    """The queue in a PostgreSQL database; the pictures of paired people are read first."""

    def __init__(self, database: PostgresDatabase, scans: ScanStore) -> None:
        self._database = database
        self._scans = scans

    def add(
        self,
        picture: bytes,
        request: Mapping[str, Any],
        visitor: Visitor | None = None,
        *,
        sender: str | None = None,
    ) -> str:
        """Store a picture that is to be read, and return the id of its job; ``sender`` is the id of the phone that sent it.

        Raises `ScanQueueFullError` if too many pictures wait, in all or of the sender, or `TooManyDraftsError` if the ``visitor``
        has too many drafts and waiting pictures.
        """
        job_id = secrets.token_urlsafe(16)
        with self._database.writing(_SCOPE) as db:
            db.execute(
                f"DELETE FROM scan_jobs WHERE NOT {_OPEN} AND time < ?", (iso_utc(settled_now() - _KEPT),)
            )
            waiting, own = db.execute(
                "SELECT count(*), count(*) FILTER (WHERE sender = ?) FROM scan_jobs WHERE state = 'waiting'",
                (sender,),
            ).fetchone() or (0, 0)
            if waiting >= MAX_WAITING or own >= MAX_OF_SENDER:
                raise ScanQueueFullError
            if visitor is not None:
                check_room(db, visitor, len(picture), queued=True)
            db.execute(
                "INSERT INTO scan_jobs (id, time, priority, sender, owner, address, size, request, picture)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(job_id, now_utc(), _PAIRED if visitor is None else _VISITOR, sender),
                    *((visitor.id, visitor.address) if visitor else (None, None)),
                    *(len(picture), json.dumps(request, ensure_ascii=False), picture),
                ),
            )
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
        return self._count("SELECT count(*) FROM scan_jobs WHERE state = 'waiting'")

    def workers(self) -> int:
        """Return the number of workers that are running, on all machines; without one, pictures only wait."""
        return self._count(f"SELECT count(*) FROM ({_RUNNING}) AS running")

    def _count(self, query: str) -> int:
        with self._database.reading() as db:
            row: Any = db.execute(query).fetchone()
        return int(row[0])

    def adopt(self, visitor: str) -> None:
        """Turn a visitor's waiting pictures into those of a paired person."""
        with self._database.writing(_SCOPE) as db:
            db.execute("UPDATE scan_jobs SET owner = NULL, address = NULL WHERE owner = ?", (visitor,))

    def work(self, read: ReadPicture, stopping: threading.Event) -> None:
        """Read waiting pictures one after the other until ``stopping`` is set; then finish the current one and return.

        A lost connection to the database is opened again.
        """
        while not stopping.is_set():
            try:
                with self._database.session() as session:
                    worker = secrets.randbits(31)
                    session.execute("SELECT pg_advisory_lock(?, ?)", (_WORKERS, worker))
                    while not stopping.is_set():
                        claimed = self._claim(session, worker)
                        if claimed is None:
                            stopping.wait(POLL_S)
                        elif not self._read(*claimed, read):
                            stopping.wait(_REPEAT_S)
            except LogReadError as error:
                _log.warning("the queue of photographs cannot be read (%s); trying again", error_text(error))
                stopping.wait(_RECONNECT_S)

    def _claim(self, db: Connection, worker: int) -> tuple[QueuedPicture, int] | None:
        """Return the next picture for a worker, and the number of the attempt to read it, from 1."""
        row = db.execute(_CLAIM, {"worker": worker}).fetchone()
        if row is None:
            return None
        job_id, picture, request, attempt = row
        return QueuedPicture(job_id, picture, json.loads(request)), attempt

    def _read(self, queued: QueuedPicture, attempt: int, read: ReadPicture) -> bool:
        """Read a picture and store the outcome, once, even if several workers do; return whether it need not be read again."""
        try:
            if attempt > MAX_ATTEMPTS:
                raise _GivenUpError
            self._finish(queued.job, read(queued))
        except ReadingStoppedError:
            self._wait_again(queued.job, attempts=attempt - 1)  # this one does not count
            return False
        except Exception as error:
            final = isinstance(error, MessageError) and not isinstance(error, LogReadError | LogWriteError)
            if not final and attempt < MAX_ATTEMPTS:
                _log.warning("the picture of job %s is read again", queued.job, exc_info=error)
                self._wait_again(queued.job, attempts=attempt)
                return False
            if not final:
                _log.error("the picture of job %s cannot be read", queued.job, exc_info=error)
            self._fail(queued.job, _failure(error))
        return True

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
            scan = self._scans.add_in(db, draft, Visitor(owner, address) if owner is not None else None)
            db.execute("UPDATE scan_jobs SET scan = ? WHERE id = ?", (scan, job_id))

    def _fail(self, job_id: str, failure: ScanFailure) -> None:
        document = {"code": failure.code, "message": failure.message.to_dict()}
        # If this cannot be stored, the worker takes the picture again.
        with suppress(LogWriteError), self._database.writing(job_id) as db:
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


def _failure(error: Exception) -> ScanFailure:
    if isinstance(error, MessageError):
        return ScanFailure(error.code, error.message)
    return ScanFailure("scanner-failed", Message("problem-scanner-failed"))


def _failure_of(document: str | None) -> ScanFailure | None:
    if document is None:
        return None
    failure = json.loads(document)
    return ScanFailure(failure["code"], Message.from_dict(failure["message"]))
