"""Jobs on uploaded pictures, run in a separate process (`companion.net.job_process`): decoding, scanning, enrolling decks.

Arguments and results can be pickled. `ERRORS` are caused by the upload, the request or the store; all other errors are faults of the program.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from companion.hanafuda.messages import Message
from companion.observations import Observation
from companion.store import LogReadError
from vision.decks.deck_errors import DeckFileError, EnrollmentError, UnknownDeckError
from vision.decks.deck_library import DeckLibrary
from vision.decks.deck_profile import DeckProfile
from vision.enrollment.enrollment import DeckProposal, enroll_deck, propose_pictures
from vision.networks.onnx_sessions import MissingModelError
from vision.photograph.scan_result import ScanResult
from vision.pictures.picture_decoding import (
    Pixels,
    decode,
    out_of_memory,
    resized_to,
    smaller_jpeg,
    square_jpeg,
)
from vision.pictures.picture_files import PictureError

if TYPE_CHECKING:
    from companion.store import DocumentStore
    from vision.photograph.scanner import Scanner
    from vision.tracking.posted_photographs import PhotographObserver

_MAX_OBSERVED: Final = 8
"""Maximum number of tables whose state is kept; the least recently observed one is dropped and starts from scratch."""

#: Time after which a spoiled photograph is read as it is, s: a third of the time limit of a scan.
_PATIENCE_S: Final = 10.0
#: Maximum long side of photographs of a whole deck, px: four at full size would fill the memory of a small computer.
_DECK_PX: Final = 4000
#: Maximum long side of a picture of a single card, px.
_CARD_PX: Final = 600
#: Maximum long side of pictures of a live table, px: enough for recognition, without storing 12 megapixels per turn in the log.
_TABLE_PX: Final = 2560
#: Side of a player's picture, px: about 10 kB as JPEG.
_PORTRAIT_PX: Final = 192


ERRORS: Final = (
    PictureError,
    UnknownDeckError,
    EnrollmentError,
    DeckFileError,
    MissingModelError,
    LogReadError,
)


class PictureJobs:
    """The jobs, run one at a time. The scanner is loaded by the first job that needs it."""

    errors: Final = ERRORS

    def __init__(self, documents: DocumentStore | None = None, scanner: Scanner | None = None) -> None:
        """``documents``: where the enrolled decks are. ``scanner``: a test double; None loads the real scanner when needed."""
        self._library = DeckLibrary(documents)
        self._scanner = scanner
        self._observed: OrderedDict[str, tuple[tuple[Any, ...], PhotographObserver]] = OrderedDict()
        """The observer of each table, after what it was made for: the game, the number of players, the deck and the layout."""
        self.make_observer = _make_observer

    def warm_up(self) -> None:
        """Load the scanner. Raises `MissingModelError` if its models are not installed."""
        self._loaded_scanner()

    def scan(self, file: bytes, deck: str | None) -> tuple[ScanResult, bytes]:
        """Return the result for a picture file, and the file to store: without metadata, JPEG or PNG."""
        with _clear_errors():
            picture = decode(file)
            reading = self._loaded_scanner().scan(picture.pixels, deck, picture.focal)
            return reading.at_size(picture.width, picture.height), picture.to_file()

    def observe(
        self, table: str, file: bytes, name: str, time: float, made_for: tuple[Any, ...]
    ) -> tuple[Observation, bytes]:
        """Return the observation of a picture of a table, and the picture as JPEG.

        ``name``: name of the frame. ``time``: when it was taken, s. ``made_for``: game, number of players, deck and layout; if
        they change, tracking starts from scratch.
        """
        with _clear_errors():
            pixels = _at_most(file, _TABLE_PX)
            # Removed until the job succeeds: after an error, the state may be inconsistent.
            before, observer = self._observed.pop(table, (None, None))
            if observer is None or before != made_for:
                observer = self.make_observer(self._loaded_scanner(), *made_for)
            frame, observation = observer.observe(pixels, name, time)
            jpeg = frame.jpeg
        self._observed[table] = made_for, observer
        while len(self._observed) > _MAX_OBSERVED:
            self._observed.popitem(last=False)
        return observation, jpeg

    def propose(self, photos: Sequence[bytes], pack: str) -> DeckProposal:
        """Return the cards of a deck laid out in photographs, with a name proposed for each."""
        from vision.enrollment.enrollment_photographs import propose_photos  # noqa: PLC0415  # loads the networks, as in `_loaded_scanner`

        with _clear_errors():
            pictures = [np.asarray(_at_most(photo, _DECK_PX), np.uint8) for photo in photos]
            return propose_photos(self._loaded_scanner(), pictures, pack)

    def propose_cards(self, pictures: Mapping[str, bytes], pack: str) -> DeckProposal:
        """Return a proposal from pictures of one card each, whose file names (without extension) are the keys."""
        with _clear_errors():
            return propose_pictures(
                {stem: _at_most(picture, _CARD_PX) for stem, picture in pictures.items()}, pack
            )

    def enroll(self, proposal: DeckProposal, name: str) -> DeckProfile:
        """Return the profile of a proposed and corrected deck. Raises `EnrollmentError` if no card has a name."""
        if all(place.card is None for place in proposal.places):
            raise EnrollmentError(Message("enroll-no-name"))
        with _clear_errors():
            return enroll_deck(proposal, name, self._loaded_scanner().recognizer)

    def read_deck(self, data: bytes) -> DeckProfile:
        """Return the profile in a ``.deck`` file. Raises `DeckFileError` if it is invalid."""
        with _clear_errors():
            return DeckProfile.from_bytes(data)

    def thumbnail(self, picture: bytes, width: int) -> bytes:
        """Return a stored picture as an upright JPEG at most ``width`` px wide."""
        with _clear_errors():
            return smaller_jpeg(picture, width)

    def portrait(self, file: bytes) -> bytes:
        """Return the middle of a picture as a small square JPEG."""
        with _clear_errors():
            return square_jpeg(file, _PORTRAIT_PX)

    def _loaded_scanner(self) -> Scanner:
        if self._scanner is None:
            # Imported late: a process that only makes thumbnails does not need the networks.
            from vision.photograph.scanner import Scanner  # noqa: PLC0415

            self._scanner = Scanner(library=self._library, patience_s=_PATIENCE_S)
        return self._scanner


@contextmanager
def _clear_errors() -> Iterator[None]:
    """Convert any library's out-of-memory error to `MemoryError`."""
    try:
        yield
    except ERRORS:
        raise
    except Exception as error:
        if out_of_memory(error):
            raise MemoryError(str(error)) from error
        raise


def _at_most(file: bytes, long_side: int) -> Pixels:
    return resized_to(decode(file).pixels, long_side)


def _make_observer(
    scanner: Scanner, game: str, players: int, deck: str | None, layout: Any
) -> PhotographObserver:
    # Imported late, as the scanner.
    from vision.tracking.posted_photographs import PhotographObserver  # noqa: PLC0415
    from vision.tracking.table_observer import TableObserver  # noqa: PLC0415
    from vision.tracking.table_view import TableView  # noqa: PLC0415

    observer = TableObserver(scanner, game, players, deck=deck, layout=layout)
    return PhotographObserver(observer, TableView(scanner))
