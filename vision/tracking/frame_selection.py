"""Selection of stable frames: frames with motion wait, hands are followed, changes of light and noise are tolerated.

All decisions use the frames' small gray copies. A frame is still while it matches the first frame of its still period (the anchor), so
that slow changes cannot go unnoticed; the table is stable once this has lasted for `STILL_S`. An arm is a difference from the last
stable table that touches the border and is larger than a few cards. While an arm rests in the picture the table is not stable, unless
the arm stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import cv2
import numpy as np

from vision.sources.frames import Frame
from vision.tracking.hand_detection import ArmRegion, HandPosition, detect_arms, hand_pauses
from vision.tracking.motion import (
    Mask,
    SmoothImage,
    brightness_changed,
    classify_change,
    difference_mask,
    smooth,
)

__all__ = ["MAX_SPECKS", "FrameSelector", "HandPosition", "StableFrame"]

#: A table is stable when nothing moved for this long (s) on at least two frames: at 10 frames/s on the fourth frame.
STILL_S: Final = 0.28
#: A still table is reported again after these times (s): a second reading can resolve doubts of the first.
_REPEAT_S: Final = (1.0, 2.0)
#: With an arm in the picture it must be still for this long (s): longer than a player holds a card over the table.
RESTING_S: Final = 3.0
#: An object at the border that has been still for this long (s) is not an arm, or stays.
STAYS_S: Final = 20.0
#: Number of small pixels that may differ by sensor noise in a still frame.
MAX_SPECKS: Final = 6
#: Two resting arms are the same if their intersection over union is at least this.
_SAME_ARM_IOU: Final = 0.6
#: Tolerance for sums of frame intervals such as 1 / 30 s.
_ROUNDING_S: Final = 1e-6
#: Assumed width of a card as a fraction of the picture's longer side until one has been detected.
_DEFAULT_CARD: Final = 1 / 24

_Reported = Literal["nothing", "arm", "table"]


@dataclass(frozen=True, slots=True)
class StableFrame:
    """A frame that shows the table at rest."""

    frame: Frame
    changed: Mask
    """Difference from the stable frame before, in the size of `Frame.small` (h x w): all True for the first one, all False for a
    repeated report of the same table."""
    covered: Mask
    """Where an arm rests in the picture (h x w): cards there are hidden, not removed."""
    hands: tuple[HandPosition, ...] = ()
    """Hands since the stable frame before, in order: where they paused, or their farthest position if they did not pause."""
    notes: tuple[str, ...] = ()
    """``light-changed``, ``camera-moved``, ``thing-on-table``, as in `companion.observations.Observation`."""
    aligned: bool = False
    """Whether the camera moved and the frame was aligned with those before, so that positions are comparable."""


class FrameSelector:
    """Takes frames in order and returns those that show a stable table: one for each still period, two more if it lasts."""

    def __init__(self) -> None:
        self.card_px: float | None = None
        """Width of a card in the full frame (px), set by the caller once known."""
        self.anchor: Frame | None = None
        """First frame of the current still period; the frame itself while something moves."""
        self._anchor_image: SmoothImage = np.zeros((0, 0), np.float32)
        self._last: Frame | None = None
        self._count = 0
        self._reported: _Reported = "nothing"
        self._repeats = 0
        self._table: SmoothImage | None = None  # the last stable table, without arms
        self._covered: Mask = np.zeros((0, 0), np.bool_)
        self._hands: list[HandPosition] = []
        self._has_arm = False

    @property
    def about_to_report(self) -> bool:
        """Whether the table is still, without an arm, and will be reported after a few more frames."""
        return self.moving and self._count > 1 and not self._has_arm

    @property
    def moving(self) -> bool:
        """Whether something moves, or moved too recently for the table to be stable."""
        return self._reported == "nothing"

    def feed(self, frame: Frame) -> StableFrame | None:
        """Take the next frame; return it as a stable frame if it is one and is due to be reported."""
        small = smooth(frame.small)
        self._last = frame
        if self.anchor is None or self._has_moved(small):
            self.anchor, self._anchor_image, self._count, self._reported = frame, small, 0, "nothing"
        self._count += 1
        duration = frame.time - self.anchor.time + _ROUNDING_S
        if self._reported == "table":
            return self._repeat(frame, small, duration)
        if self._reported == "arm" and duration < STAYS_S:
            return None
        arms = self._detect_arms(frame, small)
        self._has_arm = bool(arms)
        if self._reported == "nothing":
            self._hands += (arm.hand for arm in arms)
        if self._count < 2 or duration < STILL_S:
            return None
        covered = _covered_area(arms if duration < STAYS_S else [], small)
        if covered.any() and duration < RESTING_S and not _is_same_arm(covered, self._covered):
            return None
        return self._report(frame, small, covered)

    def finish(self) -> StableFrame | None:
        """Return the last frame if the table was still but not yet reported at the end of the source."""
        if self._last is None or self._count < 2 or self._reported != "nothing":
            return None
        small = smooth(self._last.small)
        return self._report(self._last, small, _covered_area(self._detect_arms(self._last, small), small))

    def start(self, frame: Frame) -> StableFrame:
        """Return the first frame of a new selector as a stable frame, without waiting for a second one.

        For a table that was stable before its frames began to be rectified: a hand in the next frame must not hide it.
        """
        small = smooth(frame.small)
        self.anchor, self._anchor_image, self._last, self._count = frame, small, frame, 2
        return self._report(frame, small, np.zeros(small.shape, np.bool_))

    def _repeat(self, frame: Frame, small: SmoothImage, duration: float) -> StableFrame | None:
        if self._repeats == len(_REPEAT_S) or duration < _REPEAT_S[self._repeats]:
            return None
        self._repeats += 1
        nowhere = np.zeros(small.shape, np.bool_)
        return StableFrame(frame, nowhere, nowhere)

    def _has_moved(self, small: SmoothImage) -> bool:
        if small.shape != self._anchor_image.shape:
            self._table = None
            return True
        before = self._anchor_image
        return (
            brightness_changed(before, small)
            or int(np.count_nonzero(difference_mask(before, small))) > MAX_SPECKS
        )

    def _detect_arms(self, frame: Frame, small: SmoothImage) -> list[ArmRegion]:
        if self._table is None:
            return []
        card = (
            self.card_px * small.shape[1] / frame.width if self.card_px else _DEFAULT_CARD * max(small.shape)
        )
        return detect_arms(frame, self._table, small, card)

    def _report(self, frame: Frame, small: SmoothImage, covered: Mask) -> StableFrame:
        changed, notes = np.ones(small.shape, np.bool_), list[str]()
        if self._table is not None:
            changed, notes = classify_change(self._table, small, ~covered)
            small = np.where(covered, self._table, small)
        if self._reported == "arm":
            notes.append("thing-on-table")
        self._table, self._covered = small, covered
        self._reported, self._repeats = "arm" if covered.any() else "table", 0
        hands, self._hands = hand_pauses(self._hands), []
        return StableFrame(frame, changed, covered, hands, tuple(notes))


def _covered_area(arms: Sequence[ArmRegion], small: SmoothImage) -> Mask:
    covered = np.zeros(small.shape, np.bool_)
    for arm in arms:
        if arm.may_rest:
            covered |= arm.mask
    # The blurred edge of an arm is below the difference threshold.
    return np.asarray(cv2.dilate(covered.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0, np.bool_)


def _is_same_arm(one: Mask, other: Mask) -> bool:
    return one.shape == other.shape and bool((one & other).sum() >= _SAME_ARM_IOU * (one | other).sum())
