"""The eyes behind the API: one picture at a time, read with a scanner that is made when first needed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, TypeVar, cast

import cv2
import numpy as np

from companion.errors import BadRequestError
from vision.decks.enrolment import EnrolmentError, Proposal, enrol, propose_pictures
from vision.decks.library import Library
from vision.decks.profile import DeckProfile
from vision.pictures import PictureError, read_picture
from vision.reading import Reading

if TYPE_CHECKING:
    from vision.scanner import Scanner

__all__ = ["BadDeckError", "BusyError", "Eyes", "ScannerFailedError", "ScannerLike"]


class ScannerLike(Protocol):
    """What finds and names the cards of a picture; `vision.scanner.Scanner`, or a double in tests."""

    def scan(self, bgr: np.ndarray, deck: str | None = None) -> Reading:
        """Return the reading of a picture."""


PATIENCE_S = 45
"""How long a picture waits for its turn before its sender is asked to come back."""

#: A photograph of a deck, and a picture of a card, are made smaller to these long sides, px: four of 50 megapixels would
#: fill a small computer.
_DECK_PX: Final = 4000
_CARD_PX: Final = 600
#: A picture of a live table to this: all that cards need, and not 12 megapixels a turn in the log.
_TABLE_PX: Final = 2560

T = TypeVar("T")


class BadDeckError(BadRequestError):
    """The scanner knows no deck of that name."""

    code: ClassVar[str] = "unknown-deck"


class BusyError(Exception):
    """Too many pictures wait to be read already."""

    retry_after_s = 10

    def __init__(self) -> None:
        super().__init__("Many pictures are being read right now. Wait a few seconds and send yours again.")


class ScannerFailedError(Exception):
    """The scanner broke on a picture that is a picture."""

    def __init__(self) -> None:
        super().__init__(
            "The program failed while looking for cards in this picture; nothing was stored."
            " Try another picture. The server's log tells more."
        )


class Eyes:
    """Reads pictures one after the other.

    Decoding and finding cards use every core for a moment, so ten phones at once would only slow each other
    down and fill the memory of a small computer.
    """

    def __init__(self, scanner: ScannerLike | None = None, library: Library | None = None) -> None:
        self._scanner = scanner
        self._library = library
        self._turn = threading.Lock()

    def warm_up(self) -> None:
        """Load the scanner now rather than with the first picture; ``MissingModelError`` if it cannot be."""
        with self._turn:
            self._ready()

    def read(self, picture: bytes, deck: str | None) -> Reading:
        """Return the reading of a picture file.

        Raises ``PictureError``, ``BadDeckError``, ``BusyError`` or ``ScannerFailedError``.
        """
        with self._my_turn():
            from vision.scanner import UnknownDeckError  # noqa: PLC0415  # as in `_ready`

            pixels = read_picture(picture)
            try:
                return self._ready().scan(pixels, deck)
            except UnknownDeckError as error:
                raise BadDeckError(str(error)) from error
            except Exception as error:  # whatever broke in there, the sender gets an answer
                raise ScannerFailedError from error

    def look(self, picture: bytes, look: Callable[[Any, np.ndarray], T]) -> T:
        """Return what ``look`` makes of the scanner and a picture file's pixels, made smaller where there are very many.

        Raises as `read` does.
        """
        with self._my_turn():
            from vision.scanner import UnknownDeckError  # noqa: PLC0415  # as in `_ready`

            pixels = _read_at_most(picture, _TABLE_PX)
            try:
                return look(self._ready(), pixels)
            except UnknownDeckError as error:
                raise BadDeckError(str(error)) from error
            except Exception as error:  # as in `read`
                raise ScannerFailedError from error

    def propose(self, photos: Sequence[bytes], pack: str) -> Proposal:
        """Return the cards of a deck that lies in photographs, each with a name proposed.

        Raises ``PictureError``, ``EnrolmentError``, ``BusyError`` or ``ScannerFailedError``.
        """
        from vision.decks.photographs import propose_photos  # noqa: PLC0415  # as in `_ready`

        with self._learning() as scanner:
            return propose_photos(scanner, [_read_at_most(photo, _DECK_PX) for photo in photos], pack)

    def propose_cards(self, pictures: Mapping[str, bytes], pack: str) -> Proposal:
        """Return the cards that pictures of one each are called by; raises as `propose` does."""
        with self._my_turn():
            return propose_pictures(
                {stem: _read_at_most(picture, _CARD_PX) for stem, picture in pictures.items()}, pack
            )

    def enrol(self, proposal: Proposal, name: str) -> DeckProfile:
        """Return the profile of a deck as it was proposed and put right; raises as `propose` does."""
        if all(place.card is None for place in proposal.places):
            raise EnrolmentError("no card of this deck has a name: name those that have one")
        with self._learning() as scanner:
            return enrol(proposal, name, scanner.recogniser)

    @contextmanager
    def _learning(self) -> Iterator[Scanner]:
        with self._my_turn():
            try:
                # A double that reads pictures only fails here, and that is told as any failure.
                yield cast("Scanner", self._ready())
            except (EnrolmentError, PictureError):
                raise
            except Exception as error:  # as above
                raise ScannerFailedError from error

    def _ready(self) -> ScannerLike:
        if self._scanner is None:
            # Imported now: where a camera's own process does the seeing, a server that scans nothing is a third smaller.
            from vision.scanner import Scanner  # noqa: PLC0415

            self._scanner = Scanner(library=self._library)
        return self._scanner

    @contextmanager
    def _my_turn(self) -> Iterator[None]:
        if not self._turn.acquire(timeout=PATIENCE_S):
            raise BusyError
        try:
            yield
        finally:
            self._turn.release()


def _read_at_most(picture: bytes, long_side: int) -> np.ndarray:
    pixels = read_picture(picture)
    share = long_side / max(pixels.shape[:2])
    return (
        pixels if share >= 1 else cv2.resize(pixels, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
    )
