"""Arms over the table: found in what differs from the table without them, and what their fingertips did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, Literal

import cv2
import numpy as np

from vision.sources.frames import Frame
from vision.tracking.motion import Mask, Small, differs

__all__ = ["Arm", "Hand", "Side", "arms_in", "dwells"]

Side = Literal["top", "right", "bottom", "left"]

#: Less than this many cards' area at the border is no arm but a card that leaves the picture; more than this share of the picture
#: is no arm but another light.
_LEAST_CARDS: Final = 2.5
_MOST: Final = 0.5
#: What rests is an arm only where it covers as much as this many cards, and reaches this many card widths into the picture: several
#: captured cards are often laid at its border together.
_RESTING_CARDS: Final = 5.0
_RESTING_DEPTH: Final = 3.0
#: A card's length over its width.
_CARD_LENGTH: Final = 54 / 33
#: Gaps in an arm where its colour is the table's are closed up to this many small pixels.
_GAP: Final = 5
#: Where the fingertips are: the mean of this share of the arm, farthest from where it comes in.
_TIPS: Final = 0.02
#: Fingertips pause where they stay within this many card widths,
_PAUSE: Final = 0.8
#: and a visit is over when no arm was seen for this long, s.
_AWAY_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand over the table in a frame that was not settled."""

    time: float
    """s, as `Frame.time`."""
    tip: tuple[float, float]
    """Its fingertips: the point farthest from where the arm comes into the picture, px of the whole frame."""
    side: Side
    """The picture's border at which the arm comes in."""
    frame: str
    """The frame's name."""
    reach: float
    """How far the fingertips are from where the arm comes in, px of the whole frame."""
    card_px: float
    """The width of a card that was reckoned with, px of the whole frame."""
    lasted: float = 0.0
    """How long the fingertips paused there, s."""
    entry: tuple[float, float] | None = None
    """Where the arm comes in: the middle of what it covers of the picture's border, px of the whole frame."""


@dataclass(frozen=True, slots=True)
class Arm:
    """An arm in a small picture."""

    mask: Mask
    tip: tuple[float, float]
    side: Side
    reach: float
    card: float
    """The width of a card that was reckoned with, small px."""
    entry: tuple[float, float]

    @property
    def may_rest(self) -> bool:
        """Whether it is an arm also where nothing moves."""
        rows, columns = np.nonzero(self.mask)
        height, width = self.mask.shape
        depth = {
            "top": rows.max(),
            "left": columns.max(),
            "bottom": height - rows.min(),
            "right": width - columns.min(),
        }
        cards = len(rows) / (self.card * self.card * _CARD_LENGTH)
        return bool(cards >= _RESTING_CARDS and depth[self.side] >= _RESTING_DEPTH * self.card)

    def hand(self, frame: Frame) -> Hand:
        """Return the hand in the pixels of the whole frame."""
        times = frame.width / self.mask.shape[1]
        tip, entry = (((x + 0.5) * times, (y + 0.5) * times) for x, y in (self.tip, self.entry))
        return Hand(
            frame.time, tip, self.side, frame.name, self.reach * times, self.card * times, entry=entry
        )


def arms_in(table: Small, now: Small, card: float) -> list[Arm]:
    """Return the arms in a picture (h x w) of a table that is known without them; ``card``: the width of a card, small px."""
    different = differs(table, now)
    if not _border(different).any():
        return []
    closed = cv2.morphologyEx(different.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((_GAP, _GAP), np.uint8))
    least = _LEAST_CARDS * card * card * _CARD_LENGTH
    count, labels, stats, _ = cv2.connectedComponentsWithStats(closed, connectivity=4)
    arms = []
    for label in range(1, count):
        if least <= stats[label, cv2.CC_STAT_AREA] <= _MOST * now.size:
            mask = np.asarray(labels == label, np.bool_)
            if _border(mask).any() and _is_there(table, now, mask):
                arms.append(_arm(mask, card))
    return arms


def dwells(hands: Sequence[Hand]) -> tuple[Hand, ...]:
    """Return where hands paused, in order; of a visit without any pause the place where the hand came farthest."""
    found: list[Hand] = []
    for visit in _visits(hands):
        pauses: list[Hand] = []
        for hand in visit:
            if pauses and np.hypot(hand.tip[0] - pauses[-1].tip[0], hand.tip[1] - pauses[-1].tip[1]) < (
                _PAUSE * hand.card_px
            ):
                pauses[-1] = replace(pauses[-1], lasted=hand.time - pauses[-1].time)
            else:
                pauses.append(hand)
        found += [hand for hand in pauses if hand.lasted] or [max(visit, key=lambda hand: hand.reach)]
    return tuple(sorted(found, key=lambda hand: hand.time))


def _visits(hands: Sequence[Hand]) -> list[list[Hand]]:
    visits: list[list[Hand]] = []
    for side in dict.fromkeys(hand.side for hand in hands):
        here = [hand for hand in hands if hand.side == side]
        visits.append(here[:1])
        for before, hand in pairwise(here):
            if hand.time - before.time > _AWAY_S:
                visits.append([])
            visits[-1].append(hand)
    return visits


def _border(mask: Mask) -> Mask:
    """Return the pixels along the border (top, bottom, left, right, one after another)."""
    return np.concatenate((mask[0], mask[-1], mask[:, 0], mask[:, -1]))


def _is_there(table: Small, now: Small, mask: Mask) -> bool:
    """Return whether what differs came and has not gone: its outline is an edge in the picture in which the thing is."""
    outline = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)) > 0
    was, is_now = (
        float(np.hypot(cv2.Sobel(each, cv2.CV_32F, 1, 0), cv2.Sobel(each, cv2.CV_32F, 0, 1))[outline].mean())
        for each in (table, now)
    )
    return is_now >= was


def _arm(mask: Mask, card: float) -> Arm:
    sides: dict[Side, tuple[slice | int, slice | int]] = {
        "top": (0, slice(None)),
        "bottom": (-1, slice(None)),
        "left": (slice(None), 0),
        "right": (slice(None), -1),
    }
    side: Side = max(sides, key=lambda each: int(mask[sides[each]].sum()))
    edge = np.zeros_like(mask)
    edge[sides[side]] = mask[sides[side]]
    entry = np.argwhere(edge).mean(axis=0)
    pixels = np.argwhere(mask)
    far = np.linalg.norm(pixels - entry, axis=1)
    y, x = pixels[far >= np.quantile(far, 1 - _TIPS)].mean(axis=0)
    border = np.zeros_like(mask)
    for part in sides.values():
        border[part] = mask[part]
    row, column = np.argwhere(border).mean(axis=0)
    return Arm(mask, (float(x), float(y)), side, float(far.max()), card, (float(column), float(row)))
