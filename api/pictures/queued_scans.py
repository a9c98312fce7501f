"""Pictures that scan workers read, for stores with a queue: the requests of the phones that sent them."""

from __future__ import annotations

import threading
import time
from typing import Final, Protocol

from api.pictures.job_worker import picture_request
from api.pictures.scan_order import ScanOrder
from companion.hanafuda.errors import MessageError
from companion.store.scan_queue import ScanFailure, ScanJob, ScanQueue
from companion.store.scan_records import Visitor
from vision.pictures.picture_files import examine

__all__ = ["WAIT_S", "QueuedScans", "UnreadPictureError", "retry_after_s"]

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


class Upload(Protocol):
    """An uploaded file."""

    def read(self) -> bytes:
        """Return its bytes."""


class UnreadPictureError(MessageError):
    """Raised if a queued picture could not be read."""

    def __init__(self, failure: ScanFailure) -> None:
        self.code = failure.code
        super().__init__(failure.message)


class QueuedScans:
    """The queue as the requests of one server process use it."""

    def __init__(self, queue: ScanQueue) -> None:
        self.queue = queue
        self._uploads = threading.BoundedSemaphore(_MAX_UPLOADS)
        self._waiting = threading.BoundedSemaphore(_MAX_WAITING)

    def add(self, upload: Upload, order: ScanOrder, visitor: Visitor | None, sender: str) -> str:
        """Check a picture's header, put it into the queue, and return the id of its job; ``sender`` identifies the phone.

        Raises `PictureError`, and the errors of `companion.store.scan_queue.ScanQueue.add`.
        """
        with self._uploads:
            file = examine(upload.read())
            return self.queue.add(file.data, picture_request(file, order), visitor, sender=sender)

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
