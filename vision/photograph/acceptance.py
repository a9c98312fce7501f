"""Acceptance of detections: which of them are reported as cards.

A detection shows a face, a back, or an unknown card, whichever is most probable. For each of these `KINDS` a logistic
regression decides from its `FEATURES` whether a card is there.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.table_coordinates import expected_sizes
from vision.networks.detector import CONFIDENT_DETECTION, card_widths
from vision.networks.read_cards import CardCandidates
from vision.occlusion.visible_overlap import VisibilityCanvas, duplicate_readings, quad_iou
from vision.photograph.linear_model import LinearModel
from vision.pictures.crops import Quads

Floats = NDArray[np.float64]

#: Probability from which the best name of a card is certain enough to use the card as a reference.
CONFIDENT_NAME: Final = 0.9
#: Visible fraction below which only a strip of a card is visible.
STRIP_VISIBLE: Final = 0.35
#: Visible fraction from which the size of a detection is reliable.
MOSTLY_VISIBLE: Final = 0.6
#: Limits of log odds, and of logarithms of ratios of lengths.
_MAX_LOG_ODDS: Final = 6.0
_MAX_LOG_RATIO: Final = 0.7
#: Number of confident cards that determine how the size varies across the table.
_MIN_SLOPE_REFERENCES: Final = 5
#: Minimum intersection over union of two backs of which one may be the side of a stack.
_SIDE_OVERLAP: Final = 0.2

KINDS: Final = ("face", "back", "unknown")
FEATURES: Final = (
    *("score", "face", "back", "unknown"),
    *("size", "edges", "uncovered", "outside", "crowd", "constant"),
)
"""``score``: log odds of the detector's score. ``face``, ``back``, ``unknown``: log odds of the best name, a back, and an unknown
card. ``size``: logarithm of the ratio to the size of confident detections at this place, times the visible fraction; ``edges``: the same
for opposite edges. ``uncovered``, ``outside``: fraction of the area where no card is visible, and outside the picture. ``crowd``:
logarithm of one more than the other doubtful detections of this kind, of which a printed cloth has many."""


def kinds(candidates: CardCandidates) -> NDArray[np.intp]:
    """Return the index in `KINDS` of each of n candidates: a face or a back only if that is more probable than all else."""
    posterior = candidates.recognized.posterior
    likely = np.column_stack((posterior[:, :-2].sum(axis=1), posterior[:, -2])) > 0.5
    return np.where(likely.any(axis=1), likely.argmax(axis=1), KINDS.index("unknown"))


def are_cards(model: LinearModel, candidates: CardCandidates) -> NDArray[np.bool_]:
    """Return which candidates (n) are accepted as cards by ``model``, whose classes are `KINDS`."""
    single = np.flatnonzero(~seconds(candidates))
    left = candidates.take(single)
    rows, kind = features(left), kinds(left)
    cards = model.logits(rows)[np.arange(len(rows)), kind] > 0
    rows[:, FEATURES.index("uncovered")] = _uncovered(left, cards)  # what is no card covers none
    cards = model.logits(rows)[np.arange(len(rows)), kind] > 0
    accepted = np.zeros(len(candidates.scores), np.bool_)
    accepted[single[cards]] = True
    return accepted


def seconds(candidates: CardCandidates) -> NDArray[np.bool_]:
    """Return which candidates (n) are a second detection of a card or stack that is more visible."""
    posterior = candidates.recognized.posterior
    again = duplicate_readings(candidates.quads, candidates.visible, posterior.argmax(axis=1))
    again &= kinds(candidates) != KINDS.index("unknown")
    return np.asarray(again | _sides(candidates, posterior[:, -2] > 0.5), np.bool_)


def features(candidates: CardCandidates) -> Floats:
    """Return the `FEATURES` of the candidates (n x k)."""
    posterior = candidates.recognized.posterior
    scores, visible = candidates.scores.astype(np.float64), candidates.visible.astype(np.float64)
    quads, face = candidates.quads, posterior[:, :-2].max(axis=1, initial=0)
    confident = (scores >= CONFIDENT_DETECTION) & (visible > MOSTLY_VISIBLE)
    return np.column_stack(
        (
            _log_odds(scores),
            _log_odds(face),
            _log_odds(posterior[:, -2]),
            _log_odds(posterior[:, -1]),
            _size_differences(quads, confident) * visible,
            _edge_differences(quads) * visible,
            _uncovered(candidates, np.ones(len(scores), np.bool_)),
            _outside(candidates),
            _crowds(scores, kinds(candidates)),
            np.ones(len(scores)),
        )
    )


def _log_odds(probability: Floats) -> Floats:
    """Return the log odds of probabilities, at most `_MAX_LOG_ODDS`."""
    with np.errstate(divide="ignore"):
        odds = np.log(probability) - np.log1p(-np.minimum(probability, 1.0))
    return np.asarray(np.clip(odds, -_MAX_LOG_ODDS, _MAX_LOG_ODDS), np.float64)


def _size_differences(quads: Quads, confident: NDArray[np.bool_]) -> Floats:
    """Return the logarithm of the ratio of the size of n detections to that of ``confident`` ones (n bool) at their place.

    Without any the size is unknown, and the difference as large as it can be.
    """
    if not confident.any():
        return np.full(len(quads), _MAX_LOG_RATIO)
    difference = np.zeros(len(quads))
    for turned in (quads, np.roll(quads, -1, axis=1)):
        sizes = card_widths(turned)
        expected = (
            expected_sizes(quads, sizes, confident)
            if confident.sum() >= _MIN_SLOPE_REFERENCES
            else np.median(sizes[confident])
        )
        difference = np.maximum(difference, np.abs(np.log(sizes / np.maximum(expected, 1))))
    return np.minimum(difference, _MAX_LOG_RATIO)


def _edge_differences(quads: Quads) -> Floats:
    """Return the larger logarithm of the ratio of opposite edges of n quads; that of a card in perspective is small."""
    edges = np.linalg.norm(np.roll(quads, -1, axis=1) - quads, axis=2)
    ratios = np.log(edges[:, :2] / np.maximum(edges[:, 2:], 1e-6))
    return np.asarray(np.minimum(np.abs(ratios).max(axis=1, initial=0), _MAX_LOG_RATIO), np.float64)


def _uncovered(candidates: CardCandidates, cards: NDArray[np.bool_]) -> Floats:
    """Return which fraction of the area of each of n candidates shows neither it nor one of ``cards`` (n bool)."""
    if not len(cards):
        return np.zeros(0)
    canvas = VisibilityCanvas(candidates.refined)
    painted = canvas.taken(np.flatnonzero(cards), candidates.size)
    fractions = []
    for index in range(len(cards)):
        (box, area), (part_box, part) = canvas.whole(index), canvas.part(index)
        own = canvas.empty()
        own[part_box] = part
        fractions.append((area & ~painted[box] & ~own[box]).sum() / max(int(area.sum()), 1))
    return np.array(fractions, np.float64)


def _outside(candidates: CardCandidates) -> Floats:
    """Return which fraction of the area of each of n candidates is outside the picture."""
    width, height = candidates.size
    picture = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    inside = [
        cv2.intersectConvexConvex(quad, picture)[0] / max(cv2.contourArea(quad), 1.0)
        for quad in candidates.quads
    ]
    return 1 - np.array(inside, np.float64)


def _crowds(scores: Floats, kind: NDArray[np.intp]) -> Floats:
    """Return the feature ``crowd`` of n detections of the kinds ``kind`` (n)."""
    doubtful = scores < CONFIDENT_DETECTION
    return np.log1p(np.bincount(kind[doubtful], minlength=len(KINDS))[kind] - doubtful)


def _sides(candidates: CardCandidates, backs: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which of n candidates, of which ``backs`` (n bool) are backs, overlap just one other back, which is more visible.

    They are the side of a stack or its shadow; more than two overlapping backs are a fan.
    """
    every, quads = np.flatnonzero(backs), candidates.quads
    sides = np.zeros(len(backs), np.bool_)
    overlaps = np.array(
        [[one != two and quad_iou(quads[one], quads[two]) > _SIDE_OVERLAP for two in every] for one in every],
        np.bool_,
    )
    overlaps = overlaps.reshape(len(every), len(every))
    alone = overlaps.sum(axis=1) == 1
    upper = candidates.visible[every] > candidates.visible[every, None]
    sides[every] = (overlaps & alone & alone[:, None] & upper).any(axis=1)
    return sides & (candidates.scores < CONFIDENT_DETECTION)
