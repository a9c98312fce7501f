"""Pictures that scan workers read, for stores with a queue: the requests of the phones that sent them, and the worker."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any, Final, Self

from api.pictures.service import BusyError, Pictures, ScannerFailedError, Upload, picture_of
from companion.hanafuda.errors import MessageError
from companion.hanafuda.rules import Rules, resolve
from companion.messages import error_text
from companion.pile import is_scored
from companion.store.scan_queue import QueuedPicture, ReadingStoppedError, ScanJob, ScanQueue
from companion.store.scan_records import ScanDraft, Visitor
from vision.networks.onnx_sessions import MissingModelError
from vision.photograph.scan_result import ScanResult
from vision.pictures.picture_files import media_type


@dataclass(frozen=True, slots=True)
class ScanOrder:
    """One picture that somebody wants to have scanned."""

    image: str
    """The name of its file."""
    deck: str | None
    """None: detected."""
    rules: Rules | None
    """None: not scored."""
    actor: str

    def draft(self, result: ScanResult, file: bytes) -> ScanDraft:
        """Return what is stored."""
        scored = self.rules is not None and is_scored(each.card for each in result.cards)
        return ScanDraft(
            picture=file,
            media_type=media_type(file),
            image=self.image,
            reading=result.to_json(),
            settings={"rules": self.rules} if scored else {},
            actor=self.actor,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the order as JSON."""
        rules = self.rules and {
            "game": self.rules.game,
            "name": self.rules.name,
            "options": self.rules.to_dict(),
        }
        return {"image": self.image, "deck": self.deck, "rules": rules, "actor": self.actor}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> ScanOrder:
        """Return the order that `to_json` wrote."""
        stored = document["rules"]
        rules = stored and replace(resolve(stored["options"], stored["game"]), name=stored["name"])
        return cls(document["image"], document["deck"], rules, document["actor"])


_BUSY_S: Final = 1.0
"""Pause before another attempt while the pictures of tables come first, s."""

_log = logging.getLogger(__name__)

Report = Callable[[QueuedPicture, "ScanResult | MessageError", float], None]
"""Called for each picture that was read or refused, with the time that it took, ms."""


class JobWorker:
    """A thread that reads queued pictures until `stop`; it finishes the current one."""

    def __init__(self, queue: ScanQueue, pictures: Pictures, report: Report | None = None) -> None:
        self._queue = queue
        self._pictures = pictures
        self._report = report
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work, name="scan-jobs", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()
        self._thread.join()

    def stop(self) -> None:
        """Let the thread end after the current picture."""
        self._stopping.set()

    def has_ended(self, wait_s: float) -> bool:
        """Return whether the thread has ended, after at most ``wait_s`` s."""
        self._thread.join(wait_s)
        return not self._thread.is_alive()

    def _work(self) -> None:
        try:
            self._pictures.warm_up()
        except MissingModelError as error:
            _log.error("%s", error_text(error))  # other workers read the pictures
            return
        except MessageError as error:  # a slow or busy machine: the first picture tries again
            _log.warning("the scanner could not be loaded yet: %s", error_text(error))
        self._queue.work(self._read, self._stopping)

    def _read(self, queued: QueuedPicture) -> ScanDraft:
        started = time.monotonic()
        order = ScanOrder.from_json(queued.request)
        try:
            result, stored = self._scan(queued.data, order.deck)
        except ScannerFailedError as error:
            if self._stopping.is_set():  # a service manager may have ended the picture process, too
                raise ReadingStoppedError from error
            raise RuntimeError("the scanner failed") from error  # not for the person: it is read again first
        except MessageError as error:
            self._done(queued, error, started)
            raise
        self._done(queued, result, started)
        return order.draft(result, stored)

    def _scan(self, picture: bytes, deck: str | None) -> tuple[ScanResult, bytes]:
        """Scan a picture as soon as the scanner is free: a queued picture is not refused because others come first."""
        while True:
            try:
                return self._pictures.scan(BytesIO(picture), deck)
            except BusyError:
                if self._stopping.wait(_BUSY_S):
                    raise ReadingStoppedError from None

    def _done(self, queued: QueuedPicture, outcome: ScanResult | MessageError, started: float) -> None:
        if self._report is not None:
            self._report(queued, outcome, 1000 * (time.monotonic() - started))


WAIT_S: Final = 10.0
"""How long a request waits for its result, s, unless it asks for less with the header ``Prefer: wait=N``: long enough for programs
that do not know of the queue, as long as it is short."""
_POLL_S: Final = 0.2
"""How often a waiting request looks for its result, s."""
_MAX_WAITING: Final = 12
"""Maximum number of requests that wait for their results; each occupies a thread. Others get a place in the queue at once."""
_MAX_UPLOADS: Final = 2
"""Maximum number of uploads that are in memory at the same time, 64 MB each at most."""
_MAX_RETRY_S: Final = 10
"""Longest recommended time between two polls, s."""
_READ_PER_S: Final = 3
"""About how many pictures are read per second: how often a phone that is far back in the queue should ask."""


class QueuedScans:
    """The queue as the requests of one server process use it."""

    def __init__(self, queue: ScanQueue) -> None:
        self.queue = queue
        self._uploads = threading.BoundedSemaphore(_MAX_UPLOADS)
        self._waiting = threading.BoundedSemaphore(_MAX_WAITING)

    def add(self, upload: Upload, order: ScanOrder, visitor: Visitor | None, sender: str) -> str:
        """Put a picture into the queue as it was sent, and return the id of its job; ``sender`` identifies the phone.

        Raises `PictureError`, and the errors of `companion.store.scan_queue.ScanQueue.add`.
        """
        with self._uploads:
            return self.queue.add(picture_of(upload), order.to_json(), visitor, sender=sender)

    def wait(self, job_id: str, wait_s: float) -> ScanJob:
        """Return the progress of a job as soon as it has finished, or after ``wait_s`` s; at once if too many requests wait."""
        deadline = time.monotonic() + wait_s
        job = self.queue.job(job_id)
        if job.finished or not self._waiting.acquire(blocking=False):
            return job
        try:
            while not job.finished and time.monotonic() < deadline:
                time.sleep(_POLL_S)
                job = self.queue.job(job_id)
        finally:
            self._waiting.release()
        return job


def retry_after_s(job: ScanJob) -> int:
    """Return when a phone should ask again, s: seldom if many pictures are before its own."""
    return min(_MAX_RETRY_S, 1 + job.place // _READ_PER_S)
