"""Cards detected in frames with motion, between two observations: which cards appeared, when and where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from companion.observations import TransientDetection, WeakDetection
from vision.geometry.fitting import Floats
from vision.photograph.acceptance import MOSTLY_VISIBLE, STRIP_VISIBLE
from vision.tracking.card_tracks import LIKELY, SAME_PLACE_MM


class _MotionDetection(NamedTuple):
    """A detection of a card away from its last position."""

    class_id: int
    time: float
    at: Floats
    read: float
    """How much of a card of this class was read: its visible fraction times its probability."""


class MotionDetections:
    """Collects the detections between two observations."""

    def __init__(self) -> None:
        self._detections: list[_MotionDetection] = []
        self._weak: dict[int, tuple[float, Floats]] = {}  # the most probable one of each class

    def add(self, class_id: int, time: float, at: Floats, visible: float, probability: float) -> None:
        """Add a detection at ``at`` (mm) of a card that was not there at the last observation; ``time`` in s."""
        if visible >= STRIP_VISIBLE and probability > LIKELY:
            self._detections.append(_MotionDetection(class_id, time, at, float(visible * probability)))
        weighted = float(probability * min(1.0, visible / STRIP_VISIBLE))
        best = round(self._weak[class_id][0], 3) if class_id in self._weak else LIKELY
        if weighted > best:
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

        ``classes`` holds the card ids of each class; classes beyond it (back, unknown) are left out. A card is transient if most
        of it was read, in all its detections together; the first of them is returned. ``absent`` returns when a position (mm) was last seen
        without a card, s. Weak detections are of the remaining cards.
        """
        read = defaultdict[int, float](float)
        for each in self._detections:
            read[each.class_id] += each.read
        first: dict[int, _MotionDetection] = {}
        for each in self._detections:
            if each.class_id < len(classes) and read[each.class_id] > MOSTLY_VISIBLE:
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
