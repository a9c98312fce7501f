"""From frames to settled tables: what moves waits, hands are followed, light and noise are let through.

Everything is decided on the frames' small grey copies. A frame is still while it is like the first frame of its stillness, so that
nothing can creep; the table is settled once that has lasted. An arm is what differs from the last settled table, reaches in
from the picture's border, and is larger than a few cards; while one rests in the picture the table is not settled, unless it stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import cv2
import numpy as np

from vision.sources.frames import Frame
from vision.tracking.hand_detection import Arm, Hand, arms_in, dwells
from vision.tracking.motion import Mask, Small, differs, how_it_changed, other_light, soft

__all__ = ["SPECKS", "Gate", "Hand", "Settled"]

#: A table is settled when nothing moved for this long, s, on at least two frames: with 10 a second on the fourth, whatever
#: their jitter.
STILL_S: Final = 0.28
#: While it stays still it is looked at again, s: whoever doubts what a first look told may be surer of the next.
_AGAIN_S: Final = (1.0, 2.0)
#: With an arm in the picture it must last this long, s: longer than one holds a card over the table.
RESTING_S: Final = 3.0
#: What has lain at the border for this long, s, is no arm, or one that has come to stay.
STAYS_S: Final = 20.0
#: This many small pixels may differ without anything having moved: a sensor's specks.
SPECKS: Final = 6
#: Two still arms are one where they share this much of what both cover.
_SAME_ARM: Final = 0.6
#: Times are sums of steps like 1 / 30.
_ROUNDING_S: Final = 1e-6
#: The width of a card in parts of the picture's longer side, until somebody has seen one.
_CARD: Final = 1 / 24

_Told = Literal["nothing", "arm", "table"]


@dataclass(frozen=True, slots=True)
class Settled:
    """A table that lies still."""

    frame: Frame
    changed: Mask
    """Where it differs from the settled table before, as `Frame.small` (h x w): everywhere at the first, nowhere at another look
    at the same."""
    covered: Mask
    """Where an arm rests in the picture (h x w): what lies there is not seen, and has not gone."""
    hands: tuple[Hand, ...] = ()
    """The hands since the settled table before, in order: where they paused, or how far they came where they did not."""
    notes: tuple[str, ...] = ()
    """``light-changed``, ``camera-moved``, ``thing-on-table``, as in `companion.observations.Observation`."""


class Gate:
    """Takes frames in order and gives back those that show a settled table: of each stillness one, and two more if it lasts."""

    def __init__(self) -> None:
        self.card_px: float | None = None
        """The width of a card in the whole frame, px, as soon as somebody knows."""
        self.anchor: Frame | None = None
        """The first frame of this stillness; of one that moves that frame itself."""
        self._anchor_soft: Small = np.zeros((0, 0), np.float32)
        self._last: Frame | None = None
        self._count = 0
        self._told: _Told = "nothing"
        self._looks = 0  # more of the same stillness
        self._table: Small | None = None  # the settled table as it looks without arms
        self._covered: Mask = np.zeros((0, 0), np.bool_)
        self._hands: list[Hand] = []
        self._arm_in = False

    @property
    def settling(self) -> bool:
        """Whether nothing moves any more, no arm is in the picture, and the table will be told of as settled in a moment."""
        return self.waiting and self._count > 1 and not self._arm_in

    @property
    def waiting(self) -> bool:
        """Whether something moves, or has moved just now."""
        return self._told == "nothing"

    def feed(self, frame: Frame) -> Settled | None:
        """Return the table of ``frame`` if it is settled now and it is time to tell of it."""
        small = soft(frame.small)
        self._last = frame
        if self.anchor is None or self._moved(small):
            self.anchor, self._anchor_soft, self._count, self._told = frame, small, 0, "nothing"
        self._count += 1
        lasted = frame.time - self.anchor.time + _ROUNDING_S
        if self._told == "table":
            return self._again(frame, small, lasted)
        if self._told == "arm" and lasted < STAYS_S:
            return None
        arms = self._arms(frame, small)
        self._arm_in = bool(arms)
        if self._told == "nothing":
            self._hands += (arm.hand(frame) for arm in arms)
        if self._count < 2 or lasted < STILL_S:
            return None
        covered = _covered_by(arms if lasted < STAYS_S else [], small)
        if covered.any() and lasted < RESTING_S and not _same(covered, self._covered):
            return None
        return self._settle(frame, small, covered)

    def _again(self, frame: Frame, small: Small, lasted: float) -> Settled | None:
        if self._looks == len(_AGAIN_S) or lasted < _AGAIN_S[self._looks]:
            return None
        self._looks += 1
        nowhere = np.zeros(small.shape, np.bool_)
        return Settled(frame, nowhere, nowhere)

    def finish(self) -> Settled | None:
        """Return the table of the last frame where it was still, but not long enough yet to be told of."""
        if self._last is None or self._count < 2 or self._told != "nothing":
            return None
        small = soft(self._last.small)
        return self._settle(self._last, small, _covered_by(self._arms(self._last, small), small))

    def start(self, frame: Frame) -> Settled:
        """Return the first frame of a new gate as a stable table, without waiting for a second one like it.

        For a table that was stable before its frames began to be warped: a hand that comes back with the next frame must not
        hide it.
        """
        small = soft(frame.small)
        self.anchor, self._anchor_soft, self._last, self._count = frame, small, frame, 2
        return self._settle(frame, small, np.zeros(small.shape, np.bool_))

    def _moved(self, small: Small) -> bool:
        if small.shape != self._anchor_soft.shape:
            self._table = None
            return True
        before = self._anchor_soft
        return other_light(before, small) or int(np.count_nonzero(differs(before, small))) > SPECKS

    def _arms(self, frame: Frame, small: Small) -> list[Arm]:
        if self._table is None:
            return []
        card = self.card_px * small.shape[1] / frame.width if self.card_px else _CARD * max(small.shape)
        return arms_in(self._table, small, card)

    def _settle(self, frame: Frame, small: Small, covered: Mask) -> Settled:
        changed, notes = np.ones(small.shape, np.bool_), list[str]()
        if self._table is not None:
            changed, notes = how_it_changed(self._table, small, ~covered)
            small = np.where(covered, self._table, small)
        if self._told == "arm":
            notes.append("thing-on-table")
        self._table, self._covered = small, covered
        self._told, self._looks = "arm" if covered.any() else "table", 0
        hands, self._hands = dwells(self._hands), []
        return Settled(frame, changed, covered, hands, tuple(notes))


def _covered_by(arms: Sequence[Arm], small: Small) -> Mask:
    covered = np.zeros(small.shape, np.bool_)
    for arm in arms:
        if arm.may_rest:
            covered |= arm.mask
    # An arm's edge is softer than the threshold of what differs.
    return np.asarray(cv2.dilate(covered.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0, np.bool_)


def _same(one: Mask, other: Mask) -> bool:
    """Return whether an arm rests where one rested before."""
    return one.shape == other.shape and bool((one & other).sum() >= _SAME_ARM * (one | other).sum())
