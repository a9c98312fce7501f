"""Cards detected in frames with motion, between two observations: which cards appeared, when and where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import dist

from companion.hanafuda.cards import BACK
from companion.observations import TransientDetection
from vision.geometry.fitting import Floats
from vision.photograph.acceptance import MOSTLY_VISIBLE, STRIP_VISIBLE
from vision.tracking.card_tracks import LIKELY, SAME_PLACE_MM


class MotionDetections:
    """Collects the detections between two observations. Cards are named by the first of look-alikes, `BACK`, or "" if unknown."""

    def __init__(self) -> None:
        self._detections: list[TransientDetection] = []
        self._weak: dict[str, TransientDetection] = {}  # the most probable one of each card

    def add(self, card: str, time: float, at: Floats, visible: float, probability: float) -> None:
        """Add a detection at ``at`` (mm) of a card that was not there at the last observation; ``time`` in s."""
        if visible >= STRIP_VISIBLE and probability > LIKELY:
            read = float(visible * probability)  # how much of this card was read
            self._detections.append(TransientDetection(card, rounded(at), time, p=read))
        p = round(float(probability * min(1.0, visible / STRIP_VISIBLE)), 3)
        if p > (self._weak[card].p if card in self._weak else LIKELY):
            self._weak[card] = TransientDetection(card, rounded(at), p=p)

    def times(self, card: str, other_positions: Sequence[Floats]) -> list[float]:
        """Return when a card was detected, except near ``other_positions`` (mm) of further ones of the name."""
        return [
            each.time
            for each in self._detections
            if each.card == card and not any(dist(each.at, at) < SAME_PLACE_MM for at in other_positions)
        ]

    def take(
        self,
        zone: Callable[[tuple[float, float]], str],
        absent: Callable[[tuple[float, float]], float | None],
    ) -> tuple[tuple[TransientDetection, ...], tuple[TransientDetection, ...]]:
        """Return the transient and weak detections, and start again.

        A card is transient if most of it was read, in all its detections together; the first of them is returned. ``absent`` returns when
        a position (mm) was last seen without a card, s. Weak detections are of the remaining cards.
        """
        read = defaultdict[str, float](float)
        for each in self._detections:
            read[each.card] += each.p
        first: dict[str, TransientDetection] = {}
        for each in self._detections:
            if read[each.card] > MOSTLY_VISIBLE and each.card not in {BACK, ""}:
                first.setdefault(each.card, each)
        transient = tuple(
            replace(each, zone=zone(each.at), absent=absent(each.at), p=1.0) for each in first.values()
        )
        weak = tuple(each for card, each in self._weak.items() if card not in {*first, BACK, ""})
        self._detections, self._weak = [], {}
        return transient, weak


def rounded(at: Floats) -> tuple[float, float]:
    """Return a position in mm, rounded to 0.1 mm."""
    return round(float(at[0]), 1), round(float(at[1]), 1)
