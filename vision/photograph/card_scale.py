"""How large the cards of a picture are: the scale at which the detector sees them best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.networks.detector import CONFIDENT_DETECTION, Detections

__all__ = ["FAINT_SCORE", "MIN_SCORE", "QUICK_PASS_SIDES", "Box", "detect_at_best_scale"]

Box = tuple[int, int, int, int]
"""A part of a picture: left, top, right and bottom, px."""

#: What scores less is no more than a hint of a card.
MIN_SCORE: Final = 0.3
QUICK_PASS_SIDES: Final = (640, 224)
"""Long sides of the first passes, px: most cards show in the first, one that fills the picture in the second only."""
#: Where a pass sees so many cards, this surely, none fills the picture.
_TABLE: Final = 6
#: Width the median card is brought to for the pass that counts, px, and the most pixels of that pass. Of 410 half-visible
#: cards of 26 rendered pictures 376, 382, 388, 386 and 386 were named right at 40, 46, 52, 60 and 72 px.
_CARD_WIDTH: Final = 52.0
_MOST_PIXELS: Final = 1_100_000
#: Where the median card is narrower than this even so, px, one more pass of more pixels is worth its time.
_TINY: Final = 26.0
_MOST_PIXELS_TINY: Final = 3_000_000
#: No pass enlarges a picture by more.
_LARGEST: Final = 2.0
#: A pass this near the wanted scale is not repeated.
_NEAR: Final = 1.3
#: Where a table was seen, the sharp pass looks no farther than so many card widths from what was seen, however faintly: in 231 rendered
#: and composed pictures of tables that is 55 % of the picture on average, and it cuts none of their 5,500 cards.
_AROUND: Final = 1.0
FAINT_SCORE: Final = 0.2
#: Cards wider or narrower than they were by this factor are no longer those of the frame before.
_OTHER: Final = 1.5
#: A pass sees cards between these widths well, px.
_SEEN: Final = (22.0, 200.0)


@dataclass(frozen=True)
class _Pass:
    """What the detector found in the picture at a ``scale``."""

    scale: float
    found: Detections

    @cached_property
    def weights(self) -> NDArray[np.float32]:
        """How much each card found says about the scale: sure ones, well visible ones, of a size the pass sees well."""
        width = self.found.widths * self.scale
        well = (width > _SEEN[0]) & (width < _SEEN[1]) & (self.found.scores >= MIN_SCORE)
        return np.asarray(np.where(well, self.found.scores * self.found.visible, 0), np.float32)

    @cached_property
    def evidence(self) -> float:
        """How much was seen, in sure and well visible cards; larger cards count for more.

        Sure ones count by the square, or a single doubtful find as large as the picture outweighs a row of cards.
        """
        return float((self.weights * self.found.scores * self.found.widths**0.8).sum())

    @property
    def typical_width(self) -> float:
        """The weighted median width of the cards found, px of the full picture."""
        order = np.argsort(self.found.widths)
        summed = np.cumsum(self.weights[order])
        return float(self.found.widths[order][np.searchsorted(summed, summed[-1] / 2)])

    @property
    def is_table(self) -> bool:
        """Whether so many cards are surely seen that none of them fills the picture."""
        return bool(((self.found.scores > CONFIDENT_DETECTION) & (self.weights > 0)).sum() >= _TABLE)

    def where_the_table_is(self, size: tuple[int, int]) -> Box | None:
        """Return the part of the picture of ``size`` (width, height, px) that holds all cards; None where no table was seen."""
        if not self.is_table:
            return None
        corners = self.found.quads[self.found.scores >= FAINT_SCORE].reshape(-1, 2)
        margin = _AROUND * self.typical_width
        left, top = np.clip(corners.min(axis=0) - margin, 0, size).astype(int).tolist()
        right, bottom = np.clip(np.ceil(corners.max(axis=0) + margin), 0, size).astype(int).tolist()
        return left, top, right, bottom


def detect_at_best_scale(
    see: Callable[[float, Box | None], Detections],
    size: tuple[int, int],
    card_px: float | None = None,
    *,
    whole: bool = False,
) -> Detections:
    """Find the cards of a picture of ``size`` (width, height, px) at the scale at which the median card is seen best.

    ``see`` finds the cards in the picture, or in a part of it, resized by a scale, in px of the full picture. ``card_px``: the
    width of a card, px, where it is known; else two quick looks tell it. ``whole``: every pass looks at the whole picture,
    also where a table fills a part.
    """

    def look(scale: float, part: Box | None = None) -> _Pass:
        part = None if whole else part
        found = see(scale, part)
        return _Pass(scale, found if part is None else _not_cut(found, part, size))

    area = size[0] * size[1]
    if card_px is not None:
        seen = look(float(min(_CARD_WIDTH / card_px, np.sqrt(_MOST_PIXELS / area), _LARGEST)))
        if seen.evidence > 0 and 1 / _OTHER < seen.typical_width / card_px < _OTHER:
            return seen.found
    looks = []
    for side in QUICK_PASS_SIDES:
        looks.append(look(side / max(size)))
        if looks[-1].is_table:
            break
    first, *others = sorted(looks, key=lambda seen: -seen.evidence)
    best = _sharply(look, size, first)
    for other in others:
        # One large doubtful thing may weigh more in its look than a table of cards in one where they are too small.
        doubtful = best.found.scores.max(initial=0) < CONFIDENT_DETECTION
        if best.is_table or not (other.evidence > 0 or (doubtful and first.evidence > 0)):
            break
        if not _near(_wanted(other, area, _MOST_PIXELS), best.scale):
            best = max(best, _sharply(look, size, other), key=lambda seen: seen.evidence)
    return best.found


def _not_cut(found: Detections, part: Box, size: tuple[int, int]) -> Detections:
    """Return what lies within a ``part`` of the picture: of anything that the part's edge cuts, what is left may look like a card."""
    (left, top, right, bottom), (width, height) = part, size
    least = np.array((left if left > 0 else -np.inf, top if top > 0 else -np.inf))
    most = np.array((right if right < width else np.inf, bottom if bottom < height else np.inf))
    within = ((found.quads >= least) & (found.quads <= most)).all(axis=(1, 2))
    return found.take(np.flatnonzero(within))


def _near(scale: float, other: float) -> bool:
    return 1 / _NEAR < scale / other < _NEAR


def _wanted(seen: _Pass, area: int, most: float) -> float:
    """Return the scale at which the median card of a pass is seen best; where nothing was seen, the cards may be very small."""
    wanted = _CARD_WIDTH / seen.typical_width if seen.evidence > 0 else np.inf
    return float(min(wanted, np.sqrt(most / area), _LARGEST))


def _sharply(look: Callable[[float, Box | None], _Pass], size: tuple[int, int], seen: _Pass) -> _Pass:
    """Return the pass at the scale that a look asks for, or the look itself where it serves."""
    for most in (_MOST_PIXELS, _MOST_PIXELS_TINY):
        wanted = _wanted(seen, size[0] * size[1], most)
        if not _near(wanted, seen.scale):
            seen = look(wanted, seen.where_the_table_is(size))
        # Where even this pass saw nothing, not so much as something tiny, the table is empty.
        if not (seen.found.scores >= MIN_SCORE).any() or (
            seen.evidence > 0 and seen.typical_width * seen.scale >= _TINY
        ):
            break
    return seen
