"""Pictures that people send: checked by their headers here, decoded and read in a process of its own, one at a time."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from api.pictures.picture_queue import BusyError, Turns
from api.pictures.thumbnails import Thumbnails
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
from vision.photograph.picture_files import PictureError, examine
from vision.photograph.picture_process import picture_jobs
from vision.photograph.scan_result import ScanResult

if TYPE_CHECKING:
    from vision.decks.deck_profile import DeckProfile
    from vision.decks.enrollment import DeckProposal
    from vision.photograph.picture_jobs import ScannerLike

__all__ = ["BusyError", "Pictures", "Scanned", "ScannerFailedError", "runner"]

PATIENCE_S = 45
"""How long a request waits for its turn before its sender is asked to come back, s."""

MAX_WAITING: Final = 9
"""Pictures that wait for their turn: of ten people who take one at the same moment everybody is served. What waits has not been
read into memory."""

MAX_THUMBNAILS_WAITING: Final = 24
"""Thumbnails that wait for their turn: a page of scans asks for as many at once. Each takes 10 to 200 ms."""

MEMORY_LIMIT: Final = 800 * 2**20
"""The worker's limit of data, bytes, of which the networks and libraries take 480 MB of address space (240 MB of memory). The
costliest pictures that are allowed need 250 MB."""

#: How long a job may take, s. A photograph of 12 megapixels takes 0.3 s on two desktop cores, HEIC of 48 megapixels 5 s; small
#: computers need up to five times as long. Learning a deck from four photographs takes ten times as long as reading one.
SCAN_LIMIT_S: Final = 30.0
THUMBNAIL_LIMIT_S: Final = 15.0
DECK_LIMIT_S: Final = 120.0

#: Thumbnails go before scans, which take ten times as long.
_THUMBNAIL, _SCAN = 0, 1

_MAX_TABLES: Final = 64
"""Tables whose pictures are taken one after the other; of more, the one not seen for longest is forgotten."""


class ScannerFailedError(Exception):
    """The scanner failed on a picture that is a picture."""

    def __init__(self) -> None:
        super().__init__(
            "The program failed while looking for cards in this picture; nothing was stored."
            " Try another picture. The server's log has the details."
        )


class Upload(Protocol):
    """A file that came with a request; it is read when its turn has come."""

    def read(self) -> bytes:
        """Return its bytes."""


@dataclass(frozen=True, slots=True)
class Scanned:
    """A picture that was read: what it shows, and what is stored of it."""

    reading: ScanResult
    data: bytes
    media_type: str


def runner(decks: Path, scanner: ScannerLike | None) -> JobRunner:
    """Return what does the jobs: a process of its own, or this one for a test's double in place of the scanner."""
    if scanner is None:
        return JobProcess(partial(picture_jobs, decks), MEMORY_LIMIT)
    from vision.photograph.picture_jobs import PictureJobs  # noqa: PLC0415  # with all that reads pictures

    return InProcess(PictureJobs(decks, scanner))


class Pictures:
    """Reads pictures one after the other.

    Decoding and scanning use every core for a moment, so ten phones at once would only slow each other down and fill the memory
    of a small computer.
    """

    def __init__(self, jobs: JobRunner) -> None:
        self.jobs = jobs
        self._turns = Turns()
        self._thumbnails = Thumbnails()
        self._tables: OrderedDict[str, threading.Lock] = OrderedDict()
        self._lock = threading.Lock()
        self._began = time.monotonic()

    def __len__(self) -> int:
        """Return how many pictures wait for their turn."""
        return len(self._turns)

    def warm_up(self) -> None:
        """Load the scanner now rather than with the first picture; raises `MissingModelError`."""
        with self._turn():
            self._call("warm_up")

    def close(self) -> None:
        """End the worker process."""
        self.jobs.stop()

    def scan(self, upload: Upload, deck: str | None) -> Scanned:
        """Return the reading of a picture, and what to store of it.

        Raises `PictureError`, `BadDeckError`, `BusyError` or `ScannerFailedError`, as all that reads pictures does.
        """
        with self._turn():
            file = examine(upload.read())
            reading, converted = self._call("scan", file, deck)
        if converted is not None:
            return Scanned(reading, converted, "image/jpeg")
        return Scanned(reading, file.data, file.media_type)

    @contextmanager
    def observe(
        self, table: str, upload: Upload, rules: Rules, players: int, deck: str | None, layout: Any
    ) -> Iterator[tuple[Observation, bytes]]:
        """Give the observation of a picture of a table, and the picture as JPEG; the table's next one waits meanwhile."""
        with self._one_at_a_time(table):
            with self._turn():
                file = examine(upload.read())
                name = hashlib.sha256(file.data).hexdigest()
                made_for = (rules.game, players, deck or pack_of(rules), layout)
                found = self._call("observe", table, file, name, time.monotonic() - self._began, made_for)
            yield found

    def propose(self, photos: Sequence[Upload], pack: str) -> DeckProposal:
        """Return the cards of a deck laid out in photographs, with a name proposed for each; raises `EnrolmentError` too."""
        with self._turn():
            files = [examine(photo.read()) for photo in photos]
            proposal: DeckProposal = self._call("propose", files, pack, limit_s=DECK_LIMIT_S)
        return proposal

    def propose_cards(self, pictures: Mapping[str, Upload], pack: str) -> DeckProposal:
        """Return the cards that pictures of one card each are named by; raises as `propose` does."""
        with self._turn():
            files = {stem: examine(picture.read()) for stem, picture in pictures.items()}
            proposal: DeckProposal = self._call("propose_cards", files, pack, limit_s=DECK_LIMIT_S)
        return proposal

    def enroll(self, proposal: DeckProposal, name: str) -> DeckProfile:
        """Return the profile of a deck as it was proposed and corrected; raises as `propose` does."""
        with self._turn():
            profile: DeckProfile = self._call("enroll", proposal, name, limit_s=DECK_LIMIT_S)
        return profile

    def read_deck(self, upload: Upload) -> DeckProfile:
        """Return the profile in a deck's file; raises `DeckFileError` too."""
        with self._turn():
            profile: DeckProfile = self._call("read_deck", upload.read())
        return profile

    def thumbnail(self, path: Path, sha256: str, width: int) -> bytes:
        """Return a stored picture as an upright JPEG at most ``width`` px wide; however many ask, it is made once."""

        def make() -> bytes:
            with self._turns.turn(_THUMBNAIL, MAX_THUMBNAILS_WAITING, PATIENCE_S):
                made: bytes = self._call("thumbnail", path, width, limit_s=THUMBNAIL_LIMIT_S)
                return made

        return self._thumbnails.get((sha256, width), make)

    def _turn(self) -> Any:
        return self._turns.turn(_SCAN, MAX_WAITING, PATIENCE_S)

    def _call(self, job: str, *arguments: Any, limit_s: float | None = None) -> Any:
        try:
            return self.jobs.call(job, *arguments, limit_s=limit_s or SCAN_LIMIT_S)
        except JobTimeoutError as error:
            raise _too_costly("too much time") from error
        except JobMemoryError as error:
            raise _too_costly("too much memory") from error
        except JobFailedError as error:
            raise ScannerFailedError from error

    @contextmanager
    def _one_at_a_time(self, table: str) -> Iterator[None]:
        with self._lock:
            turn = self._tables.setdefault(table, threading.Lock())
            self._tables.move_to_end(table)
            while len(self._tables) > _MAX_TABLES:
                self._tables.popitem(last=False)
        with turn:
            yield


def _too_costly(what: str) -> PictureError:
    return PictureError(
        "picture-too-costly",
        f"Reading this picture takes {what}, so it was given up. Send a smaller one, or save it as a usual JPEG first.",
    )
