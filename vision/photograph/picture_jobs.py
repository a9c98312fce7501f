"""What is done with pictures that people send, in a process of its own (`companion.net.job_process`): decoding, scanning, learning decks.

Arguments and results survive pickling. `ERRORS` are the errors that are the sender's; all others are the program's.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, cast

import numpy as np

from companion.hanafuda.errors import BadRequestError
from companion.observations import Observation
from vision.decks.deck_library import DeckLibrary
from vision.decks.deck_profile import DeckFileError, DeckProfile
from vision.decks.enrollment import DeckProposal, EnrollmentError, enroll_deck, propose_pictures
from vision.networks.onnx_sessions import MissingModelError
from vision.photograph.picture_decoding import (
    Pixels,
    decode,
    heic_to_jpeg,
    out_of_memory,
    resized_to,
    smaller_jpeg,
)
from vision.photograph.picture_files import PictureError, PictureFile
from vision.photograph.scan_result import ScanResult

if TYPE_CHECKING:
    from vision.photograph.scanner import Scanner

__all__ = ["ERRORS", "BadDeckError", "PictureJobs", "PictureObserver", "ScannerLike"]

_MAX_OBSERVED: Final = 8
"""Tables that are observed at a time; of the one that was not observed for longest the next picture is a first one again."""

#: Long sides, px. Photographs of a whole deck are reduced to the first: four at full size would fill a small computer.
_DECK_PX: Final = 4000
_CARD_PX: Final = 600
#: Pictures of a live table are reduced to this: all that cards need, and not 12 megapixels per turn in the log.
_TABLE_PX: Final = 2560


class BadDeckError(BadRequestError):
    """The scanner knows no deck of that name."""

    code: ClassVar[str] = "unknown-deck"


ERRORS: Final = (PictureError, BadDeckError, EnrollmentError, DeckFileError, MissingModelError)


class ScannerLike(Protocol):
    """What finds and names the cards of a picture: `vision.photograph.scanner.Scanner`, or a double in tests."""

    def scan(self, bgr: np.ndarray, deck: str | None = None, focal: float | None = None) -> ScanResult:
        """Return the reading of a picture; ``focal``: its focal length, px, where the file tells it."""


class StoredFrame(Protocol):
    """A picture as it is stored: `vision.sources.Frame`."""

    @property
    def jpeg(self) -> bytes:
        """The picture as JPEG."""


class PictureObserver(Protocol):
    """What follows one table: `vision.tracking.posted_photographs.PhotographObserver`, or a double in tests."""

    def observe(self, bgr: np.ndarray, name: str, time: float) -> tuple[StoredFrame, Observation]:
        """Return a picture as a frame, and its observation."""


@dataclass(frozen=True, slots=True)
class ObservedTable:
    """What an observer was made for, and the observer."""

    made_for: tuple[Any, ...]
    observer: PictureObserver


class PictureJobs:
    """The jobs, one at a time. The scanner is loaded with the first that needs it."""

    errors: Final = ERRORS

    def __init__(self, decks: Path | None = None, scanner: ScannerLike | None = None) -> None:
        """Take the folder of enrolled decks; tests put a double in place of the scanner."""
        self._library = DeckLibrary(decks)
        self._scanner = scanner
        self._observed: OrderedDict[str, ObservedTable] = OrderedDict()
        self.make_observer: Callable[..., PictureObserver] = _posted
        """Makes an observer of the scanner, the game, the number of players, the deck and the layout."""

    def warm_up(self) -> None:
        """Load the scanner; raises `MissingModelError`."""
        self._ready()

    def scan(self, file: PictureFile, deck: str | None) -> tuple[ScanResult, bytes | None]:
        """Return the reading of a picture file, and the file as JPEG where it was HEIC and must not be stored as it is."""
        with _clear_errors():
            converted = heic_to_jpeg(file.data) if file.media_type == "image/heic" else None
            picture = decode(converted or file)
            reading = self._ready().scan(picture.pixels, deck, picture.focal)
            return reading.at_size(picture.width, picture.height), converted

    def observe(
        self, table: str, file: PictureFile, name: str, time: float, made_for: tuple[Any, ...]
    ) -> tuple[Observation, bytes]:
        """Return the observation of a picture file of a table, called ``name`` and taken at ``time`` (s), and the picture as JPEG.

        ``made_for``: game, number of players, deck and layout; where they change, the table is observed from scratch.
        """
        with _clear_errors():
            pixels = _at_most(file, _TABLE_PX)
            # Should this fail, what it knows of the table is not used again.
            known = self._observed.pop(table, None)
            if known is None or known.made_for != made_for:
                known = ObservedTable(made_for, self.make_observer(self._ready(), *made_for))
            frame, look = known.observer.observe(pixels, name, time)
            jpeg = frame.jpeg
        self._observed[table] = known
        while len(self._observed) > _MAX_OBSERVED:
            self._observed.popitem(last=False)
        return look, jpeg

    def propose(self, photos: Sequence[PictureFile], pack: str) -> DeckProposal:
        """Return the cards of a deck laid out in photographs, with a name proposed for each."""
        from vision.decks.enrollment_photographs import propose_photos  # noqa: PLC0415  # loads the networks, as in `_ready`

        with _clear_errors():
            pictures = [np.asarray(_at_most(photo, _DECK_PX), np.uint8) for photo in photos]
            return propose_photos(self._whole_scanner(), pictures, pack)

    def propose_cards(self, pictures: Mapping[str, PictureFile], pack: str) -> DeckProposal:
        """Return the cards that pictures of one card each are named by."""
        with _clear_errors():
            return propose_pictures(
                {stem: _at_most(picture, _CARD_PX) for stem, picture in pictures.items()}, pack
            )

    def enroll(self, proposal: DeckProposal, name: str) -> DeckProfile:
        """Return the profile of a deck as it was proposed and corrected."""
        if all(place.card is None for place in proposal.places):
            raise EnrollmentError("no card of this deck has a name: name those that have one")
        with _clear_errors():
            return enroll_deck(proposal, name, self._whole_scanner().recognizer)

    def read_deck(self, data: bytes) -> DeckProfile:
        """Return the profile in a deck's file, whose sheet of pictures is decoded."""
        with _clear_errors():
            return DeckProfile.from_bytes(data)

    def thumbnail(self, path: Path, width: int) -> bytes:
        """Return a stored picture as an upright JPEG at most ``width`` px wide."""
        with _clear_errors():
            return smaller_jpeg(path.read_bytes(), width)

    def _ready(self) -> ScannerLike:
        if self._scanner is None:
            # Imported now: a process that only makes thumbnails does without the networks.
            from vision.photograph.scanner import Scanner  # noqa: PLC0415

            self._scanner = Scanner(library=self._library)
        return self._scanner

    def _whole_scanner(self) -> Scanner:
        # A double that only scans fails here, and that is reported as any failure.
        return cast("Scanner", self._ready())


@contextmanager
def _clear_errors() -> Iterator[None]:
    """Turn errors that cannot be pickled, and those that say in many ways that memory ran out, into others."""
    from vision.decks.deck_choice import UnknownDeckError  # noqa: PLC0415  # as in `_ready`

    try:
        yield
    except ERRORS:
        raise
    except UnknownDeckError as error:
        raise BadDeckError(str(error)) from error
    except Exception as error:
        if out_of_memory(error):
            raise MemoryError(str(error)) from error
        raise


def _at_most(file: PictureFile, long_side: int) -> Pixels:
    return resized_to(decode(file).pixels, long_side)


def _posted(scanner: Any, game: str, players: int, deck: str | None, layout: Any) -> PictureObserver:
    # Imported now, as the scanner is.
    from vision.tracking.posted_photographs import PhotographObserver  # noqa: PLC0415
    from vision.tracking.table_observer import TableObserver  # noqa: PLC0415

    return PhotographObserver(TableObserver(scanner, game, players, deck=deck, layout=layout))
