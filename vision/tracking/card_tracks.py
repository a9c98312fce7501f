"""Cards at rest: detections of one card at one place, in successive stable frames, are a track.

A card that was moved is another track, and one that is not detected has none: which cards of the game lie under others is known to the
engine in `companion.watch`.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.occlusion.visible_overlap import overlap
from vision.photograph.acceptance import MOSTLY_VISIBLE, STRIP_VISIBLE
from vision.photograph.assignment import optimal_assignment
from vision.pictures.crops import Floats
from vision.tracking.motion import MOST

#: A card detected within this distance (mm) of its position before has not moved. Captured cards are as close as 8 mm to each other.
SAME_PLACE_MM: Final = 8.0
#: What is more probable than this is more likely than all else together.
LIKELY: Final = MOST
#: What is less probable is not relied on.
UNLIKELY: Final = 0.2
#: Visible fractions of one card differ by less than this.
SLIVER: Final = 0.07
_EPSILON: Final = float(np.finfo(np.float32).eps)


@dataclass(slots=True, eq=False)
class CardTrack:
    """A card that lies at one place, as one picture shows it or several do."""

    quad: Floats
    """Its corners on the table (4 x 2 mm, from its own top left) in the last picture."""
    px: NDArray[np.float32]
    """Its corners in that picture (4 x 2 px)."""
    visible: float
    """Its visible fraction there."""
    reading: Floats
    """The posterior over the deck's classes, back and unknown, from that picture alone."""
    p_object: float = 1.0
    """Probability that something is there, not just the table."""
    key: int = 0
    """Its number; 0 before it is tracked."""
    since: float = 0.0
    """Time of the first frame that showed it at its position, s."""
    absent: float | None = None
    """Time of the last frame that showed its position without it, s; None if unknown."""
    on: tuple[int, ...] = ()
    """Keys of the cards directly below it."""
    max_visible: float = 0.0
    """The largest visible fraction so far."""
    posterior: Floats = field(init=False)
    """The class posterior from all readings."""
    _readings: Floats = field(init=False)
    """The sum of the logarithms of all readings, weighted by how much of the card each showed."""
    _weight: float = 0.0
    """The sum of these weights."""

    def __post_init__(self) -> None:
        self._readings = np.zeros_like(self.reading)
        self._read()

    @property
    def at(self) -> Floats:
        """The center of the card, mm."""
        return np.asarray(self.quad.mean(axis=0), np.float64)

    @property
    def class_id(self) -> int:
        """The most likely class."""
        return int(self.posterior.argmax())

    @property
    def is_card(self) -> bool:
        """Whether it is probably a card of the deck, face up or down."""
        return float(self.posterior[-1]) < LIKELY

    def show(self, now: CardTrack) -> None:
        """Take over what a further picture shows; a reading that is the one before says nothing more."""
        is_new = not np.allclose(self.reading, now.reading)
        self.quad, self.px, self.visible = now.quad, now.px, now.visible
        self.reading, self.p_object = now.reading, now.p_object
        if is_new:
            self._read()

    def _read(self) -> None:
        # Readings of an unmoved card are hardly independent: they are averaged. Strips are misread with high confidence and weigh less.
        weight = self.visible**2
        self._readings = self._readings + weight * np.log(self.reading + _EPSILON)
        self._weight += weight
        self.max_visible = max(self.max_visible, self.visible)
        log_likelihood = min(1.0, (self.max_visible / STRIP_VISIBLE) ** 2) * self._readings / self._weight
        p = np.exp(log_likelihood - log_likelihood.max())
        self.posterior = np.asarray(p / p.sum(), np.float64)


class CardTracker:
    """The cards of one table."""

    def __init__(self) -> None:
        self.all: list[CardTrack] = []
        self._keys = itertools.count(1)

    def update(self, time: float, detected: list[CardTrack]) -> None:
        """Replace the tracks by the cards of a picture taken at ``time`` (s)."""
        tracks = self.at_same_places(detected)
        for index, card in enumerate(detected):
            if index in tracks:
                tracks[index].show(card)
            else:
                tracks[index], card.key, card.since = card, next(self._keys), time
        self.all = sorted(tracks.values(), key=lambda track: track.key)
        self._order_layers()

    def at_same_places(self, detected: list[CardTrack]) -> dict[int, CardTrack]:
        """Return the tracks of the cards of a picture that lay at their place before, by index."""
        if not self.all or not detected:
            return {}
        posteriors = np.array([each.posterior for each in detected])
        similarity = np.array([track.posterior for track in self.all]) @ posteriors.T
        distance = np.linalg.norm(
            np.array([track.at for track in self.all])[:, None] - np.array([each.at for each in detected]),
            axis=2,
        )
        tops = np.outer([track.posterior.max() for track in self.all], posteriors.max(axis=1))
        visible = np.minimum.outer([track.visible for track in self.all], [each.visible for each in detected])
        # Two readings of one whole card agree. One of a strip may say nothing: then they are as similar as to a uniform distribution.
        least = LIKELY * np.where(visible > MOSTLY_VISIBLE, tops, 1 / posteriors.shape[1])
        same = (distance < SAME_PLACE_MM) & (similarity > least)
        cost = np.where(same, distance / SAME_PLACE_MM - similarity, len(detected))
        rows, columns = optimal_assignment(cost)
        return {
            int(column): self.all[row] for row, column in zip(rows, columns, strict=True) if same[row, column]
        }

    def _order_layers(self) -> None:
        """Set which cards each card is on: of two overlapping cards, the less visible one is below."""
        for track in self.all:
            track.on = ()
        for upper, lower in itertools.permutations(self.all, 2):
            hidden = upper.visible - lower.visible
            if hidden > SLIVER and SLIVER < overlap(lower.quad, upper.quad) < 2 * hidden:
                upper.on = (*upper.on, lower.key)
