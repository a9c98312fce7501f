"""Tracking of cards over stable frames: association, accumulated evidence, and memory of covered cards.

Cards are at rest or jump under a hand, so detections are associated with tracks by position first and by their class posterior second,
without a motion model. The log-likelihoods of several readings of one card are added; repeated readings of an unmoved card are
hardly independent and count less.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

Floats = NDArray[np.float64]
PositionState = Literal["hidden", "unchanged", "visible"]
"""State of a track's position in the picture: covered by an object that is not a card, unchanged, or visible and changed."""

#: A detection within this distance (mm) of a track can be the same card: for fully visible cards, and for covered ones, whose corners
#: are less certain. Captured cards are as close as 8 mm to each other.
_SAME_POSITION: Final = 5.0
_SAME_POSITION_COVERED: Final = 9.0
#: The same after the camera was moved, mm.
_SAME_POSITION_MOVED_CAMERA: Final = 25.0
#: A card that moved by less than this (mm) keeps its time of placement.
_PUSHED: Final = 20.0
#: Minimum Bhattacharyya coefficient of two posteriors of one card: at the same position, and at another.
_MIN_SIMILARITY: Final = 0.12
_MIN_SIMILARITY_ELSEWHERE: Final = 0.6
#: Weight of a repeated reading of an unmoved card, and the number of readings that are accumulated.
_REPEATED_WEIGHT: Final = 0.5
_MAX_READINGS: Final = 3
#: Posteriors that differ by no more than this come from the same reading.
_SAME_READING: Final = 1e-5
#: If a reading shows this much more of the card, older readings get this weight.
_SHOWS_MORE: Final = 0.15
_OLDER_WEIGHT: Final = 0.3
#: A card of which other cards cover more than this fraction can be hidden by them.
_HIDDEN: Final = 0.3
#: A card with more than this visible fraction was hardly covered before.
_UNCOVERED: Final = 0.5
#: Two cards with more than this visible fraction are not so close to each other that they could be confused.
_SEPARATE: Final = 0.7
#: Tolerance for the combined error of visible fractions and quads, as a fraction of a card.
_AREA_TOLERANCE: Final = 0.2
#: A card with this visible fraction has full weight; narrower strips are misread with high confidence and weigh less, down to the minimum.
FULL_WEIGHT: Final = 0.35
_MIN_WEIGHT: Final = 0.02
#: What is more probable than this is more likely than all else together.
LIKELY: Final = 0.5
#: Probability required of a card before a remembered covered card of the same class is dropped in its favor.
_CONFIDENT: Final = 0.95
_EPSILON: Final = 1e-6


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

    @property
    def log_likelihood(self) -> Floats:
        """The log-likelihood of each class, weighted by the visible fraction."""
        weight = min(1.0, max((self.visible / FULL_WEIGHT) ** 2, _MIN_WEIGHT))
        return np.asarray(weight * np.log(self.posterior + _EPSILON), np.float64)


@dataclass(slots=True, eq=False)
class CardTrack:
    """A tracked card."""

    key: int
    detection: CardDetection
    """The last detection."""
    since: float
    """Time of the first frame that showed it at its position, s."""
    log_likelihood: Floats = field(repr=False)
    """The accumulated log-likelihood of each class."""
    absent: float | None = None
    """Time of the last frame that showed its position without it, s; None if unknown."""
    readings: int = 1
    max_visible: float = 0.0
    """The largest visible fraction so far."""
    visible: float = 0.0
    """The current visible fraction; 0 while it is covered."""
    on: tuple[int, ...] = ()
    """Keys of the cards directly below it."""
    rereads: int = 0
    """How often a new reading at an unchanged position was requested."""

    @property
    def posterior(self) -> Floats:
        """The class posterior from all readings."""
        return _normalize(self.log_likelihood)

    @property
    def class_id(self) -> int:
        """The most likely class."""
        return int(self.log_likelihood.argmax())

    @property
    def is_card(self) -> bool:
        """Whether it is probably a card of the deck, face up or down."""
        return float(self.posterior[-1]) < LIKELY

    @property
    def is_known(self) -> bool:
        """Whether one class, or the back, is more likely than all others together."""
        return float(self.posterior[:-1].max()) >= LIKELY

    @property
    def is_confident(self) -> bool:
        """Whether its class is confident and was read from more than a strip."""
        return self.max_visible > FULL_WEIGHT and float(self.posterior[:-1].max()) > _CONFIDENT

    def show(self, detection: CardDetection) -> None:
        """Take over position and visible fraction of a detection."""
        self.detection, self.visible = detection, detection.visible


class CardTracker:
    """The tracked cards of one table."""

    def __init__(self) -> None:
        self.all: list[CardTrack] = []
        self._keys = itertools.count(1)

    def update(
        self,
        time: float,
        detections: list[CardDetection],
        position_state: Callable[[CardTrack], PositionState],
        copies: Sequence[int],
        *,
        moved: bool = False,
    ) -> None:
        """Update the tracks with the detections of a picture taken at ``time`` (s).

        ``position_state`` returns the state of a track's position; ``copies`` is the number of cards of each class in the deck.
        With ``moved`` the camera has moved and positions are not comparable.
        """
        old, free = list(self.all), set(range(len(detections)))
        if moved:
            unmatched = self._match_after_move(old, detections, free, time)
        else:
            unmatched = self._match_in_place(old, detections, free)
        new = [detections[index].quad for index in free]
        exposed, hidden, unchanged = _by_state(
            unmatched, [each.quad for each in detections], new, None if moved else position_state
        )
        _reassign_nearby(unchanged, detections, free)
        found = self._match_elsewhere(exposed, detections, free, time)
        # A covered card can only have been exposed if the deck has no other card of its class.
        self._match_elsewhere(hidden, detections, free, time, copies)
        removed = {track.key for track in exposed} - found
        removed |= {track.key for track in hidden if not (track.visible or track.is_known)}
        removed |= {track.key for track in unchanged if not track.is_known}
        self.all = [track for track in old if track.key not in removed]
        for index in sorted(free):
            self._add(detections[index], time)
        self._drop_overlapping()
        self._merge_remembered(copies)
        self._order_layers()

    def _add(self, detection: CardDetection, time: float) -> None:
        visible = detection.visible
        self.all.append(
            CardTrack(
                next(self._keys),
                detection,
                time,
                detection.log_likelihood,
                max_visible=visible,
                visible=visible,
            )
        )

    def _drop_overlapping(self) -> None:
        """Drop the less confident of two tracks whose visible fractions contradict their overlap."""
        for one, other in itertools.combinations(tuple(self.all), 2):
            lower_visible = min(one.visible, other.visible)
            if lower_visible <= _AREA_TOLERANCE:  # checked first: most pairs contain a remembered card
                continue
            if lower_visible > 1 - _overlap(one.detection.quad, other.detection.quad) + _AREA_TOLERANCE:
                lost = min(one, other, key=lambda track: float(track.posterior[:-1].max()) * track.visible)
                self.all = [track for track in self.all if track is not lost]

    def _merge_remembered(self, copies: Sequence[int]) -> None:
        """Merge remembered cards into visible ones of the same class where the deck has no further copy."""
        for class_id, count in enumerate(copies):
            same = [track for track in self.all if track.class_id == class_id and track.is_known]
            by_key = {track.key: track for track in same}
            for distance, lost_key, visible_key in _remembered_pairs(same)[: max(len(same) - count, 0)]:
                lost, visible = by_key.get(lost_key), by_key.get(visible_key)
                if lost is None or visible is None:
                    continue
                if distance >= _SAME_POSITION_COVERED and not visible.is_confident:
                    continue
                visible.key = lost.key
                if distance < _PUSHED:
                    visible.since, visible.absent = lost.since, lost.absent
                del by_key[lost_key], by_key[visible_key]  # each card is merged at most once
                self.all = [track for track in self.all if track is not lost]

    def _match_in_place(
        self, tracks: list[CardTrack], detections: list[CardDetection], free: set[int]
    ) -> list[CardTrack]:
        """Associate detections with tracks at the same position; return the unmatched tracks."""
        matches = self._assign_by_position(tracks, detections)
        for index, match in matches.items():
            free.discard(match)
            _add_reading(tracks[index], detections[match])
        return [track for index, track in enumerate(tracks) if index not in matches]

    def _match_after_move(
        self, tracks: list[CardTrack], detections: list[CardDetection], free: set[int], time: float
    ) -> list[CardTrack]:
        """Associate by class, then by rough position, after the camera moved; return the unmatched tracks."""
        arrivals = [(track, track.since, track.absent) for track in tracks]
        found = self._match_elsewhere(tracks, detections, free, time)
        for track, since, absent in arrivals:
            track.since, track.absent = since, absent
        left, rest = [track for track in tracks if track.key not in found], sorted(free)
        matches = self._assign_by_position(
            left, [detections[index] for index in rest], min_radius=_SAME_POSITION_MOVED_CAMERA
        )
        for index, match in matches.items():
            free.discard(rest[match])
            _add_reading(left[index], detections[rest[match]])
        return [track for index, track in enumerate(left) if index not in matches]

    def _match_elsewhere(
        self,
        lost: list[CardTrack],
        detections: list[CardDetection],
        free: set[int],
        time: float,
        copies: Sequence[int] | None = None,
    ) -> set[int]:
        """Associate lost tracks with detections at other positions by class; return the keys of the matched ones.

        With ``copies``, only detections of classes of which the deck has no further card are considered.
        """
        rest = sorted(free)
        if copies is not None:
            class_ids = [int(detections[index].log_likelihood.argmax()) for index in rest]
            tracked = [track.class_id for track in self.all if track.visible or track in lost]
            exhausted = {
                class_id
                for class_id in set(class_ids)
                if class_id < len(copies)
                and class_ids.count(class_id) + tracked.count(class_id) > copies[class_id]
            }
            rest = [index for index, class_id in zip(rest, class_ids, strict=True) if class_id in exhausted]
        found = set()
        for track, match in self._assign_by_class(lost, [detections[index] for index in rest]):
            free.discard(rest[match])
            _relocate(track, detections[rest[match]], time)
            found.add(track.key)
        return found

    def _assign_by_position(
        self, tracks: list[CardTrack], detections: list[CardDetection], min_radius: float = 0.0
    ) -> dict[int, int]:
        """Return the index of the detection at each track's position, searched within at least ``min_radius`` mm."""
        if not tracks or not detections:
            return {}
        distance = np.linalg.norm(
            np.array([track.detection.at for track in tracks])[:, None]
            - np.array([each.at for each in detections]),
            axis=2,
        )
        similarity = _bhattacharyya(
            [track.posterior for track in tracks], [_normalize(each.log_likelihood) for each in detections]
        )
        visible = np.minimum.outer(
            [track.detection.visible for track in tracks], [each.visible for each in detections]
        )
        narrowing = (_SAME_POSITION - _SAME_POSITION_COVERED) * np.clip(2 * visible - 0.6, 0, 1)
        radius = np.maximum(_SAME_POSITION_COVERED + narrowing, min_radius)
        allowed = (distance < radius) & (similarity > _MIN_SIMILARITY)
        # Of two detections near a position, the more similar one is preferred.
        cost = np.where(allowed, distance / _SAME_POSITION_COVERED - 2 * similarity, 10.0)
        rows, columns = linear_sum_assignment(cost)
        return {
            int(row): int(column) for row, column in zip(rows, columns, strict=True) if allowed[row, column]
        }

    def _assign_by_class(
        self, tracks: list[CardTrack], detections: list[CardDetection]
    ) -> list[tuple[CardTrack, int]]:
        """Return pairs of tracks and detections with similar face-up posteriors; backs cannot be identified."""
        if not tracks or not detections:
            return []
        similarity = _bhattacharyya(
            [track.posterior[:-2] for track in tracks], [each.posterior[:-2] for each in detections]
        )
        rows, columns = linear_sum_assignment(-similarity)
        return [
            (tracks[row], int(column))
            for row, column in zip(rows, columns, strict=True)
            if similarity[row, column] > _MIN_SIMILARITY_ELSEWHERE
        ]

    def _order_layers(self) -> None:
        """Set which cards each card is on: of two overlapping cards, the less visible one is below."""
        for track in self.all:
            track.on = ()
        for upper, lower in itertools.permutations(self.all, 2):
            hidden = 1 - lower.visible
            if (
                upper.visible > lower.visible + 0.05
                and (shared := _overlap(lower.detection.quad, upper.detection.quad)) > 0.03
                and hidden > 0.5 * shared
            ):
                upper.on = (*upper.on, lower.key)


def _normalize(log_likelihood: Floats) -> Floats:
    p = np.exp(log_likelihood - log_likelihood.max())
    return np.asarray(p / p.sum(), np.float64)


def _by_state(
    tracks: list[CardTrack],
    quads: list[Floats],
    new: list[Floats],
    position_state: Callable[[CardTrack], PositionState] | None,
) -> tuple[list[CardTrack], list[CardTrack], list[CardTrack]]:
    """Return the tracks without a detection: those with an exposed position, the hidden ones, and those at an unchanged
    position, which the detector missed.

    ``quads``: all detections, ``new``: those that belong to no track. ``position_state`` is None after a move of the
    camera, when every position counts as changed.
    """
    exposed, hidden, unchanged = list[CardTrack](), list[CardTrack](), list[CardTrack]()
    for track in tracks:
        state = "visible" if position_state is None else position_state(track)
        if state == "unchanged":
            unchanged.append(track)
            continue
        # A card that was uncovered before can only be hidden by new cards.
        above = new if track.visible > _UNCOVERED and position_state is not None else quads
        is_hidden = state == "hidden" or is_covered(track.detection.quad, above)
        (hidden if is_hidden else exposed).append(track)
        track.visible = 0.0
    return exposed, hidden, unchanged


def is_covered(quad: Floats, others: list[Floats]) -> bool:
    """Return whether ``others`` cover so much of a quad that a card there may be hidden (4 x 2 mm each)."""
    return sum(_overlap(quad, other) for other in others) > _HIDDEN


def _overlap(quad: Floats, other: Floats) -> float:
    """Return the intersection of two quads as a fraction of the first."""
    if np.abs(quad.mean(axis=0) - other.mean(axis=0)).max() > 90:
        return 0.0
    area, _ = cv2.intersectConvexConvex(quad.astype(np.float32), other.astype(np.float32))
    return float(area) / max(abs(float(cv2.contourArea(quad.astype(np.float32)))), _EPSILON)


def _bhattacharyya(one: list[Floats], other: list[Floats]) -> Floats:
    """Return the n x m Bhattacharyya coefficients of two lists of distributions."""
    return np.asarray(np.sqrt(np.array(one)) @ np.sqrt(np.array(other)).T, np.float64)


def _remembered_pairs(tracks: list[CardTrack]) -> list[tuple[float, int, int]]:
    """Return the pairs of a remembered and a visible card: distance (mm) and keys, nearest first."""
    remembered = [track for track in tracks if not track.visible]
    visible = [track for track in tracks if track.visible]
    return sorted(
        (float(np.linalg.norm(lost.detection.at - other.detection.at)), lost.key, other.key)
        for lost, other in itertools.product(remembered, visible)
    )


def _reassign_nearby(tracks: list[CardTrack], detections: list[CardDetection], free: set[int]) -> None:
    """Associate a free detection close to an unchanged position with its track: it is another reading of the same card."""
    for track in tracks:
        distances = {
            index: float(np.linalg.norm(detections[index].at - track.detection.at))
            for index in free
            if min(detections[index].visible, track.visible) > _SEPARATE
        }
        match = min(distances, key=distances.__getitem__, default=None)
        if match is not None and distances[match] < _PUSHED:
            detection = detections[match]
            track.log_likelihood = track.log_likelihood + detection.log_likelihood
            track.readings, track.max_visible = track.readings + 1, max(track.max_visible, detection.visible)
            track.show(detection)
            free.discard(match)


def _add_reading(track: CardTrack, detection: CardDetection) -> None:
    """Accumulate another reading of a card that has not moved."""
    if np.allclose(track.detection.posterior, detection.posterior, atol=_SAME_READING):
        track.show(detection)
        return
    new = detection.log_likelihood
    if detection.visible > track.max_visible + _SHOWS_MORE or not track.is_known:
        track.log_likelihood = new + _OLDER_WEIGHT * track.log_likelihood
    elif track.readings < _MAX_READINGS and detection.visible > track.max_visible - 2 * _SHOWS_MORE:
        track.log_likelihood = track.log_likelihood + _REPEATED_WEIGHT * new
    track.readings += 1
    track.max_visible = max(track.max_visible, detection.visible)
    track.show(detection)


def _relocate(track: CardTrack, detection: CardDetection, time: float) -> None:
    """Move a track to a detection at another position, where its reading is nearly independent of the ones before."""
    track.log_likelihood = detection.log_likelihood + _REPEATED_WEIGHT * track.log_likelihood
    track.readings, track.rereads = 1, 0
    track.max_visible = max(detection.visible, min(track.max_visible, 0.5))
    if np.linalg.norm(track.detection.at - detection.at) > _PUSHED:
        track.since, track.absent = time, None
    track.show(detection)
