"""Detection of arms over the table by their difference from the table without them, and of pauses of the fingertips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import dist
from typing import Final, Literal

import cv2
import numpy as np

from vision.geometry.registration.camera_fit import project
from vision.geometry.registration.table_registration import card_area
from vision.pictures.crops import Floats
from vision.sources.frames import Frame
from vision.tracking.motion import MOST, Mask, SmoothImage, difference_mask, is_light, large_regions

Side = Literal["top", "right", "bottom", "left"]

#: A region at the border of fewer cards is a card that leaves the picture. A resting arm covers twice as many and reaches as many card widths
#: into the picture: groups of captured cards at the border are smaller.
_MIN_CARDS: Final = 2.5
#: The fingertips are the mean of this fraction of the arm's pixels, those farthest from where it enters.
_TIP_FRACTION: Final = 0.02
#: A visit ends when no arm was detected for this long, s.
_ABSENT_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class HandPosition:
    """A hand over the table in a frame that was not stable. Coordinates are px of the full frame."""

    time: float
    """Time of the frame, s."""
    tip: tuple[float, float]
    """The fingertips: the point farthest from where the arm enters the picture."""
    side: Side
    """The border at which the arm enters."""
    reach: float
    """Distance from the fingertips to where the arm enters."""
    card_px: float
    """The width of a card that was assumed."""
    entry: tuple[float, float]
    """Where the arm enters: the center of the border pixels that it covers."""
    duration: float = 0.0
    """How long the fingertips paused there, s."""

    def seen_from(self, motion: Floats) -> HandPosition:
        """Return it in px of another view of the table, to which ``motion`` (3 x 3) maps."""
        tip, entry = map(tuple, project(motion, np.array((self.tip, self.entry))).tolist())
        scale = dist(tip, entry) / max(dist(self.tip, self.entry), 1.0)
        return replace(self, tip=tip, entry=entry, reach=self.reach * scale, card_px=self.card_px * scale)


@dataclass(frozen=True, slots=True)
class ArmRegion:
    """An arm in a small picture."""

    mask: Mask
    card: float
    """The width of a card that was assumed, small px."""
    hand: HandPosition

    @property
    def may_rest(self) -> bool:
        """Whether it is large enough to be an arm even if nothing moves."""
        rows, columns = np.nonzero(self.mask)
        height, width = self.mask.shape
        depth = {
            "top": rows.max(),
            "left": columns.max(),
            "bottom": height - rows.min(),
            "right": width - columns.min(),
        }
        is_large = len(rows) >= 2 * min_arm_area(self.card)
        return bool(is_large and depth[self.hand.side] >= _MIN_CARDS * self.card)


def detect_arms(frame: Frame, table: SmoothImage, now: SmoothImage, card: float) -> list[ArmRegion]:
    """Return the arms in ``now`` (h x w), the small copy of a frame, given the ``table`` without them and the width of a card in small px."""
    different = difference_mask(table, now)
    if not _border_pixels(different).any():
        return []

    def is_arm(mask: Mask) -> bool:
        return (
            int(np.count_nonzero(mask)) <= MOST * now.size
            and bool(_border_pixels(mask).any())
            and not is_light(table, now, mask)
            and _has_appeared(table, now, mask)
        )

    return [_arm_region(frame, mask, card) for mask in large_regions(different, min_arm_area(card), is_arm)]


def min_arm_area(card: float) -> float:
    """Return the smallest area of an arm, given the width of a card (px)."""
    return _MIN_CARDS * card_area(card)


def hand_pauses(hands: Sequence[HandPosition]) -> tuple[HandPosition, ...]:
    """Return where hands paused, within a card's width, in order; for a visit without a pause, the farthest position."""
    result: list[HandPosition] = []
    for visit in _visits(hands):
        pauses: list[HandPosition] = []
        for hand in visit:
            if pauses and dist(hand.tip, pauses[-1].tip) < hand.card_px:
                pauses[-1] = replace(pauses[-1], duration=hand.time - pauses[-1].time)
            else:
                pauses.append(hand)
        result += [hand for hand in pauses if hand.duration] or [max(visit, key=lambda hand: hand.reach)]
    return tuple(sorted(result, key=lambda hand: hand.time))


def _visits(hands: Sequence[HandPosition]) -> list[list[HandPosition]]:
    """Group hands by side and by pauses in time of more than `_ABSENT_S`."""
    visits: list[list[HandPosition]] = []
    for side in dict.fromkeys(hand.side for hand in hands):
        of_side = [hand for hand in hands if hand.side == side]
        visits.append(of_side[:1])
        for before, hand in pairwise(of_side):
            if hand.time - before.time > _ABSENT_S:
                visits.append([])
            visits[-1].append(hand)
    return visits


def _border_pixels(mask: Mask) -> Mask:
    """Return the pixels along the border (top, bottom, left, right, concatenated)."""
    return np.concatenate((mask[0], mask[-1], mask[:, 0], mask[:, -1]))


def _has_appeared(table: SmoothImage, now: SmoothImage, mask: Mask) -> bool:
    """Return whether the region shows a new object instead of a removed one: its outline is an edge in ``now``."""
    outline = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)) > 0
    edge_before, edge_now = (
        float(np.hypot(cv2.Sobel(each, cv2.CV_32F, 1, 0), cv2.Sobel(each, cv2.CV_32F, 0, 1))[outline].mean())
        for each in (table, now)
    )
    return edge_now >= edge_before


def _arm_region(frame: Frame, mask: Mask, card: float) -> ArmRegion:
    sides: dict[Side, tuple[slice | int, slice | int]] = {
        "top": (0, slice(None)),
        "bottom": (-1, slice(None)),
        "left": (slice(None), 0),
        "right": (slice(None), -1),
    }
    side: Side = max(sides, key=lambda each: int(mask[sides[each]].sum()))
    edge = np.zeros_like(mask)
    edge[sides[side]] = mask[sides[side]]
    side_center = np.argwhere(edge).mean(axis=0)
    pixels = np.argwhere(mask)
    distance = np.linalg.norm(pixels - side_center, axis=1)
    y, x = pixels[distance >= np.quantile(distance, 1 - _TIP_FRACTION)].mean(axis=0)
    border = np.zeros_like(mask)
    for part in sides.values():
        border[part] = mask[part]
    row, column = np.argwhere(border).mean(axis=0)
    scale = frame.width / mask.shape[1]
    tip, entry = ((float(x + 0.5) * scale, float(y + 0.5) * scale) for x, y in ((x, y), (column, row)))
    hand = HandPosition(frame.time, tip, side, float(distance.max()) * scale, card * scale, entry)
    return ArmRegion(mask, card, hand)
