"""The demo as a frame source: the film of one evening in real time, over and over.

The film is a ZIP archive with ``evening.json`` and one picture for each frame that differs from the one before: what differs from the
last frame at rest, as WebP. So a table at rest costs nothing and looks the same in every frame.
"""

from __future__ import annotations

import json
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from vision.pictures.crops import Image
from vision.sources.frames import Frame, FrameSource, SourceState

#: Made by ``python -m hanafuda_training.rounds.film``, see models/training/README.md.
FILM: Final = Path(__file__).with_name("evening.zip")
#: In the archive. ``fps``: frames/s; ``frames``: their number; ``calls``: [frame, seat, call]; ``changes``: [frame, x, y (px), shrink] of
#: each picture, in the file ``FRAME.webp``. It is enlarged ``shrink`` times and placed at x, y on the last frame whose ``shrink`` is 1;
#: its transparent pixels do not change. The first one is the whole frame.
CONTENTS: Final = "evening.json"
#: How far the film may be behind real time before it runs slower instead of catching up, s.
_MAX_LAG_S: Final = 2.0


class FilmSource(FrameSource):
    """The film's frames at its own rate; after the last one it starts again.

    No frame is left out: on a slow machine the film takes longer, but shows the same.
    """

    live = True

    def __init__(
        self, *, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._clock, self._sleep = clock, sleep
        self._film = zipfile.ZipFile(FILM)
        contents: dict[str, Any] = json.loads(self._film.read(CONTENTS))
        self._step = 1 / contents["fps"]
        self._frames: Final[int] = contents["frames"]
        self._changes = {frame: change for frame, *change in contents["changes"]}
        self._calls: Final[list[tuple[int, int, str]]] = contents["calls"]
        self._picture: Image = np.zeros((0, 0, 3), np.uint8)
        self._rest = self._picture
        self._count = 0
        self._made: list[tuple[int, str]] = []
        self._due = clock()
        self._ended = False

    @property
    def state(self) -> SourceState:
        """``live`` until the source is closed, then ``ended``."""
        return "ended" if self._ended else "live"

    def next(self, wait: float = 1.0) -> Frame | None:
        """Return the next frame when it is due, or None if that is more than ``wait`` s from now."""
        if self._ended:
            return None
        early = self._due - self._clock()
        if early > wait:
            self._sleep(wait)
            return None
        if early > 0:
            self._sleep(early)
        self._due = max(self._due + self._step, self._clock() - _MAX_LAG_S)
        number = self._count % self._frames
        self._count += 1
        if number in self._changes:
            self._picture = self._changed(number)
        self._made += [(seat, call) for frame, seat, call in self._calls if frame == number]
        return Frame(f"demo-{self._count:06d}", self._count * self._step, bgr=self._picture)

    def _changed(self, number: int) -> Image:
        """Return the picture with the change of a frame; frames that were delivered keep theirs."""
        data = np.frombuffer(self._film.read(f"{number}.webp"), np.uint8)
        change = np.asarray(cv2.imdecode(data, cv2.IMREAD_UNCHANGED), np.uint8)
        x, y, shrink = self._changes[number]
        height, width = (shrink * side for side in change.shape[:2])
        picture = self._rest.copy() if number else np.empty((height, width, 3), np.uint8)
        colors = cv2.resize(change[..., :3], (width, height), interpolation=cv2.INTER_LINEAR)
        # A change without transparent pixels is stored without this channel.
        opaque = np.repeat(np.repeat(change[..., 3:] > 0, shrink, axis=0), shrink, axis=1)
        np.copyto(picture[y : y + height, x : x + width], colors, where=opaque if opaque.size else True)
        if shrink == 1:
            self._rest = picture
        return picture

    def take_calls(self) -> list[tuple[int, str]]:
        """Return the calls since the last request: seat and call."""
        made, self._made = self._made, []
        return made

    def close(self) -> None:
        """Close the film and end the source."""
        self._ended = True
        self._film.close()
