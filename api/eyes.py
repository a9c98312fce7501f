"""The eyes behind the API: one picture at a time, read with a scanner that is made when first needed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar, Protocol

import numpy as np

from companion.errors import BadRequestError
from vision.pictures import read_picture
from vision.reading import Reading
from vision.scanner import Scanner, UnknownDeckError

__all__ = ["BadDeckError", "BusyError", "Eyes", "ScannerFailedError", "ScannerLike"]


class ScannerLike(Protocol):
    """What finds and names the cards of a picture; `vision.scanner.Scanner`, or a double in tests."""

    def scan(self, bgr: np.ndarray, deck: str | None = None) -> Reading:
        """Return the reading of a picture."""


PATIENCE_S = 45
"""How long a picture waits for its turn before its sender is asked to come back."""


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

    def __init__(self, scanner: ScannerLike | None = None) -> None:
        self._scanner = scanner
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
            pixels = read_picture(picture)
            try:
                return self._ready().scan(pixels, deck)
            except UnknownDeckError as error:
                raise BadDeckError(str(error)) from error
            except Exception as error:  # whatever broke in there, the sender gets an answer
                raise ScannerFailedError from error

    def _ready(self) -> ScannerLike:
        if self._scanner is None:
            self._scanner = Scanner()
        return self._scanner

    @contextmanager
    def _my_turn(self) -> Iterator[None]:
        if not self._turn.acquire(timeout=PATIENCE_S):
            raise BusyError
        try:
            yield
        finally:
            self._turn.release()
