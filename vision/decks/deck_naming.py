"""Classification of cards with a known deck: a product of weighted votes for each class of the deck, a
back, and unknown.

The votes are the recognizer's own names, the embeddings of the deck's cards, and for decks with pictures the pixel-wise correlation
with them and the comparison by the matcher.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.decks.deck_profile import DeckProfile
from vision.networks.class_ids import BACK, CLASS_OF, UNKNOWN
from vision.networks.matcher import Matcher
from vision.networks.onnx_sessions import check_weights
from vision.networks.recognizer import Recognitions
from vision.pictures.crops import Floats, Image

SmallFloats = NDArray[np.float32]

_FLOOR: Final = 1e-4
#: Cosine at which Fisher's z is clipped; only the very same picture comes nearer to its prototype.
_MAX_COSINE: Final = 0.985
#: A card whose best name is less probable than this is compared with the pictures of its `_COMPARED` most
#: probable names.
_MAX_DOUBTFUL: Final = 0.999
_COMPARED: Final = 4
#: Weight of the differences of the other votes among compared names: embeddings and correlations prefer a
#: card even where the distinguishing part is covered, while the comparison reports that it cannot decide. Of
#: 286 cards at least half visible in 80 composed pictures of held-out decks, 278 were named correctly (14
#: wrong names in all) without comparison, 281 (11) with all votes added, and 280 (10) with this weight. In 34
#: rendered pictures of mekurifuda and kabufuda the wrong names were 9, 12 (an earlier matcher), and 1.
_COMPARED_DISCOUNT: Final = 0.35
#: Written by ``python -m hanafuda_training.training.fit_vote_weights``.
FILE: Final = "votes.json"
#: Size at which pictures are compared, px: printed lines are still distinct, and errors of the corners hardly matter.
_PICTURE_SIZE: Final = (16, 24)
#: Margin of the crop that is ignored, px at that size: it may show the table or the card below.
_EDGE: Final = 1
#: Shifts of the crop that are tried, px at that size (1 px is 6 % of a card's width); the first is no shift.
_SHIFTS: Final = ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1))
#: Number of most similar pictures, in either orientation, that are also compared shifted.
_SHIFTED_COUNT: Final = 6
#: Smallest product of variances that is divided by.
_MIN_VARIANCE: Final = 1e-3
#: Standard deviation (of 255) below which the visible part of a card has too little contrast for correlation.
_MIN_CONTRAST: Final = 10.0


@dataclass(frozen=True, slots=True)
class VoteWeights:
    """Weights of the votes. A similarity (cosine, correlation) above ``..._least`` supports a class, below
    it unknown, by ``..._weight`` logits per unit of Fisher's z. ``generic``: exponent of the recognizer's
    own posterior. ``hidden``: exponent of the visible fraction by which the first two votes are scaled, so
    that strips count less than whole cards. ``matched``: weight of the matcher's logits.
    """

    cosine_weight: float
    cosine_least: float
    picture_weight: float
    picture_least: float
    generic: float
    hidden: float
    matched: float


@dataclass(frozen=True, slots=True)
class VoteWeightSet:
    """The weights for decks with pictures (``enrolled``) and for decks with embeddings only (``shipped``).

    They were fitted on 768 detections in 70 composed pictures of the five held-out decks (log loss .281 and
    .303 nats). ``matched`` was chosen from .5 to 1.8 on 1,091 detections of other such pictures, by correct and
    wrong names.
    """

    enrolled: VoteWeights
    shipped: VoteWeights


def read_vote_weights(models: Path) -> VoteWeightSet:
    """Return the vote weights stored in ``models``. Raises `MissingModelError`."""
    check_weights(models / FILE)
    stored = json.loads((models / FILE).read_text(encoding="utf-8"))
    return VoteWeightSet(VoteWeights(**stored["enrolled"]), VoteWeights(**stored["shipped"]))


@dataclass(frozen=True, eq=False)
class DeckEvidence:
    """Evidence for each class of a deck, for n cards.

    ``cosines`` and ``likeness`` (None without pictures): see `DeckClassifier.cosines` and
    `DeckClassifier.correlations`. ``reliability``: reliability of the correlation (n, 0-1). ``posterior``: the
    recognizer's own (n x CLASS_COUNT). ``visible``: visible fractions (n). ``matched``: the matcher's logits
    for the most probable classes of uncertain cards (n x classes x 2; 0 elsewhere).
    """

    cosines: Floats
    likeness: Floats | None
    reliability: Floats
    posterior: Floats
    visible: Floats
    matched: Floats


class DeckClassifier:
    """Classifies cards by one deck profile. Everything that depends only on the profile is computed once."""

    def __init__(self, profile: DeckProfile, votes: VoteWeights, matcher: Matcher | None = None) -> None:
        self.profile = profile
        self.votes = votes
        self._matcher = matcher if len(profile.pictures) else None
        own = profile.prototypes
        # Columns by class and end, upright first; cards without an id are one additional class at the end.
        column = (
            np.where(own.classes == profile.unknown, len(profile.classes), own.classes) * 2 + ~own.upright
        )
        order = np.argsort(column, kind="stable")
        self._vectors = np.ascontiguousarray(own.embeddings[order].T)
        self._columns, self._starts = np.unique(column[order], return_index=True)
        self._pictures = PictureMatcher(profile.pictures) if len(profile.pictures) else None
        # The recognizer's class of each class; cards of other packs are unknown to it.
        self._to_generic = np.array([CLASS_OF.get(cards[0], UNKNOWN) for cards in profile.classes], np.intp)

    def cosines(self, embeddings: NDArray[np.float32]) -> Floats:
        """Return the best cosine of n ``embeddings`` to each class in each orientation: n x (classes + 1)
        x 2 (upright, upside down).

        The last class contains the deck's cards without an id. Classes without prototypes have -1.
        """
        best = np.full((len(embeddings), 2 * (len(self.profile.classes) + 1)), -1.0)
        if len(embeddings):
            best[:, self._columns] = np.maximum.reduceat(embeddings @ self._vectors, self._starts, axis=1)
        return best.reshape(len(embeddings), len(self.profile.classes) + 1, 2)

    def correlations(self, crops: Image) -> tuple[Floats, NDArray[np.intp], Floats] | None:
        """Return the best correlation of n ``crops`` with the deck's pictures in the shape of `cosines`,
        the index of that picture (same shape), and the reliability of the correlation (n, 0-1); None
        without pictures.
        """
        if self._pictures is None:
            return None
        profile = self.profile
        column = np.where(profile.pictured == profile.unknown, len(profile.classes), profile.pictured)
        best = np.full((len(crops), len(profile.classes) + 1, 2), -1.0)
        which = np.zeros(best.shape, np.intp)
        likeness, reliability = self._pictures.correlate(crops)
        for number, class_id in enumerate(column):
            which[:, class_id][likeness[:, number] > best[:, class_id]] = number
            np.maximum(best[:, class_id], likeness[:, number], out=best[:, class_id])
        return best, which, reliability.astype(np.float64)

    def evidence(self, named: Recognitions, *, compare: bool = True) -> DeckEvidence:
        """Return the evidence for each class, for n recognized cards; that of the matcher only if ``compare``."""
        pictures, count = self.correlations(named.crops), len(named.crops)
        likeness, which, reliability = pictures or (None, None, np.zeros(count))
        visible = named.crops[..., 3].mean(axis=(1, 2), dtype=np.float64) / 255
        no_match = np.zeros((count, len(self.profile.classes), 2))
        cosines = self.cosines(named.embeddings)
        evidence = DeckEvidence(cosines, likeness, reliability, named.own, visible, no_match)
        if not compare or self._matcher is None or which is None:
            return evidence
        return replace(evidence, matched=self._matched(self._matcher, named.crops, evidence, which))

    def _matched(
        self, matcher: Matcher, crops: Image, evidence: DeckEvidence, which: NDArray[np.intp]
    ) -> Floats:
        """Return the matcher's logits for the most similar pictures (n x classes x 2) where ``evidence``
        is uncertain.
        """
        logits = self._logits(evidence, self.votes)
        doubtful = np.flatnonzero(self._posterior(evidence, logits, self.votes).max(axis=1) < _MAX_DOUBTFUL)
        result = np.zeros(evidence.matched.shape)
        flat = logits[:, :-1].reshape(len(logits), 2 * len(self.profile.classes))[doubtful]
        most_probable = np.argsort(-flat, axis=1, kind="stable")[:, :_COMPARED]
        rows = np.repeat(doubtful, most_probable.shape[1])
        classes, ends = np.divmod(most_probable.reshape(-1), 2)
        if len(rows):
            pictures = self.profile.pictures[which[rows, classes, ends]]
            pictures = np.where(ends[:, None, None, None] == 0, pictures, pictures[:, ::-1, ::-1])
            result[rows, classes, ends] = matcher.compare(crops[rows], pictures)
        return result

    def classify(self, named: Recognitions, *, compare: bool = True) -> Recognitions:
        """Return n recognized cards with their names in this deck.

        Uncertain cards are compared with pictures unless ``compare`` is False, which saves time.
        """
        posterior, upright = self.combine(self.evidence(named, compare=compare), self.votes)
        return replace(named, posterior=posterior, upright=upright, classes=self.profile.classes)

    def combine(self, evidence: DeckEvidence, votes: VoteWeights) -> tuple[Floats, NDArray[np.bool_]]:
        """Return the posterior for given vote weights (n x (classes + 2)), and whether each quad starts at the card's own top (n).

        A product of experts (Hinton 1999): the logits of all votes are added; their weights were fitted
        together.
        """
        logits = self._logits(evidence, votes)
        posterior = self._posterior(evidence, logits, votes)
        best = logits[np.arange(len(logits)), posterior[:, : len(self.profile.classes)].argmax(axis=1)]
        return posterior, best[:, 0] >= best[:, 1]

    def _logits(self, evidence: DeckEvidence, votes: VoteWeights) -> Floats:
        """Return the logits of each class in each orientation (n x (classes + 1) x 2), cards without an id
        last.
        """
        visibility = np.maximum(evidence.visible, 0.05)[:, None, None] ** votes.hidden
        logits = votes.cosine_weight * (_z(evidence.cosines) - _z(votes.cosine_least)) * visibility
        if evidence.likeness is not None:
            reliability = evidence.reliability[:, None, None] * visibility
            logits += votes.picture_weight * reliability * (_z(evidence.likeness) - _z(votes.picture_least))
        faces = logits[:, :-1]
        compared = evidence.matched != 0
        best = np.where(compared, faces, -np.inf).max(axis=(1, 2), keepdims=True, initial=-np.inf)
        best = np.where(np.isfinite(best), best, 0)
        discounted = best + _COMPARED_DISCOUNT * (faces - best) + votes.matched * evidence.matched
        generic = np.log(np.maximum(evidence.posterior, _FLOOR))[:, self._to_generic]
        recognizer_logits = votes.generic * self.profile.trust * generic[:, :, None]
        logits[:, :-1] = np.where(compared, discounted, faces) + recognizer_logits
        return logits

    def _posterior(self, evidence: DeckEvidence, logits: Floats, votes: VoteWeights) -> Floats:
        """Return the probabilities of all classes, back, and unknown (n x (classes + 2)); ``logits``: see
        `_logits`.
        """
        # The recognizer detects backs of any deck.
        back = np.maximum(evidence.posterior[:, BACK], _FLOOR)
        not_back_log = np.log(np.maximum(1 - back, _FLOOR))
        ends = np.logaddexp(logits[..., 0], logits[..., 1])
        # Unknown: the recognizer's class, or a card of the deck without an id.
        unknown = np.log(np.maximum(evidence.posterior[:, UNKNOWN], _FLOOR))
        unknown = np.logaddexp(votes.generic * self.profile.trust * unknown, ends[:, -1])
        total = np.column_stack((ends[:, :-1] + not_back_log[:, None], np.log(back), unknown + not_back_log))
        posterior = np.exp(total - total.max(axis=1, keepdims=True))
        posterior /= posterior.sum(axis=1, keepdims=True)
        return np.asarray(posterior, np.float64)


def _z(likeness: Floats | float) -> Floats:
    """Return Fisher's z of correlations (-1 to 1), which stretches the range near 1.

    A clearly visible card is so near to its own prototype that a card that differs by one detail is clearly
    further away; for a poorly visible card the same difference means nothing.
    """
    return np.asarray(np.arctanh(np.clip(likeness, -_MAX_COSINE, _MAX_COSINE)), np.float64)


class PictureMatcher:
    """Correlates crops with ``pictures`` (m x 96 x 64 x 3 uint8 BGR, upright)."""

    def __init__(self, pictures: Image) -> None:
        self._count = len(pictures)
        small = np.stack([_small(picture) for picture in pictures])
        both = np.concatenate((small, small[:, ::-1, ::-1]))
        width, height = _PICTURE_SIZE
        padded = np.pad(both, ((0, 0), (1, 1), (1, 1), (0, 0)), mode="edge")
        shifted = np.stack([padded[:, 1 + y : 1 + y + height, 1 + x : 1 + x + width] for y, x in _SHIFTS])
        centered = (shifted - shifted.mean(axis=(2, 3), keepdims=True)).astype(np.float32)
        # 2m x shifts x colors x pixels, and their squares summed over the colors.
        self._templates = np.ascontiguousarray(
            centered.reshape(len(_SHIFTS), len(both), -1, 3).transpose(1, 0, 3, 2)
        )
        self._squares = (self._templates**2).sum(axis=2)

    def correlate(self, crops: Image) -> tuple[SmallFloats, SmallFloats]:
        """Return the correlation of n ``crops`` (n x 96 x 64 x 4, mask last) with each picture (n x m x 2:
        upright, upside down), and its reliability (n, 0-1).

        Zero-mean normalized cross-correlation over the visible pixels, with the mean of each color channel
        removed, so that brightness and color cast do not count: -1 to 1, and 0 for crops without a visible
        part.
        """
        if not len(crops):
            return np.zeros((0, self._count, 2), np.float32), np.zeros(0, np.float32)
        weighted, weights, variance = _prepare(crops)
        count, unshifted = len(crops), self._templates[:, 0]
        correlation = _correlation(
            weighted.reshape(count, -1) @ unshifted.reshape(2 * self._count, -1).T,
            weights @ self._squares[:, 0].T,
            np.stack([weights @ unshifted[:, color].T for color in range(3)], axis=-1),
            variance[:, None],
        )
        chosen = np.argpartition(-correlation, min(_SHIFTED_COUNT, correlation.shape[1]) - 1, axis=1)[
            :, :_SHIFTED_COUNT
        ]
        # Crops x chosen x shifts x ..., as one product per crop.
        templates, squares = self._templates[chosen, 1:], self._squares[chosen, 1:]
        shape = templates.shape[:3]
        shifted = _correlation(
            (templates.reshape(count, shape[1] * shape[2], -1) @ weighted.reshape(count, -1, 1)).reshape(
                shape
            ),
            (squares.reshape(count, shape[1] * shape[2], -1) @ weights[:, :, None]).reshape(shape),
            (templates.reshape(count, shape[1] * shape[2] * 3, -1) @ weights[:, :, None]).reshape(*shape, 3),
            variance[:, None, None],
        )
        best = np.maximum(np.take_along_axis(correlation, chosen, axis=1), shifted.max(axis=2))
        np.put_along_axis(correlation, chosen, best, axis=1)
        likeness = np.ascontiguousarray(correlation.reshape(count, 2, self._count).swapaxes(1, 2))
        return likeness, variance / (variance + np.float32(3 * _MIN_CONTRAST**2))


def _small(image: Image) -> SmallFloats:
    return np.asarray(cv2.resize(image, _PICTURE_SIZE, interpolation=cv2.INTER_AREA), np.float32)


def _prepare(crops: Image) -> tuple[SmallFloats, SmallFloats, SmallFloats]:
    """Return weighted pixel values without the mean of each color (n x 3 x pixels), weights (n x pixels),
    and variances (n).
    """
    small = np.stack([_small(crop) for crop in crops])
    weights = small[..., 3] / np.float32(255)
    weights[:, :_EDGE] = weights[:, -_EDGE:] = weights[:, :, :_EDGE] = weights[:, :, -_EDGE:] = 0
    weights = weights.reshape(len(crops), -1)
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), _MIN_VARIANCE)
    pixels = small[..., :3].reshape(len(crops), -1, 3).swapaxes(1, 2)
    pixels = pixels - (weights[:, None] * pixels).sum(axis=2, keepdims=True)
    weighted = np.ascontiguousarray(pixels * weights[:, None])
    return weighted, weights, (weighted * pixels).sum(axis=(1, 2))


def _correlation(
    cross: SmallFloats, squares: SmallFloats, means: SmallFloats, variance: SmallFloats
) -> SmallFloats:
    """Return correlations of crops with templates from weighted sums of products, squares, and colors
    (last axis).
    """
    spread = np.sqrt(np.maximum(variance * np.maximum(squares - (means**2).sum(axis=-1), 0), _MIN_VARIANCE))
    return np.asarray(cross / spread, np.float32)
