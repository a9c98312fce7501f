"""Selection of stable frames: frames with motion wait, hands are followed, changes of light and noise are tolerated.

All decisions use the frames' small gray copies. A frame is still while it matches the first frame of its still period (the anchor), so
that slow changes cannot go unnoticed; the table is stable once this has lasted for `STILL_S`. An arm is a difference from the last stable
table that touches the border and is larger than a few cards. While an arm plays, the table is not stable. Where one rests, the picture is
no evidence, whatever it shows there and whoever plays elsewhere, and the table beside it is selected; so is, after `COVERED_S`, the table
beside what never rests. When the camera moved, frames are aligned with the table before. A frame
that shows nothing is as if all of the table were covered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.registration.camera_motion import LandmarkPicture, camera_motion
from vision.pictures.crops import Floats
from vision.sources.frames import Frame
from vision.tracking.hand_detection import ArmRegion, HandPosition, detect_arms, hand_pauses, min_arm_area
from vision.tracking.motion import (
    EDGE,
    MAX_SPECKS,
    MOST,
    Mask,
    SmoothImage,
    brightness_changed,
    classify_change,
    difference_mask,
    smooth,
)

#: A table is stable when nothing moved for this long (s) on at least two frames: at 10 frames/s on the fourth frame.
STILL_S: Final = 0.28
#: A still table is reported again after this time (s): a second reading can resolve doubts of the first.
_REPEAT_S: Final = 1.0
#: An arm rests when it has been at the same place for this long (s): longer than a player holds a card over the table.
RESTING_S: Final = 3.0
#: If the table has been covered, or never still, for this long (s), that is reported.
COVERED_S: Final = 8.0
#: An object at the border that has been still for this long (s) is not an arm, or stays.
STAYS_S: Final = 20.0
#: A frame whose darkest and brightest hundredth differ by fewer gray levels (0-255) than this shows nothing: the lens is covered, or the
#: camera sends black pictures during a call. Sensor noise makes 2, a plain cloth in the light of a room 14 and more.
_BLANK: Final = 6.0
#: Assumed width of a card as a fraction of the picture's longer side until one has been detected.
_DEFAULT_CARD: Final = 0.04

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
    """``light-changed``, ``camera-moved``, ``thing-on-table``, ``table-covered``, as in `companion.observations.Observation`."""
    aligned: bool = False
    """Whether the camera moved and the frame was aligned with those before, so that positions are comparable."""


class FrameSelector:
    """Takes frames in order and returns those that show a stable table: one for each still period, another if it lasts."""

    def __init__(self, follow: Callable[[Floats], Frame]) -> None:
        """``follow`` returns the latest frame again, seen as before the camera moved; it takes the homography (3 x 3) from px of the
        frame to those of the frames before.
        """
        self.card_px: float | None = None
        """Width of a card in the full frame (px), set by the caller once known."""
        self.anchor: Frame | None = None
        """First frame of the current still period; the frame itself while something moves."""
        self._follow = follow
        self._anchor_image: SmoothImage = np.zeros((0, 0), np.float32)  # outside of resting arms
        self._last: Frame | None = None
        self._count = 0
        self._reported: _Reported = "nothing"
        self._is_repeated = False
        self._table: SmoothImage | None = None  # the last stable table, without arms
        self._landmarks: LandmarkPicture | None = None  # of the last stable frame
        # table and landmarks of the one before it
        self._before: tuple[SmoothImage, LandmarkPicture] | None = None
        self._hands: list[HandPosition] = []
        self._has_arm = False
        # since when an arm is there, s; inf where none is
        self._arm_since: NDArray[np.float64] = np.zeros((0, 0))
        self._moved_at: NDArray[np.float64] = np.zeros((0, 0))  # when something moved there last, s
        self._resting: Mask = np.zeros((0, 0), np.bool_)
        self._hidden: Mask = np.zeros((0, 0), np.bool_)  # covered in the last stable frame
        # whether this still period was compared with the table before, and the result:
        self._compared = False
        self._moved = False
        self._is_recognized = True
        self._seen_at = 0.0  # when the table was last still, s
        self._announced = False  # whether it was reported since that it is covered
        # where something unknown is at the border, and since when (s)
        self._kept_out: tuple[Mask, float] | None = None

    @property
    def about_to_report(self) -> bool:
        """Whether the table is still, without an arm, and will be reported after a few more frames."""
        return self.moving and self._count > 1 and not self._has_arm

    @property
    def moving(self) -> bool:
        """Whether something moves, or moved too recently for the table to be stable."""
        return self._reported == "nothing"

    @property
    def calm(self) -> bool:
        """Whether the same table was reported twice, and nothing covers it."""
        return self._reported == "table" and self._is_repeated and self._kept_out is None

    def feed(self, frame: Frame) -> StableFrame | None:
        """Take the next frame; return it as a stable frame if it is one and is due to be reported."""
        small = smooth(frame.small)
        if np.subtract(*np.percentile(small, (99, 1))) < _BLANK:
            self._moved_at[:] = frame.time
            return self._report_covered(frame, small)
        self._last = frame
        if self._moves(small, frame.time):
            self.anchor, self._count, self._reported, self._compared = frame, 0, "nothing", False
        self._count += 1
        assert self.anchor is not None
        duration = frame.time - self.anchor.time
        if self._reported == "table":
            self._seen_at = frame.time
            return self._repeat(frame, small, duration) or self._report_unknown(frame, small)
        still = self._count > 1 and duration >= STILL_S
        if still and not self._compared:
            self._compared = True
            frame, small = self._compare(frame, small)
        arms = self._detect_arms(frame, small)
        self._has_arm = bool(arms)
        covered = _covered_area(arms, small)
        self._arm_since = np.where(covered, np.minimum(self._arm_since, frame.time), np.inf)
        self._resting = self._unmoved(covered, frame.time - RESTING_S)
        if self._reported == "nothing":
            self._hands += (arm.hand for arm in arms if not _is_mostly(arm.mask, self._resting))
        is_playing = bool((covered & ~self._resting).any())
        if self._reported == "arm":
            self._seen_at = frame.time
            return self._report_arm(frame, small, covered, is_playing=is_playing)
        if not still or is_playing:
            return self._report_unrest(frame, small, covered)
        return self._report(frame, small, covered)

    def finish(self) -> StableFrame | None:
        """Return the last frame if the table was still but not yet reported at the end of the source."""
        if self._last is None or self._count < 2 or self._reported != "nothing":
            return None
        frame, small = self._compare(self._last, smooth(self._last.small))
        return self._report(frame, small, _covered_area(self._detect_arms(frame, small), small))

    def start(self, frame: Frame) -> StableFrame:
        """Return the first frame of a new selector as a stable frame, without waiting for a second one.

        For a table that was stable before its frames began to be rectified: a hand in the next frame must not hide it.
        """
        small = smooth(frame.small)
        self.anchor, self._anchor_image, self._last, self._count = frame, small, frame, 2
        self._forget_positions(small)
        return self._report(frame, small, self._resting)

    def keep_out(self, unknown: Mask | None) -> None:
        """Take back from the table that was reported last what is neither table nor card (h x w), such as the fingers of an arm."""
        if unknown is None or self._last is None:
            self._kept_out = None
            return
        since = self._last.time if self._kept_out is None else self._kept_out[1]
        self._kept_out = unknown, since
        stays = self._last.time - since >= STAYS_S
        if not stays and self._table is not None and self._before is not None:
            table, landmarks = self._before
            self._table = np.where(unknown, table, self._table)
            self._landmarks = landmarks if unknown.all() else self._landmarks

    def _forget_positions(self, small: SmoothImage) -> None:
        self._resting = self._hidden = _nowhere(small)
        self._arm_since, self._moved_at = np.full(small.shape, np.inf), np.full(small.shape, -np.inf)

    def _moves(self, small: SmoothImage, time: float) -> bool:
        """Return whether something outside of resting arms changed since the anchor, and move the anchor."""
        if small.shape != self._anchor_image.shape:
            self._table = self._before = self._landmarks = None
            self._anchor_image = small
            self._forget_positions(small)
            return True
        moving = difference_mask(self._anchor_image, small) & ~self._resting
        if brightness_changed(self._anchor_image, small) or np.count_nonzero(moving) > MAX_SPECKS:
            self._moved_at[moving] = time
            self._anchor_image = small
            return True
        self._anchor_image = np.where(self._resting, small, self._anchor_image)
        return False

    def _compare(self, frame: Frame, small: SmoothImage) -> tuple[Frame, SmoothImage]:
        """Compare a still frame with the table before; return it as it would look if the camera had not moved since."""
        self._moved, self._is_recognized = False, True
        if self._table is None or self._landmarks is None:
            return frame, small
        if np.count_nonzero(difference_mask(self._table, small)) <= MAX_SPECKS:
            return frame, small
        motion = camera_motion(self._landmarks, LandmarkPicture(frame.bgr))
        if motion is None:
            self._is_recognized = False
            return frame, small
        self._moved = motion.moved
        if motion.moved:
            self._hands = []  # differences from the table before were not arms
            frame = self._follow(motion.matrix)
            self.anchor, self._anchor_image = frame, smooth(frame.small)
        return frame, smooth(frame.small)

    def _unmoved(self, covered: Mask, since: float) -> Mask:
        """Return the part of where arms are (h x w) that they have not left since that time (s), with the edges of those that fidget."""
        lasting = self._arm_since <= since
        if not lasting.any():
            return lasting
        edge = np.ones((EDGE, EDGE), np.uint8)
        newer = cv2.morphologyEx((covered & ~lasting).astype(np.uint8), cv2.MORPH_OPEN, edge)
        return np.asarray(covered & (cv2.dilate(newer, edge) == 0), np.bool_)

    def _report_arm(
        self, frame: Frame, small: SmoothImage, covered: Mask, *, is_playing: bool
    ) -> StableFrame | None:
        """Return what is to be reported of arms that rest beside an unchanged table."""
        edge = np.ones((EDGE, EDGE), np.uint8)
        left = cv2.morphologyEx((self._hidden & ~covered).astype(np.uint8), cv2.MORPH_OPEN, edge)
        if is_playing or left.any():
            self.anchor, self._count, self._reported, self._compared = frame, 1, "nothing", False
            return None
        stays = self._unmoved(covered, frame.time - STAYS_S)
        if stays.any() and self._table is not None:
            self._table = np.where(stays, small, self._table)
            self._arm_since = np.where(stays, np.inf, self._arm_since)
            self._hidden = covered & ~stays
            self._reported = "arm" if self._hidden.any() else "table"
            return StableFrame(frame, stays, covered, notes=("thing-on-table",))
        if frame.time - self._arm_since[covered].min() >= COVERED_S and not self._announced:
            self._announced = True
            return StableFrame(frame, _nowhere(small), covered, notes=("table-covered",))
        return None

    def _report_unrest(self, frame: Frame, small: SmoothImage, covered: Mask) -> StableFrame | None:
        """Return the table beside all that moved lately if it has not been still for long; once if that is most of it."""
        if self._table is None or frame.time - self._seen_at < COVERED_S:
            return None
        moved = (self._moved_at > self._seen_at).astype(np.uint8)
        covered = covered | (cv2.dilate(moved, np.ones((2 * EDGE + 1, 2 * EDGE + 1), np.uint8)) > 0)
        if covered.mean() <= MOST:
            stable = self._report(frame, small, covered)
            self._reported = "nothing"
            return replace(stable, notes=(*stable.notes, "table-covered"))
        return self._report_covered(frame, small)

    def _report_covered(self, frame: Frame, small: SmoothImage) -> StableFrame | None:
        """Return a frame of which nothing can be seen if the table has not been seen for long, once."""
        if self._table is None or self._announced or frame.time - self._seen_at < COVERED_S:
            return None
        self._announced, self._reported, self._compared = True, "nothing", False
        return StableFrame(frame, _nowhere(small), ~_nowhere(small), notes=("table-covered",))

    def _repeat(self, frame: Frame, small: SmoothImage, duration: float) -> StableFrame | None:
        if self._is_repeated or duration < _REPEAT_S:
            return None
        self._is_repeated = True
        return StableFrame(frame, _nowhere(small), _nowhere(small))

    def _report_unknown(self, frame: Frame, small: SmoothImage) -> StableFrame | None:
        """Return a frame if what was kept out of the table has covered it for long."""
        if self._kept_out is None or self._announced or frame.time - self._kept_out[1] < COVERED_S:
            return None
        self._announced = True
        return StableFrame(frame, _nowhere(small), self._kept_out[0], notes=("table-covered",))

    def _detect_arms(self, frame: Frame, small: SmoothImage) -> list[ArmRegion]:
        if self._table is None:
            return []
        return detect_arms(frame, self._table, small, self._card(frame, small))

    def _card(self, frame: Frame, small: SmoothImage) -> float:
        """Return the width of a card in the small picture, px."""
        if self.card_px is None:
            return _DEFAULT_CARD * float(max(small.shape))
        return float(self.card_px * small.shape[1] / frame.width)

    def _report(self, frame: Frame, small: SmoothImage, covered: Mask) -> StableFrame:
        changed, notes = ~_nowhere(small), list[str]()
        if self._table is not None:
            changed, notes = classify_change(
                self._table,
                small,
                ~covered,
                min_arm_area(self._card(frame, small)),
                same_place=self._is_recognized,
            )
            notes += ["camera-moved"] if self._moved else []
            small = np.where(covered, self._table, small)
        if self._table is not None and self._landmarks is not None:
            self._before = self._table, self._landmarks
        self._table = small
        self._landmarks = LandmarkPicture(frame.bgr)
        self._hidden = covered
        self._reported, self._is_repeated = "arm" if covered.any() else "table", False
        self._seen_at, self._announced = frame.time, False
        hands, self._hands = hand_pauses(self._hands), []
        return StableFrame(frame, changed, covered, hands, tuple(notes), self._moved)


def _nowhere(small: SmoothImage) -> Mask:
    return np.zeros(small.shape, np.bool_)


def _covered_area(arms: Sequence[ArmRegion], small: SmoothImage) -> Mask:
    covered = _nowhere(small)
    for arm in arms:
        if arm.may_rest:
            covered |= arm.mask
    # The blurred edge of an arm is below the difference threshold.
    return np.asarray(cv2.dilate(covered.astype(np.uint8), np.ones((EDGE, EDGE), np.uint8)) > 0, np.bool_)


def _is_mostly(mask: Mask, part: Mask) -> bool:
    """Return whether most of a mask is in ``part`` (h x w each)."""
    return bool(2 * np.count_nonzero(mask & part) > np.count_nonzero(mask))
