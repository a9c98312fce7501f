"""Cards detected in frames with motion, between two observations: which cards appeared, when and where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from companion.observations import TransientDetection, WeakDetection
from vision.tracking.card_tracks import FULL_WEIGHT, SAME_PLACE_MM

Floats = NDArray[np.float64]

#: Minimum probability of a transient detection that shows enough of its card; the pair suffices for a single detection.
_MIN_PROBABILITY: Final = 0.8
_SINGLE_MIN_VISIBLE: Final = 0.6
_SINGLE_MIN_PROBABILITY: Final = 0.97
#: Minimum probability of a weak detection; narrow strips are weighted down.
_WEAK_MIN_PROBABILITY: Final = 0.4


class _MotionDetection(NamedTuple):
    """A detection of a card away from its last position; ``single``: clear enough to count by itself."""

    class_id: int
    time: float
    at: Floats
    single: bool


class MotionDetections:
    """Collects the detections between two observations."""

    def __init__(self) -> None:
        self._detections: list[_MotionDetection] = []
        self._weak: dict[int, tuple[float, Floats]] = {}  # the most probable one of each class

    def add(self, class_id: int, time: float, at: Floats, visible: float, probability: float) -> None:
        """Add a detection at ``at`` (mm) of a card that was not there at the last observation; ``time`` in s."""
        if visible >= FULL_WEIGHT and probability >= _MIN_PROBABILITY:
            single = visible >= _SINGLE_MIN_VISIBLE and probability >= _SINGLE_MIN_PROBABILITY
            self._detections.append(_MotionDetection(class_id, time, at, bool(single)))
        weighted = float(probability * min(1.0, visible / FULL_WEIGHT))
        best = round(self._weak[class_id][0], 3) if class_id in self._weak else 0.0
        if weighted >= _WEAK_MIN_PROBABILITY and weighted > best:
            self._weak[class_id] = weighted, at

    def times(self, class_id: int, other_positions: Sequence[Floats]) -> list[float]:
        """Return when a class was detected, except near ``other_positions`` (mm) of further cards of the class."""
        return [
            each.time
            for each in self._detections
            if each.class_id == class_id
            and not any(np.linalg.norm(each.at - at) < SAME_PLACE_MM for at in other_positions)
        ]

    def take(
        self,
        classes: Sequence[Sequence[str]],
        zone: Callable[[tuple[float, float]], str],
        absent: Callable[[Floats], float | None],
    ) -> tuple[tuple[TransientDetection, ...], tuple[WeakDetection, ...]]:
        """Return the transient and weak detections, and start again.

        ``classes`` holds the card ids of each class; classes beyond it (back, unknown) are left out. A card is transient if it
        was detected twice or once clearly; its first detection is returned. ``absent`` returns when a position (mm) was last seen
        without a card, s. Weak detections are of the remaining cards.
        """
        weights = Counter[int]()
        for each in self._detections:
            weights[each.class_id] += 2 if each.single else 1
        first: dict[int, _MotionDetection] = {}
        for each in self._detections:
            if each.class_id < len(classes) and weights[each.class_id] > 1:
                first.setdefault(each.class_id, each)
        transient = tuple(
            TransientDetection(
                classes[each.class_id][0], each.time, (at := rounded(each.at)), zone(at), absent(each.at)
            )
            for each in first.values()
        )
        transient_cards = {each.card for each in transient}
        weak = tuple(
            WeakDetection(classes[class_id][0], round(probability, 3), rounded(at))
            for class_id, (probability, at) in self._weak.items()
            if class_id < len(classes) and classes[class_id][0] not in transient_cards
        )
        self._detections, self._weak = [], {}
        return transient, weak


def rounded(at: Floats) -> tuple[float, float]:
    """Return a position in mm, rounded to 0.1 mm."""
    return round(float(at[0]), 1), round(float(at[1]), 1)
