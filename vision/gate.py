"""From frames to settled tables: what moves waits, hands are followed, light and noise are let through.

Everything is decided on the frames' small grey copies. A frame is still while it is like the first frame of its stillness, so that
nothing can creep; the table is settled once that has lasted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.sources.frames import Frame, Grey

__all__ = ["Gate", "Hand", "Settled", "Side"]

#: A table is settled when nothing moved for this long, s, on at least two frames.
STILL_S: Final = 0.35

Side = Literal["top", "right", "bottom", "left"]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand over the table in one frame that was not settled."""

    time: float
    """s, as `Frame.time`."""
    tip: tuple[float, float]
    """Its fingertips: the point farthest from where the arm comes into the picture, px of the whole frame."""
    side: Side
    """The picture's border at which the arm comes in."""
    frame: str
    """The frame's name."""


@dataclass(frozen=True, slots=True)
class Settled:
    """A table that lies still."""

    frame: Frame
    changed: Mask
    """Where it differs from the settled table before, as `Frame.small` (h x w); everywhere at the first."""
    covered: Mask
    """Where an arm rests in the picture (h x w): what lies there is not seen, and has not gone."""
    hands: tuple[Hand, ...] = ()
    """The hands since the settled table before, in order."""
    notes: tuple[str, ...] = ()
    """``light-changed``, ``camera-moved``, as in `companion.sightings.Look`."""


class Gate:
    """Takes frames in order and gives back those that show a settled table."""

    def __init__(self) -> None:
        self._first: Frame | None = None  # of the stillness now
        self._still = 0
        self._told = False
        self._table: NDArray[np.float32] | None = None  # the settled table, without hands
        self._hands: list[Hand] = []

    def feed(self, frame: Frame) -> Settled | None:
        """Return the table of ``frame`` where it is settled now and was not at the frame before."""
        if (
            self._first is None
            or self._first.small.shape != frame.small.shape
            or _differs(self._first.small, frame.small).any()
        ):
            self._first, self._still, self._told = frame, 1, False
            return None
        self._still += 1
        if self._told or frame.time - self._first.time < STILL_S - 1e-6:
            return None
        return self._settle(frame)

    def finish(self, last: Frame) -> Settled | None:
        """Return the table of the ``last`` frame of a source where it was still, but too short to be told of."""
        return self._settle(last) if self._still > 1 and not self._told else None

    def _settle(self, frame: Frame) -> Settled:
        small = frame.small.astype(np.float32)
        same = self._table is not None and self._table.shape == small.shape
        changed = (
            _differs(self._table, small)
            if same and self._table is not None
            else np.ones(small.shape, np.bool_)
        )
        self._told, self._table = True, small
        hands, self._hands = tuple(self._hands), []
        return Settled(frame, changed, np.zeros(small.shape, np.bool_), hands)


def _differs(before: NDArray[np.float32] | Grey, now: NDArray[np.float32] | Grey) -> Mask:
    """Return where one small picture differs from another (h x w each)."""
    then, here = cv2.blur(before, (3, 3)).astype(np.float32), cv2.blur(now, (3, 3)).astype(np.float32)
    return np.asarray(np.abs(here - then) > 8 + 0.06 * then, np.bool_)
