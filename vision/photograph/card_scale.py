"""Card scale: finds the image scale at which the detector sees the cards of a picture best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.networks.detector import CONFIDENT_DETECTION, Detections

#: A rectangle of a picture: left, top, right, and bottom, px.
Box = tuple[int, int, int, int]

#: Score below which a detection is only a weak indication of a card.
MIN_SCORE: Final = 0.3
#: Long sides of the picture in the first passes, px: most cards are detected in the first; a card that fills
#: the picture only in the second.
QUICK_PASS_SIDES: Final = (640, 224)
#: Number of confident detections from which a picture shows a table, not a card that fills the picture.
_MIN_TABLE_CARDS: Final = 6
#: Width of the median card in the main pass, px, and the maximum number of pixels of that pass. Of 410
#: half-visible cards in 26 rendered pictures, 376, 382, 388, 386, and 386 were named correctly at 40, 46, 52,
#: 60, and 72 px.
_CARD_WIDTH: Final = 52.0
_MAX_PIXELS: Final = 1_100_000
#: If the median card is still narrower than this, px, another pass with up to `_MAX_PIXELS_TINY` pixels is
#: made.
_MIN_CARD_WIDTH: Final = 26.0
_MAX_PIXELS_TINY: Final = 3_000_000
#: Maximum enlargement of a pass.
_MAX_SCALE: Final = 2.0
#: Ratio to the wanted scale within which a pass is not repeated.
_SAME_SCALE: Final = 1.3
#: Margin around all detections (including faint ones) of a table in the main pass, card widths. In 231
#: rendered and composed pictures of tables this is 55% of the picture on average, and it cuts none of their
#: 5,500 cards.
_TABLE_MARGIN: Final = 1.0
#: Minimum score of a faint detection.
FAINT_SCORE: Final = 0.2
#: Maximum change of the card width from the expected one.
_MAX_WIDTH_CHANGE: Final = 1.5
#: Range of card widths that a pass detects well, px.
_GOOD_WIDTHS: Final = (22.0, 200.0)


@dataclass(frozen=True)
class _Pass:
    """The detections of one pass at a ``scale``."""

    scale: float
    detections: Detections

    @cached_property
    def weights(self) -> NDArray[np.float32]:
        """Weight of each detection for estimating the scale: confident, well visible, and of a size that
        the pass detects well.
        """
        width = self.detections.widths * self.scale
        well = (width > _GOOD_WIDTHS[0]) & (width < _GOOD_WIDTHS[1]) & (self.detections.scores >= MIN_SCORE)
        return np.asarray(np.where(well, self.detections.scores * self.detections.visible, 0), np.float32)

    @cached_property
    def evidence(self) -> float:
        """Amount of evidence for cards; larger cards count for more.

        The score counts squared, or a single doubtful detection as large as the picture would outweigh a row
        of cards.
        """
        return float((self.weights * self.detections.scores * self.detections.widths**0.8).sum())

    @property
    def typical_width(self) -> float:
        """Weighted median width of the cards, px of the full picture."""
        order = np.argsort(self.detections.widths)
        summed = np.cumsum(self.weights[order])
        return float(self.detections.widths[order][np.searchsorted(summed, summed[-1] / 2)])

    @property
    def is_table(self) -> bool:
        """Whether enough cards are confidently detected to exclude that one fills the picture."""
        return bool(
            ((self.detections.scores > CONFIDENT_DETECTION) & (self.weights > 0)).sum() >= _MIN_TABLE_CARDS
        )

    def table_box(self, size: tuple[int, int]) -> Box | None:
        """Return the rectangle that contains all cards of a picture of ``size`` (width, height, px), or
        None if no table was detected.
        """
        if not self.is_table:
            return None
        corners = self.detections.quads[self.detections.scores >= FAINT_SCORE].reshape(-1, 2)
        margin = _TABLE_MARGIN * self.typical_width
        left, top = np.clip(corners.min(axis=0) - margin, 0, size).astype(int).tolist()
        right, bottom = np.clip(np.ceil(corners.max(axis=0) + margin), 0, size).astype(int).tolist()
        return left, top, right, bottom


def detect_at_best_scale(
    detect: Callable[[float, Box | None], Detections],
    size: tuple[int, int],
    card_px: float | None = None,
    *,
    whole: bool = False,
    changed: Box | None = None,
) -> Detections:
    """Detect the cards of a picture of ``size`` (width, height, px) at the scale that suits the median
    card.

    ``detect`` detects cards in the picture, or a rectangle of it, resized by a scale; its results are in px of
    the full picture. ``card_px``: the width of a card, px, if known; otherwise two quick passes estimate it.
    ``whole``: process the whole picture, also where a table fills only a part. ``changed``: the part of a picture with cards of
    this width in which new ones may be; only it is processed, and it may show none.
    """

    def run_pass(scale: float, part: Box | None = None) -> _Pass:
        detections = detect(scale, part)
        return _Pass(scale, detections if part is None else _inside_part(detections, part, size))

    area = size[0] * size[1]
    if card_px is not None:
        scale = float(min(_CARD_WIDTH / card_px, np.sqrt(_MAX_PIXELS / area), _MAX_SCALE))
        estimate = run_pass(scale, changed)
        if changed is not None or (
            estimate.evidence > 0
            and 1 / _MAX_WIDTH_CHANGE < estimate.typical_width / card_px < _MAX_WIDTH_CHANGE
        ):
            return estimate.detections
    passes = []
    for side in QUICK_PASS_SIDES:
        passes.append(run_pass(side / max(size)))
        if passes[-1].is_table:
            break
    first, *others = sorted(passes, key=lambda estimate: -estimate.evidence)
    best = _refine_scale(run_pass, size, first, whole=whole)
    for other in others:
        # A large false positive may outweigh, in its pass, a table of cards that are too small in the other pass.
        doubtful = best.detections.scores.max(initial=0) < CONFIDENT_DETECTION
        if best.is_table or not (other.evidence > 0 or (doubtful and first.evidence > 0)):
            break
        if not _same_scale(_wanted_scale(other, area, _MAX_PIXELS), best.scale):
            refined = _refine_scale(run_pass, size, other, whole=whole)
            best = max(best, refined, key=lambda estimate: estimate.evidence)
    return best.detections


def _inside_part(detections: Detections, part: Box, size: tuple[int, int]) -> Detections:
    """Return the detections entirely within a ``part`` of the picture: an object cut by the edge of the
    part may look like a card.
    """
    (left, top, right, bottom), (width, height) = part, size
    lower = np.array((left if left > 0 else -np.inf, top if top > 0 else -np.inf))
    upper = np.array((right if right < width else np.inf, bottom if bottom < height else np.inf))
    within = ((detections.quads >= lower) & (detections.quads <= upper)).all(axis=(1, 2))
    return detections.take(np.flatnonzero(within))


def _same_scale(scale: float, other: float) -> bool:
    """Return whether two scales are nearly equal."""
    return 1 / _SAME_SCALE < scale / other < _SAME_SCALE


def _wanted_scale(estimate: _Pass, area: int, max_pixels: float) -> float:
    """Return the scale that suits the median card of a pass, with at most ``max_pixels`` pixels; the maximum
    scale if nothing was detected.
    """
    wanted = _CARD_WIDTH / estimate.typical_width if estimate.evidence > 0 else np.inf
    return float(min(wanted, np.sqrt(max_pixels / area), _MAX_SCALE))


def _refine_scale(
    run_pass: Callable[[float, Box | None], _Pass], size: tuple[int, int], estimate: _Pass, *, whole: bool
) -> _Pass:
    """Return a pass at the scale that ``estimate`` suggests, or ``estimate`` itself if its scale is adequate; over the ``whole``
    picture, or where it shows a table."""
    for max_pixels in (_MAX_PIXELS, _MAX_PIXELS_TINY):
        wanted = _wanted_scale(estimate, size[0] * size[1], max_pixels)
        if not _same_scale(wanted, estimate.scale):
            estimate = run_pass(wanted, None if whole else estimate.table_box(size))
        # If this pass detects nothing either, the table is empty.
        if not (estimate.detections.scores >= MIN_SCORE).any() or (
            estimate.evidence > 0 and estimate.typical_width * estimate.scale >= _MIN_CARD_WIDTH
        ):
            break
    return estimate
