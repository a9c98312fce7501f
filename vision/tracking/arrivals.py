"""When cards appeared between two observations: those that were detected in frames with motion, and, once the table is stable
again, when each of its new cards was placed.

A hand hides most of a card while placing it, too much for the detector. Once the table is stable its final appearance is known: where
the pictures before and after differ, each frame in between shows one of them, or a hand.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import dist
from typing import Final

import cv2
import numpy as np

from companion.hanafuda.cards import BACK
from companion.observations import ELSEWHERE, TrackedCard
from vision.photograph.acceptance import MOSTLY_VISIBLE, STRIP_VISIBLE
from vision.pictures.crops import Floats, GrayImage
from vision.tracking.card_tracks import LIKELY, SAME_PLACE_MM
from vision.tracking.frame_selection import STAYS_S
from vision.tracking.motion import MAX_SPECKS, MIN_DIFFERENCE, Mask, SmoothImage, smooth

#: A pixel matches a picture within this fraction of the difference of the two.
_NEAR: Final = 0.35
#: Pixels are compared where the pictures before and after differ by more than this (of 255), so that the fraction is more than noise.
_MIN_CONTRAST: Final = MIN_DIFFERENCE / _NEAR
#: A picture is there if more than this fraction of the pixels matches it, and gone if fewer do.
_VISIBLE: Final = 0.25


class LandingTimeEstimator:
    """Keeps the small copies of the frames since the table was last stable."""

    def __init__(self) -> None:
        self._frames: deque[tuple[float, GrayImage]] = deque()

    def add(self, time: float, small: GrayImage) -> None:
        """Add a frame (h x w) taken at ``time`` (s), in order, and discard those from so long ago that what came then has been seen since."""
        self._frames.append((time, small))
        while self._frames[0][0] < time - STAYS_S:
            self._frames.popleft()

    def clear(self) -> None:
        """Discard the frames, because the table has been stable since."""
        self._frames.clear()

    def estimate(
        self, before: SmoothImage, after: SmoothImage, quad: np.ndarray
    ) -> tuple[float | None, float | None]:
        """Return when ``quad`` (4 x 2 px) began to show its content of ``after`` instead of that of ``before``: the times (s) of the last
        frame that showed it without, and of the first one with it; None if no frame did.

        ``before`` and ``after`` are the stable pictures (h x w) around the motion.
        """
        low = np.floor(quad.min(axis=0)).astype(int).clip(0)
        high = np.ceil(quad.max(axis=0)).astype(int).clip(0) + 1
        box = np.s_[low[1] : high[1], low[0] : high[0]]
        old, new = before[box], after[box]
        compared = _interior(quad - low, new.shape) & (np.abs(new - old) > _MIN_CONTRAST)
        if np.count_nonzero(compared) <= MAX_SPECKS:
            return None, None
        old, new = old[compared], new[compared]
        # Halves by rank: an empty table has the same brightness in both.
        dark, bright = np.array_split(np.argsort(new, kind="stable"), 2)
        tolerance = _NEAR * np.abs(new - old)
        landed = None
        for time, small in reversed(self._frames):
            if small.shape != after.shape:
                break
            pixels = smooth(small)[box][compared]
            like_new, like_old = np.abs(pixels - new) < tolerance, np.abs(pixels - old) < tolerance
            if like_old.mean() > _VISIBLE:
                return time, landed
            # A hand matches either the dark or the bright pixels.
            if min(like_new[dark].mean(), like_new[bright].mean()) > _VISIBLE:
                landed = time
        return None, landed


def _interior(quad: np.ndarray, shape: tuple[int, ...]) -> Mask:
    """Return the mask (h x w) of a quad (4 x 2 px) without its edge pixels."""
    inside = np.zeros(shape, np.uint8)
    cv2.fillConvexPoly(inside, np.round(quad).astype(np.int32), 1)
    return np.asarray(cv2.erode(inside, np.ones((3, 3), np.uint8), borderValue=0) > 0, np.bool_)


class MotionDetections:
    """Collects the detections between two observations. Cards are named by the first of look-alikes, `BACK`, or "" if unknown."""

    def __init__(self) -> None:
        # by card; the probability of each detection is how much of the card was read
        self._detections = defaultdict[str, list[TrackedCard]](list)
        self._weak: dict[str, TrackedCard] = {}  # the most probable one of each card

    def add(self, card: str, time: float, at: Floats, visible: float, probability: float) -> None:
        """Add a detection at ``at`` (mm) of a card that was not there at the last observation; ``time`` in s."""
        if visible >= STRIP_VISIBLE and probability > LIKELY:
            self._detections[card].append(_in_motion(card, float(visible * probability), at, time))
        p = round(float(probability * min(1.0, visible / STRIP_VISIBLE)), 3)
        if p > (self._weak[card].likeliest[1] if card in self._weak else LIKELY):
            self._weak[card] = _in_motion(card, p, at)

    def times(self, card: str, other_positions: Sequence[Floats]) -> list[float]:
        """Return when a card was detected, except near ``other_positions`` (mm) of further ones of the name."""
        return [
            each.since
            for each in self._detections[card]
            if not any(dist(each.at, at) < SAME_PLACE_MM for at in other_positions)
        ]

    def take(
        self,
        zone: Callable[[tuple[float, float]], str],
        absent: Callable[[tuple[float, float]], float | None],
    ) -> tuple[tuple[TrackedCard, ...], tuple[TrackedCard, ...]]:
        """Return the transient and weak detections, and start again.

        A card is transient if most of it was read, in all its detections together; the first of them is returned. ``absent`` returns when
        a position (mm) was last seen without a card, s. Weak detections are of the remaining cards.
        """
        first = {
            card: detections[0]
            for card, detections in self._detections.items()
            if sum(each.likeliest[1] for each in detections) > MOSTLY_VISIBLE
        }
        transient = tuple(
            replace(each, likely=((card, 1.0),), zone=zone(each.at), absent=absent(each.at))
            for card, each in first.items()
            if card not in {BACK, ""}
        )
        weak = tuple(each for card, each in self._weak.items() if card not in {*first, BACK, ""})
        self._detections.clear()
        self._weak.clear()
        return transient, weak


def _in_motion(card: str, probability: float, at: Floats, time: float = 0.0) -> TrackedCard:
    return TrackedCard(0, card, ((card, probability),), ELSEWHERE, rounded(at), since=time)


def rounded(at: Floats) -> tuple[float, float]:
    """Return a position in mm, rounded to 0.1 mm."""
    return round(float(at[0]), 1), round(float(at[1]), 1)
