"""Processing of uploaded pictures: other files are refused here; a worker process decodes and scans them, one at a time."""

from __future__ import annotations

import hashlib
import itertools
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

from cachetools import LRUCache

from companion.hanafuda.errors import MessageError
from companion.hanafuda.messages import Message
from companion.hanafuda.registry import pack_of
from companion.hanafuda.rules import Rules
from companion.net.job_process import (
    InProcess,
    JobFailedError,
    JobMemoryError,
    JobProcess,
    JobRunner,
    JobTimeoutError,
)
from companion.observations import Observation
from companion.store import DocumentStore
from vision.jobs.picture_process import picture_jobs
from vision.photograph.scan_result import ScanResult
from vision.pictures.picture_files import PictureError, accepted_type

if TYPE_CHECKING:
    from vision.decks.deck_profile import DeckProfile
    from vision.enrollment.enrollment import DeckProposal
    from vision.photograph.scanner import Scanner


class BusyError(MessageError):
    """Raised if the queue is full, or a job has waited too long."""

    code = "busy"
    retry_after_s = 10

    def __init__(self) -> None:
        super().__init__(Message("problem-busy"))


class Turns:
    """A lock whose waiters are served in the order of priority (0 first) and arrival."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._numbers = itertools.count()
        self._waiting: list[tuple[int, int]] = []
        self._taken = False

    def __len__(self) -> int:
        """Return the number of waiting jobs."""
        return len(self._waiting)

    @contextmanager
    def turn(self, priority: int, max_waiting: int, patience_s: float) -> Iterator[None]:
        """Wait for a turn and hold it during the block.

        Raises `BusyError` if ``max_waiting`` jobs of this priority are already waiting, or after ``patience_s`` seconds.
        """
        with self._condition:
            ticket = (priority, next(self._numbers))
            if (self._taken or self._waiting) and sum(
                each == priority for each, _ in self._waiting
            ) >= max_waiting:
                raise BusyError
            self._waiting.append(ticket)
            granted = self._condition.wait_for(
                lambda: not self._taken and min(self._waiting) == ticket, patience_s
            )
            self._waiting.remove(ticket)
            self._condition.notify_all()
            if not granted:
                raise BusyError
            self._taken = True
        try:
            yield
        finally:
            with self._condition:
                self._taken = False
                self._condition.notify_all()


_MAX_BYTES: Final = 32 * 2**20
"""Size of the cache of thumbnails, bytes: about 150 of screen size (200 kB), or 2,000 of list size (15 kB)."""
_ERROR_BYTES: Final = 1024
"""The size that a cached error counts as, bytes; a picture that is too expensive is refused from the cache, too."""

PATIENCE_S = 45
"""How long a request waits for its turn before it is refused with `BusyError`, s."""

MAX_WAITING: Final = 9
"""Maximum number of waiting pictures, so that ten people can take one at the same time. Waiting uploads aren't in memory."""

MAX_THUMBNAILS_WAITING: Final = 24
"""Maximum number of waiting thumbnails: a page of scans requests that many at once. Each takes 10 to 200 ms."""

MEMORY_LIMIT: Final = 800 * 2**20
"""The worker's memory limit, bytes. The networks and libraries take 480 MB of address space (240 MB of memory), and the most
expensive allowed pictures need 250 MB."""

#: Time limits of jobs, s. A photograph of 12 megapixels takes 0.3 s on two desktop cores, a HEIC file of 48 megapixels 5 s; small
#: computers need up to five times as long. Enrolling a deck from four photographs takes ten times as long as scanning one.
SCAN_LIMIT_S: Final = 30.0
THUMBNAIL_LIMIT_S: Final = 15.0
DECK_LIMIT_S: Final = 120.0

#: Priorities: thumbnails come before scans, which take ten times as long.
_THUMBNAIL, _SCAN = 0, 1

_MAX_TABLES: Final = 64
"""Maximum number of tables with a lock that serializes their pictures; the least recently used one is dropped."""


class ScannerFailedError(MessageError):
    """Raised if the scanner failed on a valid picture."""

    code = "scanner-failed"

    def __init__(self) -> None:
        super().__init__(Message("problem-scanner-failed"))


class Upload(Protocol):
    """An uploaded file; it is read only when its turn has come."""

    def read(self) -> bytes:
        """Return its bytes."""


def picture_of(upload: Upload) -> bytes:
    """Return an uploaded picture file, unchanged. Raises `PictureError` if it is too large or no picture."""
    data = upload.read()
    accepted_type(data)
    return data


def runner(documents: DocumentStore, scanner: Scanner | None) -> JobRunner:
    """Return the job runner: a separate process, or this process if a test passes a fake ``scanner``.

    ``documents`` has the enrolled decks.
    """
    if scanner is None:
        return JobProcess(partial(picture_jobs, documents), MEMORY_LIMIT)
    from vision.jobs.picture_jobs import PictureJobs  # noqa: PLC0415  # loads the image libraries

    return InProcess(PictureJobs(documents, scanner))


class Pictures:
    """Processes pictures one after the other.

    Decoding and scanning use all cores for a moment, so ten phones at once would only slow each other down and fill the memory
    of a small computer.
    """

    def __init__(self, jobs: JobRunner) -> None:
        self.jobs = jobs
        self._turns = Turns()
        self._thumbnails: LRUCache[tuple[str, int], bytes | PictureError] = LRUCache(_MAX_BYTES, _size)
        """By the hash of the picture and the width in px; of those that could not be made, why."""
        self._tables: LRUCache[str, threading.Lock] = LRUCache(_MAX_TABLES)
        self._lock = threading.Lock()
        self._began = time.monotonic()

    def __len__(self) -> int:
        """Return the number of waiting pictures."""
        return len(self._turns)

    def warm_up(self) -> None:
        """Load the scanner before the first picture. Raises `MissingModelError`."""
        with self._turn():
            self._call("warm_up")

    def close(self) -> None:
        """End the worker process."""
        self.jobs.stop()

    def scan(self, upload: Upload, deck: str | None) -> tuple[ScanResult, bytes]:
        """Scan a picture; return the result and the file to store.

        Raises `PictureError`, `UnknownDeckError`, `BusyError` or `ScannerFailedError`, like all methods that read pictures.
        """
        with self._turn():
            result: tuple[ScanResult, bytes] = self._call("scan", picture_of(upload), deck)
        return result

    @contextmanager
    def observe(
        self, table: str, upload: Upload, rules: Rules, players: int, deck: str | None, layout: Any
    ) -> Iterator[tuple[Observation, bytes]]:
        """Yield the observation of a picture of a table, and the picture as JPEG. Serializes the pictures of a table."""
        with self._one_at_a_time(table):
            with self._turn():
                file = picture_of(upload)
                name = hashlib.sha256(file).hexdigest()
                made_for = (rules.game, players, deck or pack_of(rules), layout)
                result = self._call("observe", table, file, name, time.monotonic() - self._began, made_for)
            yield result

    def propose(self, photos: Sequence[Upload], pack: str) -> DeckProposal:
        """Find the cards of a deck laid out in photographs and propose a name for each. Also raises `EnrollmentError`."""
        with self._turn():
            files = [picture_of(photo) for photo in photos]
            proposal: DeckProposal = self._call("propose", files, pack, limit_s=DECK_LIMIT_S)
        return proposal

    def propose_cards(self, pictures: Mapping[str, Upload], pack: str) -> DeckProposal:
        """Propose a deck from one picture per card, by name. Raises the same errors as `propose`."""
        with self._turn():
            files = {stem: picture_of(picture) for stem, picture in pictures.items()}
            proposal: DeckProposal = self._call("propose_cards", files, pack, limit_s=DECK_LIMIT_S)
        return proposal

    def enroll(self, proposal: DeckProposal, name: str) -> DeckProfile:
        """Create a deck's profile from a corrected proposal. Raises the same errors as `propose`."""
        with self._turn():
            profile: DeckProfile = self._call("enroll", proposal, name, limit_s=DECK_LIMIT_S)
        return profile

    def read_deck(self, upload: Upload) -> DeckProfile:
        """Read the profile in a deck file. Also raises `DeckFileError`."""
        with self._turn():
            profile: DeckProfile = self._call("read_deck", upload.read())
        return profile

    def portrait(self, upload: Upload) -> bytes:
        """Return the middle of a picture as a small square JPEG without metadata."""
        with self._turns.turn(_THUMBNAIL, MAX_THUMBNAILS_WAITING, PATIENCE_S):
            jpeg: bytes = self._call("portrait", picture_of(upload), limit_s=THUMBNAIL_LIMIT_S)
        return jpeg

    def thumbnail(self, read: Callable[[], bytes], sha256: str, width: int) -> bytes:
        """Return a stored picture, which ``read`` returns, as an upright JPEG at most ``width`` px wide.

        It is created only once for simultaneous requests.
        """

        key = sha256, width
        if (found := self._known_thumbnail(key)) is None:
            with self._turns.turn(_THUMBNAIL, MAX_THUMBNAILS_WAITING, PATIENCE_S):
                # Another request may have had it made while this one waited.
                if (found := self._known_thumbnail(key)) is None:
                    try:
                        found = self._call("thumbnail", read(), width, limit_s=THUMBNAIL_LIMIT_S)
                    except PictureError as error:
                        found = error
                    with self._lock:
                        self._thumbnails[key] = found
        if isinstance(found, PictureError):
            raise PictureError(found.code, found.message)
        return found

    def _known_thumbnail(self, key: tuple[str, int]) -> bytes | PictureError | None:
        with self._lock:
            return self._thumbnails.get(key)

    def _turn(self) -> AbstractContextManager[None]:
        return self._turns.turn(_SCAN, MAX_WAITING, PATIENCE_S)

    def _call(self, job: str, *arguments: Any, limit_s: float | None = None) -> Any:
        try:
            return self.jobs.call(job, *arguments, limit_s=limit_s or SCAN_LIMIT_S)
        except (JobTimeoutError, JobMemoryError) as error:
            raise PictureError("picture-too-costly", Message("problem-picture-too-costly")) from error
        except JobFailedError as error:
            raise ScannerFailedError from error

    @contextmanager
    def _one_at_a_time(self, table: str) -> Iterator[None]:
        with self._lock:
            turn = self._tables.setdefault(table, threading.Lock())
        with turn:
            yield


def _size(thumbnail: bytes | PictureError) -> int:
    return len(thumbnail) if isinstance(thumbnail, bytes) else _ERROR_BYTES
