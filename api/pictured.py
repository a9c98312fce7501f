"""The tables of which phones post pictures: each followed from picture to picture, as a camera's worker does elsewhere."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import numpy as np

from api.eyes import Eyes
from companion.games import pack_of
from companion.rules import Rules
from companion.sightings import Look

__all__ = ["Pictured", "Seen", "Watching"]

#: Tables followed at once; of the one not seen for longest the next picture is again a first one.
_MOST: Final = 8


class Seen(Protocol):
    """A picture as it is kept; `vision.sources.Frame`."""

    @property
    def jpeg(self) -> bytes:
        """The picture as JPEG."""


class Watching(Protocol):
    """What follows one table; `vision.posted.Posted`, or a double in tests."""

    def look(self, bgr: np.ndarray, name: str, time: float) -> tuple[Seen, Look]:
        """Return a picture as a frame, and what it shows."""


Opener = Callable[[Any, str, int, str | None, Any], Watching]
"""Makes what follows a table, of the scanner, the game, the number of players, the deck and the layout."""


@dataclass(slots=True)
class _Followed:
    """A table; ``made_for``: rules, players, deck and layout that its watching was made for."""

    turn: threading.Lock = field(default_factory=threading.Lock)
    made_for: tuple[Any, ...] = ()
    watching: Watching | None = None


class Pictured:
    """By table."""

    def __init__(self, eyes: Eyes, opener: Opener | None = None) -> None:
        self._eyes = eyes
        self._open = opener or _posted
        self._followed: OrderedDict[str, _Followed] = OrderedDict()
        self._lock = threading.Lock()
        self._began = time.monotonic()

    @contextmanager
    def look(
        self, table_id: str, picture: bytes, rules: Rules, players: int, deck: str | None, layout: Any
    ) -> Iterator[tuple[Look, bytes]]:
        """Give what a picture file of a table shows, and the picture as JPEG; the next one of the table waits meanwhile.

        Raises ``PictureError``, ``BadDeckError``, ``BusyError`` or ``ScannerFailedError``.
        """
        with self._lock:
            followed = self._followed.setdefault(table_id, _Followed())
            self._followed.move_to_end(table_id)
            while len(self._followed) > _MOST:
                self._followed.popitem(last=False)
        made_for = (rules.hash, players, deck, repr(layout))
        with followed.turn:

            def looked(scanner: Any, pixels: np.ndarray) -> tuple[Seen, Look]:
                watching = followed.watching
                if watching is None or followed.made_for != made_for:
                    watching = self._open(scanner, rules.game, players, deck or pack_of(rules), layout)
                followed.watching = None  # should it fail, it is not used again
                name = hashlib.sha256(picture).hexdigest()
                found = watching.look(pixels, name, time.monotonic() - self._began)
                followed.watching, followed.made_for = watching, made_for
                return found

            frame, look = self._eyes.look(picture, looked)
            yield look, frame.jpeg

    def forget(self, table_id: str) -> None:
        """Let the next picture of a table be a first one."""
        with self._lock:
            self._followed.pop(table_id, None)


def _posted(scanner: Any, game: str, players: int, deck: str | None, layout: Any) -> Watching:
    # Imported now, as the scanner is.
    from vision.posted import Posted  # noqa: PLC0415
    from vision.watcher import Watcher  # noqa: PLC0415

    return Posted(Watcher(scanner, game, players, deck=deck, layout=layout))
