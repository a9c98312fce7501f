"""Acceptance of detections: which of them are reported as cards."""

from __future__ import annotations

from collections import Counter
from itertools import chain, combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.geometry.plane_fit import expected_sizes
from vision.networks.detector import CONFIDENT_DETECTION, card_widths
from vision.networks.probability_calibration import Calibration
from vision.networks.refiner import RefinedCards
from vision.occlusion.visible_overlap import VisibilityCanvas, duplicate_readings, quad_iou
from vision.pictures.crops import Image, Quads

#: Probability from which the best name of a card, or that it is a back, is certain enough to use the card as a reference.
CONFIDENT_NAME: Final = 0.9
#: Minimum detector score for cards that show no face of the deck; for backs (`CONFIDENT_NAME`) that are more
#: than half visible, `_MIN_SCORE`.
_MIN_SCORE_FACELESS: Final = 0.45
#: Minimum score of probable backs (`_LIKELY_BACK`) whose visible fraction exceeds that of the edges of a
#: stack (`STRIP_VISIBLE`) and whose size is that of a card at their position (`MIN_REFERENCES` reference cards,
#: logarithmic tolerance `_SAME_SIZE`). In 72 rendered and 80 composed pictures, the eight such detections
#: that scored .35-.4 were backs.
_LIKELY_BACK: Final = 0.8
_MIN_SCORE_BACK_OF_SIZE: Final = 0.35
#: The same for nearly fully visible backs. A draw pile may be as plain as a box, which the detector learned
#: to ignore: of fourteen such detections that scored .18-.35 in 403 pictures, with two detectors, eleven were
#: backs.
_NEARLY_WHOLE: Final = 0.75
_MIN_SCORE_WHOLE_BACK: Final = 0.18
#: Number of confident cards from which the size of a card is known.
MIN_REFERENCES: Final = 3
_SAME_SIZE: Final = 0.08
#: Minimum visible fraction of a back. A smaller one is probably a shadow, or extends beyond the picture: of
#: six in 262 pictures one was a back.
_MIN_VISIBLE_BACK: Final = 0.25
#: All cards of a deck have the same back. A less confident back whose color differs from the most confident
#: one's by this much (logarithm) is rejected: of 21 in 262 pictures two were backs, the others shadows of the
#: draw pile, printed cloths, and boxes.
_MAX_COLOR_DIFFERENCE: Final = 1.0
#: Of exactly two backs that overlap by more than this (intersection over union), the less visible one is the
#: side of the draw pile or its shadow, unless its score reaches `_CONFIDENT_SIDE`: all five in 310 pictures
#: were. More than two overlapping backs are a fan held face down.
_PILE_SIDE_IOU: Final = 0.2
_CONFIDENT_SIDE: Final = 0.65
#: A less confident back has no face as evidence: at most this fraction of it may be hidden without another
#: card on it, and at most `_MAX_OUTSIDE` of it may be outside the picture. Of 21 such detections in 362
#: rendered pictures twelve were not backs; this rejects ten of these, and one of the nine backs.
_MAX_UNCOVERED: Final = 0.24
_MAX_OUTSIDE: Final = 0.2
#: Prior odds of a back against an unknown object: the recognizer's training data has seven unknown objects
#: for each back, but every table has a draw pile. Of 18 detections in 346 pictures with a back probability of
#: .25-.6, otherwise unknown, 15 were backs (ten of one draw pile).
_BACK_PRIOR: Final = 3.0
#: Added to color channels (of 255) before taking the logarithm: black hardly has a color.
_COLOR_OFFSET: Final = 8.0
#: Minimum score of detections without a name of sufficient probability.
_MIN_SCORE: Final = 0.4
#: Minimum score of detections that have no name after the assignment and are not unknown. Of 30 such
#: detections below it in 403 pictures, 13 were not cards, and seven of the others were less than a quarter
#: visible.
_MIN_SCORE_UNASSIGNED: Final = 0.5
#: Visible fraction below which only a strip of a card is visible. Such detections are often not cards.
STRIP_VISIBLE: Final = 0.35
#: Visible fraction from which the size of a detection is reliable. A detection above it whose size differs
#: from that of confident cards by `_MAX_SIZE_DIFFERENCE` (logarithm) is a printed picture of a card. `_MIN_SLOPE_REFERENCES`
#: reference cards are needed to predict how the size varies across the table.
MOSTLY_VISIBLE: Final = 0.6
_MAX_SIZE_DIFFERENCE: Final = float(np.log(1.3))
_MIN_SLOPE_REFERENCES: Final = 5
#: Maximum ratio of opposite edges of a mostly visible card. Of 1,251 cards detected in the pictures of
#: models/README.md two exceeded it, of 84 false positives four, among them the side of a box printed with
#: cards.
_MAX_EDGE_RATIO: Final = 1.4


def accepted_cards(
    posterior: NDArray[np.float64],
    visible: NDArray[np.float32],
    scores: NDArray[np.float32],
    quads: Quads,
    calibration: Calibration,
) -> NDArray[np.bool_]:
    """Return which detections (n) are accepted as cards.

    Rejects slivers that are probably unknown objects, crowds of unknown objects, faceless detections with a
    low score, traces of backs, printed pictures of cards, and duplicates. ``posterior``: n x (classes + 2),
    back and unknown last. ``quads``: n x 4 x 2 px.

    Boxes and wreaths look like the edge of a card here and there, and a printed cloth like many faint cards.
    On composed pictures of held-out decks, slivers were half of all false positives, and 1 in 110 of the
    cards that are at least half visible. Of the faceless detections there, 29 of 31 backs scored more than
    .45, and 6 of 24 places without a card.
    """
    unknown = posterior[:, -1] > 0.5
    likeliest = posterior[:, :-1].max(axis=1, initial=0)
    no_candidate = likeliest < 0.4
    mostly_unknown = posterior[:, -1] > likeliest
    sliver = (mostly_unknown & (visible < np.where(scores < _MIN_SCORE_UNASSIGNED, MOSTLY_VISIBLE, 0.5))) | (
        no_candidate & (visible < STRIP_VISIBLE)
    )
    in_crowd = (
        unknown & (scores < CONFIDENT_DETECTION) & (unknown.sum() > max(4, np.sum(~unknown & ~no_candidate)))
    )
    min_score = np.where(
        (posterior[:, -2] >= CONFIDENT_NAME) & (visible >= 0.5), _MIN_SCORE, _MIN_SCORE_FACELESS
    )
    probable_back = (posterior[:, -2] >= _LIKELY_BACK) & (visible >= STRIP_VISIBLE)
    probable_back &= _has_card_size(visible, scores, quads, likeliest)
    min_score[probable_back] = np.where(
        visible[probable_back] >= _NEARLY_WHOLE, _MIN_SCORE_WHOLE_BACK, _MIN_SCORE_BACK_OF_SIZE
    )
    min_score[(posterior[:, -2] > 0.5) & (visible < _MIN_VISIBLE_BACK)] = np.inf
    faceless = (posterior[:, -2:].sum(axis=1) > 0.8) & (scores < min_score)
    named = likeliest >= calibration.thresholds(visible)
    unnamed = ~named & (scores < _MIN_SCORE)
    duplicate = duplicate_readings(quads, visible, posterior.argmax(axis=1)) & ~unknown
    printed = _wrong_size(visible, scores, quads) | _misshapen(visible, quads)
    return np.asarray(~(sliver | in_crowd | faceless | unnamed | duplicate | printed), np.bool_)


def false_backs(
    backs: NDArray[np.bool_],
    visible: NDArray[np.float32],
    scores: NDArray[np.float32],
    quads: Quads,
    crops: Image,
) -> NDArray[np.bool_]:
    """Return which of the accepted ``backs`` (n, bool) are rejected by comparison with the other
    detections: shadows, boxes, sides of the draw pile.

    ``crops``: n x 96 x 64 x 4 uint8, as in `Recognitions`.
    """
    false = np.zeros(len(backs), np.bool_)
    backs_left = np.flatnonzero(backs)
    if not len(backs_left):
        return false
    most_confident = backs_left[scores[backs_left].argmax()]
    if scores[most_confident] >= CONFIDENT_DETECTION:
        reference = _color(crops[most_confident])
        for candidate in backs_left[scores[backs_left] < CONFIDENT_DETECTION]:
            false[candidate] = np.abs(_color(crops[candidate]) - reference).max() > _MAX_COLOR_DIFFERENCE
    remaining = backs_left[~false[backs_left]]
    pairs = [pair for pair in combinations(remaining, 2) if quad_iou(*quads[list(pair)]) > _PILE_SIDE_IOU]
    occurrences = Counter(chain.from_iterable(pairs))
    for pair in pairs:
        side, whole = sorted(pair, key=lambda candidate: visible[candidate])
        if occurrences[side] == occurrences[whole] == 1 and visible[side] < visible[whole]:
            false[side] = scores[side] < _CONFIDENT_SIDE
    return false


def uncovered_backs(
    backs: NDArray[np.bool_], scores: NDArray[np.float32], refined: RefinedCards, size: tuple[int, int]
) -> NDArray[np.bool_]:
    """Return which of the accepted ``backs`` (n, bool) are rejected because part of them is hidden with
    nothing on it, or because too much of them is outside the picture of ``size`` (width, height) px.
    """
    false = np.zeros(len(backs), np.bool_)
    doubtful = np.flatnonzero(backs & (scores < _CONFIDENT_SIDE))
    if not len(doubtful):
        return false
    canvas = VisibilityCanvas(refined)
    visible, outside = canvas.taken(range(len(backs)), size), canvas.outside(size)
    for candidate in doubtful:
        box, area = canvas.whole(int(candidate))
        uncovered, outside_fraction = (
            float((area & region[box]).sum() / max(area.sum(), 1)) for region in (~visible, outside)
        )
        false[candidate] = uncovered > _MAX_UNCOVERED or outside_fraction > _MAX_OUTSIDE
    return false


def _color(crop: Image) -> NDArray[np.float64]:
    """Return the logarithms of the median B, G, and R of the visible part of a card; NaN if nothing is
    visible.
    """
    visible_pixels = crop[crop[:, :, 3] > 127, :3]
    if not len(visible_pixels):
        return np.full(3, np.nan)
    return np.asarray(np.log(np.median(visible_pixels, axis=0) + _COLOR_OFFSET), np.float64)


def favor_backs(posterior: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``posterior`` (n x (classes + 2)) with the probability of back and unknown redistributed by
    `_BACK_PRIOR`.
    """
    back, unknown = posterior[:, -2] * _BACK_PRIOR, posterior[:, -1]
    either = posterior[:, -2:].sum(axis=1) / np.maximum(back + unknown, 1e-12)
    return np.column_stack((posterior[:, :-2], back * either, unknown * either))


def named_only(posterior: NDArray[np.float64], scores: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return which detections (n) are reported only if they get a name. ``posterior``: n x (classes + 2),
    unknown last.
    """
    return np.asarray((scores < _MIN_SCORE_UNASSIGNED) & (posterior[:, -1] <= 0.5), np.bool_)


def _has_card_size(
    visible: NDArray[np.float32],
    scores: NDArray[np.float32],
    quads: NDArray[np.float32],
    likeliest: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """Return which detections (n) have the size of a card at their position, predicted from confident
    named cards.
    """
    confident = (scores >= CONFIDENT_DETECTION) & (visible > MOSTLY_VISIBLE) & (likeliest >= CONFIDENT_NAME)
    fits = np.full(len(scores), confident.sum() >= MIN_REFERENCES)
    if fits.any():
        for ends in (0, 1):
            fits &= np.abs(size_difference(quads, ends, confident)) < _SAME_SIZE
    return fits


def size_difference(quads: Quads, ends: int, reference: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the logarithm of the widths (``ends`` 0) or lengths (1) of n quads relative to those of the ``reference`` cards (n bool)."""
    sizes = card_widths(np.roll(quads, -ends, axis=1))
    expected = (
        expected_sizes(quads, sizes, reference)
        if reference.sum() >= _MIN_SLOPE_REFERENCES
        else np.median(sizes[reference])
    )
    return np.asarray(np.log(np.maximum(sizes, 1) / np.maximum(expected, 1)), np.float64)


def _wrong_size(visible: NDArray[np.float32], scores: NDArray[np.float32], quads: Quads) -> NDArray[np.bool_]:
    """Return which detections (n) are printed pictures of cards, as on a deck's box: their size differs
    from that of confident cards.

    Mostly covered detections have no reliable size, and confident detections are accepted anyway.
    """
    confident = scores >= CONFIDENT_DETECTION
    if not confident.any():
        return np.zeros(len(scores), np.bool_)
    widths = card_widths(quads)
    odd = np.abs(np.log(widths / np.median(widths[confident]))) > _MAX_SIZE_DIFFERENCE
    if confident.sum() >= _MIN_SLOPE_REFERENCES:
        odd &= (
            np.abs(np.log(widths / np.maximum(expected_sizes(quads, widths, confident), 1)))
            > _MAX_SIZE_DIFFERENCE
        )
    return np.asarray((scores < _MIN_SCORE_FACELESS) & (visible > MOSTLY_VISIBLE) & odd, np.bool_)


def _misshapen(visible: NDArray[np.float32], quads: Quads) -> NDArray[np.bool_]:
    """Return which detections (n) cannot be a card seen in perspective: the lengths of opposite edges
    differ too much.
    """
    edges = np.linalg.norm(np.roll(quads, -1, axis=1) - quads, axis=2)
    unlike = np.abs(np.log(edges[:, :2] / np.maximum(edges[:, 2:], 1e-6))).max(axis=1, initial=0)
    return np.asarray((visible > MOSTLY_VISIBLE) & (unlike > np.log(_MAX_EDGE_RATIO)), np.bool_)
