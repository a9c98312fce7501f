"""Accuracy figures of the scanner over many annotated pictures."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from companion.hanafuda.cards import BACK
from hanafuda_training.benchmarks.evaluation import EvaluatedCard, EvaluatedDetection, EvaluatedPicture
from hanafuda_training.benchmarks.ground_truth import TrueCard, same

__all__ = [
    "BANDS",
    "Band",
    "Corners",
    "Figures",
    "Proportion",
    "band_of",
    "calibration_error",
    "faults",
    "figures",
    "is_right",
    "times",
]

BANDS: Final[Mapping[str, str]] = {
    "half": "at least 50 % visible",
    "quarter": "25-50 % visible",
    "sliver": "12-25 % visible",
    "trace": "under 12 % visible",
    "unannotated": "visible fraction not annotated",
    "down": "face down",
    "unknown-deck": "of an unknown deck",
}
"""Groups of true cards: face-up cards by visible fraction, then the others."""
_MIN_VISIBLE: Final = {"half": 0.5, "quarter": 0.25, "sliver": 0.12, "trace": 0.0}
_Z: Final = 1.959964
_BINS: Final = 15


@dataclass(frozen=True, slots=True)
class Proportion:
    """A proportion: ``hits`` of ``n``."""

    hits: int
    n: int

    @classmethod
    def of(cls, values: Iterable[bool]) -> Proportion:
        """Count the true values."""
        counts = Counter(map(bool, values))
        return cls(counts[True], counts.total())

    @property
    def fraction(self) -> float | None:
        """The proportion (0-1); None if ``n`` is 0."""
        return self.hits / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The Wilson 95 % confidence interval (0-1); None if ``n`` is 0."""
        if not self.n:
            return None
        p, z2 = self.hits / self.n, _Z * _Z
        center = (p + z2 / (2 * self.n)) / (1 + z2 / self.n)
        half = _Z * math.sqrt(p * (1 - p) / self.n + z2 / (4 * self.n**2)) / (1 + z2 / self.n)
        return max(0.0, center - half), min(1.0, center + half)

    def to_dict(self) -> dict[str, Any]:
        """Return the proportion in its JSON form."""
        fraction, interval = self.fraction, self.interval
        return {
            "hits": self.hits,
            "n": self.n,
            "share": None if fraction is None else round(fraction, 5),
            "wilson95": None if interval is None else [round(end, 5) for end in interval],
        }


@dataclass(frozen=True, slots=True)
class Corners:
    """Corner errors of ``n`` cards as fractions of the card width: ``sigma`` is the root mean square of all
    coordinates, ``median`` the median of the root mean squares of the single cards.
    """

    n: int
    sigma: float | None
    median: float | None

    @classmethod
    def of(cls, errors: Sequence[float]) -> Corners:
        """Summarize the root mean square error of each card."""
        if not errors:
            return cls(0, None, None)
        return cls(len(errors), float(np.sqrt(np.mean(np.square(errors)))), float(np.median(errors)))

    def to_dict(self) -> dict[str, Any]:
        """Return the errors in their JSON form."""
        values = {"sigma": self.sigma, "median": self.median}
        return {"n": self.n, **{name: None if v is None else round(v, 5) for name, v in values.items()}}


@dataclass(frozen=True, slots=True)
class Band:
    """The figures of one group of true cards.

    Of all its cards: ``found``, and ``right`` (found and named correctly). Of the found cards: ``named``
    (named correctly, twins counted as the same card), ``named_48`` (twins distinguished), ``own`` and
    ``own_48`` (the same for the recognizer's best guess before the name assignment, whatever its
    probability), ``uncommitted`` (left unnamed), ``upright`` (orientation correct). Of the named cards:
    ``wrong``. ``precision``: of the detections whose reported visible fraction belongs to this group, the
    proportion that are true cards; None for groups that are not defined by a visible fraction.
    """

    found: Proportion
    right: Proportion
    named: Proportion
    named_48: Proportion
    own: Proportion
    own_48: Proportion
    wrong: Proportion
    uncommitted: Proportion
    upright: Proportion
    corners: Corners
    precision: Proportion | None

    @property
    def n(self) -> int:
        """Number of true cards."""
        return self.found.n

    def to_dict(self) -> dict[str, Any]:
        """Return the figures in their JSON form."""
        shares = (
            "found",
            "precision",
            "right",
            "named",
            "named_48",
            "own",
            "own_48",
            "wrong",
            "uncommitted",
            "upright",
        )
        proportions = {name: getattr(self, name) for name in shares}
        return {
            "n": self.n,
            **{name: share.to_dict() for name, share in proportions.items() if share is not None},
            "corners": self.corners.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a set of pictures.

    ``exact``: pictures in which every card at least 25 % visible is correct and nothing else was detected.
    ``exact_names``: pictures in which every such face-up card is correct and nothing else was *named*.
    ``wrong``: of all reported names, the wrong ones, including names of detections that are not cards.
    ``extra``: detections that are not cards; ``extra_named``: those of them that were named; ``extra_backs``:
    those named ``"back"``. ``order``: of the overlapping pairs that were found, those whose upper card was
    recognized as the upper one. ``ece_own`` and ``ece_named``: expected calibration error (15 bins) of the
    recognizer's best guesses and of the reported names.
    """

    pictures: int
    cards: int
    reported: int
    bands: Mapping[str, Band]
    exact: Proportion
    exact_names: Proportion
    precision: Proportion
    wrong: Proportion
    extra: int
    extra_named: int
    extra_backs: int
    order: Proportion
    ece_own: float | None
    ece_named: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the figures in their JSON form."""
        rounded = {
            name: None if value is None else round(value, 5)
            for name, value in (("own", self.ece_own), ("named", self.ece_named))
        }
        return {
            "pictures": self.pictures,
            "cards": self.cards,
            "seen": self.reported,
            "exact": self.exact.to_dict(),
            "exact_names": self.exact_names.to_dict(),
            "precision": self.precision.to_dict(),
            "wrong": self.wrong.to_dict(),
            "extra": self.extra,
            "extra_named": self.extra_named,
            "extra_backs": self.extra_backs,
            "order": self.order.to_dict(),
            "ece": rounded,
            "bands": {slug: band.to_dict() for slug, band in self.bands.items()},
        }


def band_of(card: TrueCard) -> str:
    """Return the group of a true card, a key of `BANDS`."""
    if card.card is None:
        return "unknown-deck"
    if card.card == BACK:
        return "down"
    return "unannotated" if card.visible is None else _visibility_band(card.visible)


def _visibility_band(visible: float) -> str:
    return next(slug for slug, minimum in _MIN_VISIBLE.items() if visible >= minimum)


def is_right(name: str | None, card: TrueCard) -> bool:
    """Return whether a name is correct for a true card; a card of an unknown deck must have no name."""
    return name is None if card.card is None else same(name, card.card)


def _reported_name(detection: EvaluatedDetection) -> str | None:
    return detection.reported.card


def figures(
    pictures: Sequence[EvaluatedPicture], name_of: Callable[[EvaluatedDetection], str | None] = _reported_name
) -> Figures:
    """Compute the figures of evaluated pictures; ``name_of`` returns the name counted as reported for a
    detection.
    """
    checked = [card for picture in pictures for card in picture.cards]
    detections = [pair for picture in pictures for pair in picture.detections]
    extra_names = [name_of(detection) for detection, true in detections if true is None]
    return Figures(
        pictures=len(pictures),
        cards=len(checked),
        reported=len(detections),
        bands=_bands(checked, detections, name_of),
        exact=Proportion.of(_exact(picture, name_of) for picture in pictures),
        exact_names=Proportion.of(_exact_names(picture, name_of) for picture in pictures),
        precision=Proportion.of(true is not None for _, true in detections),
        wrong=Proportion.of(
            not _is_named_right(name_of(detection), true)
            for detection, true in detections
            if name_of(detection) is not None
        ),
        extra=len(extra_names),
        extra_named=len(extra_names) - extra_names.count(None),
        extra_backs=extra_names.count(BACK),
        order=Proportion.of(right for picture in pictures for right in picture.order),
        ece_own=_own_calibration_error(detections),
        ece_named=_named_calibration_error(detections),
    )


_Detections = Sequence[tuple[EvaluatedDetection, EvaluatedCard | None]]
"""Detections, each with its true card; None if it is not a card."""


def _is_named_right(name: str | None, true: EvaluatedCard | None) -> bool:
    """Return whether a detection is a card and the name is correct for it."""
    return true is not None and is_right(name, true.truth)


def _own_calibration_error(detections: _Detections) -> float | None:
    """Return the calibration error of the recognizer's best guesses; none is right if there is no card."""
    return calibration_error(
        [
            (
                detection.own_confidence,
                detection.own is None if true is None else is_right(detection.own, true.truth),
            )
            for detection, true in detections
        ]
    )


def _named_calibration_error(detections: _Detections) -> float | None:
    """Return the calibration error of the reported names."""
    return calibration_error(
        [
            (detection.reported.confidence, _is_named_right(detection.reported.card, true))
            for detection, true in detections
            if detection.reported.card is not None
        ]
    )


def _bands(
    checked: Sequence[EvaluatedCard],
    detections: _Detections,
    name_of: Callable[[EvaluatedDetection], str | None],
) -> dict[str, Band]:
    """Return the figures of each group that has cards."""
    groups: dict[str, list[EvaluatedCard]] = {slug: [] for slug in BANDS}
    for card in checked:
        groups[band_of(card.truth)].append(card)
    return {slug: _band(slug, group, detections, name_of) for slug, group in groups.items() if group}


def _band(
    slug: str,
    group: Sequence[EvaluatedCard],
    detections: _Detections,
    name_of: Callable[[EvaluatedDetection], str | None],
) -> Band:
    found = [(card, card.detection) for card in group if card.detection is not None]
    names = [(name_of(detection), card.truth) for card, detection in found]
    named, named_48 = _right_names(names)
    own, own_48 = _right_names([(detection.own, card.truth) for card, detection in found])
    true_detections = [
        true is not None
        for detection, true in detections
        if _visibility_band(detection.reported.visible) == slug
    ]
    return Band(
        found=Proportion(len(found), len(group)),
        right=Proportion(named.hits, len(group)),
        named=named,
        named_48=named_48,
        own=own,
        own_48=own_48,
        wrong=Proportion.of(not is_right(name, truth) for name, truth in names if name is not None),
        uncommitted=Proportion.of(name is None for name, _ in names),
        upright=Proportion.of(card.upright for card, _ in found if card.upright is not None),
        corners=Corners.of([card.corners for card, _ in found if card.corners is not None]),
        precision=Proportion.of(true_detections) if slug in _MIN_VISIBLE else None,
    )


def _right_names(names: Sequence[tuple[str | None, TrueCard]]) -> tuple[Proportion, Proportion]:
    """Return the names that are right, with twins counted as the same card and with twins distinguished."""
    return (
        Proportion.of(is_right(name, truth) for name, truth in names),
        Proportion.of(name == truth.card for name, truth in names if truth.is_one_card),
    )


def _counts(card: TrueCard) -> bool:
    """Return whether the card must be correct for its picture to count as exact."""
    return card.visible is None or card.visible >= 0.25


def _card_right(card: EvaluatedCard, name_of: Callable[[EvaluatedDetection], str | None]) -> bool:
    if card.detection is None:
        return card.truth.card is None
    return is_right(name_of(card.detection), card.truth)


def _exact(picture: EvaluatedPicture, name_of: Callable[[EvaluatedDetection], str | None]) -> bool:
    return not picture.extra and all(
        _card_right(card, name_of) for card in picture.cards if _counts(card.truth)
    )


def _exact_names(picture: EvaluatedPicture, name_of: Callable[[EvaluatedDetection], str | None]) -> bool:
    face_up = [card for card in picture.cards if _counts(card.truth) and card.truth.card != BACK]
    return all(_card_right(card, name_of) for card in face_up) and all(
        name_of(detection) is None for detection in picture.extra
    )


def calibration_error(predictions: Sequence[tuple[float, bool]]) -> float | None:
    """Return the expected calibration error of (probability, correct) pairs in 15 bins of equal width; None
    if there are no pairs.
    """
    if not predictions:
        return None
    p, right = np.array([pair[0] for pair in predictions]), np.array([pair[1] for pair in predictions], float)
    bins = np.clip((p * _BINS).astype(int), 0, _BINS - 1)
    gaps = [abs(float((p - right)[bins == k].sum())) for k in range(_BINS)]
    return sum(gaps) / len(predictions)


def faults(picture: EvaluatedPicture) -> tuple[int, int]:
    """Return the errors in a picture: (wrong names, including names of detections that are not cards; cards
    missed or not named correctly, plus extra detections).
    """
    found = [(card, card.detection) for card in picture.cards if card.detection is not None]
    named = [(card, detection) for card, detection in found if detection.reported.card is not None]
    wrong = sum(not is_right(detection.reported.card, card.truth) for card, detection in named)
    wrong += sum(detection.reported.card is not None for detection in picture.extra)
    missed = sum(not _card_right(card, _reported_name) for card in picture.cards if _counts(card.truth))
    return wrong, missed + len(picture.extra)


def times(pictures: Sequence[EvaluatedPicture]) -> dict[str, dict[str, float]]:
    """Return the median and the 95th percentile of the duration of each stage, ms, in the order of the
    stages.
    """
    return {
        stage: {
            "median": round(float(np.median([picture.ms[stage] for picture in pictures])), 2),
            "p95": round(float(np.percentile([picture.ms[stage] for picture in pictures], 95)), 2),
        }
        for stage in pictures[0].ms
    }
