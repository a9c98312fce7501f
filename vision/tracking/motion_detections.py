"""Cards detected in frames with motion, between two observations: which cards appeared, when and where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import dist

from companion.hanafuda.cards import BACK
from companion.observations import ELSEWHERE, TrackedCard
from vision.geometry.fitting import Floats
from vision.photograph.acceptance import MOSTLY_VISIBLE, STRIP_VISIBLE
from vision.tracking.card_tracks import LIKELY, SAME_PLACE_MM


class MotionDetections:
    """Collects the detections between two observations. Cards are named by the first of look-alikes, `BACK`, or "" if unknown."""

    def __init__(self) -> None:
        # by card; the probability of each detection is how much of the card was read
        self._detections = defaultdict[str, list[TrackedCard]](list)
        self._weak: dict[str, TrackedCard] = {}  # the most probable one of each card

    def add(self, card: str, time: float, at: Floats, visible: float, probability: float) -> None:
        """Add a detection at ``at`` (mm) of a card that was not there at the last observation; ``time`` in s."""
        if visible >= STRIP_VISIBLE and probability > LIKELY:
            self._detections[card].append(_in_motion(card, float(visible * probability), at, time))
        p = round(float(probability * min(1.0, visible / STRIP_VISIBLE)), 3)
        if p > (self._weak[card].likeliest[1] if card in self._weak else LIKELY):
            self._weak[card] = _in_motion(card, p, at)

    def times(self, card: str, other_positions: Sequence[Floats]) -> list[float]:
        """Return when a card was detected, except near ``other_positions`` (mm) of further ones of the name."""
        return [
            each.since
            for each in self._detections[card]
            if not any(dist(each.at, at) < SAME_PLACE_MM for at in other_positions)
        ]

    def take(
        self,
        zone: Callable[[tuple[float, float]], str],
        absent: Callable[[tuple[float, float]], float | None],
    ) -> tuple[tuple[TrackedCard, ...], tuple[TrackedCard, ...]]:
        """Return the transient and weak detections, and start again.

        A card is transient if most of it was read, in all its detections together; the first of them is returned. ``absent`` returns when
        a position (mm) was last seen without a card, s. Weak detections are of the remaining cards.
        """
        first = {
            card: detections[0]
            for card, detections in self._detections.items()
            if sum(each.likeliest[1] for each in detections) > MOSTLY_VISIBLE
        }
        transient = tuple(
            replace(each, likely=((card, 1.0),), zone=zone(each.at), absent=absent(each.at))
            for card, each in first.items()
            if card not in {BACK, ""}
        )
        weak = tuple(each for card, each in self._weak.items() if card not in {*first, BACK, ""})
        self._detections.clear()
        self._weak.clear()
        return transient, weak


def _in_motion(card: str, probability: float, at: Floats, time: float = 0.0) -> TrackedCard:
    return TrackedCard(0, card, ((card, probability),), ELSEWHERE, rounded(at), since=time)


def rounded(at: Floats) -> tuple[float, float]:
    """Return a position in mm, rounded to 0.1 mm."""
    return round(float(at[0]), 1), round(float(at[1]), 1)
