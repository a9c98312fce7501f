"""Cards at rest: detections of one card at one place, in successive stable frames, are a track.

A card that was moved is another track, and one that is not detected has none: which cards of the game lie under others is known to the
engine in `companion.watch`.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from vision.geometry.fitting import Floats
from vision.photograph.acceptance import STRIP_VISIBLE
from vision.tracking.motion import MOST

#: A card detected within this distance (mm) of its position before has not moved. Captured cards are as close as 8 mm to each other.
SAME_PLACE_MM: Final = 8.0
#: What is more probable than this is more likely than all else together.
LIKELY: Final = MOST
#: Visible fractions of one card differ by less than this.
SLIVER: Final = 0.07
_EPSILON: Final = float(np.finfo(np.float32).eps)


@dataclass(slots=True, eq=False)
class CardDetection:
    """A card in one picture: its quad on the table (4 x 2 mm, from its own top left) and in the picture (4 x 2 px), its visible
    fraction, and the posterior over the deck's classes, back and unknown."""

    quad: Floats
    px: NDArray[np.float32]
    visible: float
    posterior: Floats
    p_card: float = 1.0
    """Probability that it is a card at all, face up or down."""

    @property
    def at(self) -> Floats:
        """The center of the card, mm."""
        return np.asarray(self.quad.mean(axis=0), np.float64)


@dataclass(slots=True, eq=False)
class CardTrack:
    """A card that lies at one place."""

    key: int
    detection: CardDetection
    """The last detection."""
    since: float
    """Time of the first frame that showed it at its position, s."""
    absent: float | None
    """Time of the last frame that showed its position without it, s; None if unknown."""
    max_visible: float
    """The largest visible fraction so far."""
    posterior: Floats
    """The class posterior from all readings."""
    _readings: Floats
    """The sum of the logarithms of all readings, weighted by how much of the card each showed."""
    _weight: float
    """The sum of these weights."""
    on: tuple[int, ...] = ()
    """Keys of the cards directly below it."""

    @classmethod
    def first(cls, key: int, detection: CardDetection, time: float) -> CardTrack:
        """Return the track of a card that was detected for the first time (s)."""
        track = cls(key, detection, time, None, 0.0, detection.posterior, np.zeros(1), 0.0)
        track._read(detection)
        return track

    @property
    def class_id(self) -> int:
        """The most likely class."""
        return int(self.posterior.argmax())

    @property
    def is_card(self) -> bool:
        """Whether it is probably a card of the deck, face up or down."""
        return float(self.posterior[-1]) < LIKELY

    def show(self, detection: CardDetection) -> None:
        """Take over a further detection; a reading that is the one before says nothing more."""
        if not np.allclose(self.detection.posterior, detection.posterior):
            self._read(detection)
        self.detection = detection

    def _read(self, detection: CardDetection) -> None:
        # Readings of an unmoved card are hardly independent: they are averaged.
        weight = detection.visible**2
        self._readings = self._readings + weight * np.log(detection.posterior + _EPSILON)
        self._weight += weight
        self.max_visible = max(self.max_visible, detection.visible)
        self.posterior = _weighted(self._readings / self._weight, self.max_visible)


class CardTracker:
    """The cards of one table."""

    def __init__(self) -> None:
        self.all: list[CardTrack] = []
        self._keys = itertools.count(1)

    def update(self, time: float, detections: list[CardDetection]) -> None:
        """Replace the tracks by those of a picture taken at ``time`` (s)."""
        tracks = self.at_same_places(detections)
        for index, detection in enumerate(detections):
            if index in tracks:
                tracks[index].show(detection)
            else:
                tracks[index] = CardTrack.first(next(self._keys), detection, time)
        self.all = sorted(tracks.values(), key=lambda track: track.key)
        self._order_layers()

    def at_same_places(self, detections: list[CardDetection]) -> dict[int, CardTrack]:
        """Return the tracks of detections that show the card that lay at their place, by index."""
        if not self.all or not detections:
            return {}
        posteriors = np.array(
            [_weighted(np.log(each.posterior + _EPSILON), each.visible) for each in detections]
        )
        similarity = np.array([track.posterior for track in self.all]) @ posteriors.T
        distance = np.linalg.norm(
            np.array([track.detection.at for track in self.all])[:, None]
            - np.array([each.at for each in detections]),
            axis=2,
        )
        # Readings of which one says nothing have a similarity of one in the number of classes.
        same = (distance < SAME_PLACE_MM) & (similarity * posteriors.shape[1] > LIKELY)
        cost = np.where(same, distance / SAME_PLACE_MM - similarity, len(detections))
        rows, columns = linear_sum_assignment(cost)
        return {
            int(column): self.all[row] for row, column in zip(rows, columns, strict=True) if same[row, column]
        }

    def _order_layers(self) -> None:
        """Set which cards each card is on: of two overlapping cards, the less visible one is below."""
        for track in self.all:
            track.on = ()
        for upper, lower in itertools.permutations(self.all, 2):
            hidden = upper.detection.visible - lower.detection.visible
            if hidden > SLIVER and SLIVER < overlap(lower.detection.quad, upper.detection.quad) < 2 * hidden:
                upper.on = (*upper.on, lower.key)


def overlap(quad: Floats, other: Floats) -> float:
    """Return the intersection of two quads as a fraction of the first."""
    if (quad.max(axis=0) < other.min(axis=0)).any() or (other.max(axis=0) < quad.min(axis=0)).any():
        return 0.0
    area, _ = cv2.intersectConvexConvex(quad.astype(np.float32), other.astype(np.float32))
    return float(area) / max(abs(float(cv2.contourArea(quad.astype(np.float32)))), _EPSILON)


def _weighted(log_likelihood: Floats, visible: float) -> Floats:
    """Return the posterior of a reading that showed this fraction of the card; strips are misread with high confidence and weigh less."""
    weighted = min(1.0, (visible / STRIP_VISIBLE) ** 2) * log_likelihood
    p = np.exp(weighted - weighted.max())
    return np.asarray(p / p.sum(), np.float64)
