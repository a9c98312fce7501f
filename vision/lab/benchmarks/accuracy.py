"""What the looks at many pictures come to."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from companion.hanafuda.cards import BACK
from vision.lab.benchmarks.evaluation import Checked, Find, Looked
from vision.lab.benchmarks.ground_truth import TrueCard, same

__all__ = [
    "BANDS",
    "Band",
    "Corners",
    "Figures",
    "Share",
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
    "untold": "visible share not told",
    "down": "face down",
    "stranger": "of no deck known here",
}
"""The groups cards are told in: face-up ones by their visible share, then the others."""
_LEAST: Final = {"half": 0.5, "quarter": 0.25, "sliver": 0.12, "trace": 0.0}
_Z: Final = 1.959964
_BINS: Final = 15


@dataclass(frozen=True, slots=True)
class Share:
    """``hits`` of ``n``."""

    hits: int
    n: int

    @classmethod
    def of(cls, each: Iterable[bool]) -> Share:
        """Count how many are true."""
        counts = Counter(map(bool, each))
        return cls(counts[True], counts.total())

    @property
    def share(self) -> float | None:
        """0-1; None of nothing."""
        return self.hits / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The Wilson 95 % interval (0-1); None of nothing."""
        if not self.n:
            return None
        p, z2 = self.hits / self.n, _Z * _Z
        middle = (p + z2 / (2 * self.n)) / (1 + z2 / self.n)
        half = _Z * math.sqrt(p * (1 - p) / self.n + z2 / (4 * self.n**2)) / (1 + z2 / self.n)
        return max(0.0, middle - half), min(1.0, middle + half)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        share, interval = self.share, self.interval
        return {
            "hits": self.hits,
            "n": self.n,
            "share": None if share is None else round(share, 5),
            "wilson95": None if interval is None else [round(end, 5) for end in interval],
        }


@dataclass(frozen=True, slots=True)
class Corners:
    """Errors of ``n`` cards' corners, as shares of the card's width: ``sigma`` (root mean square of all their
    coordinates) and the ``median`` of the cards' own root mean squares.
    """

    n: int
    sigma: float | None
    median: float | None

    @classmethod
    def of(cls, errors: Sequence[float]) -> Corners:
        """Sum up the root mean square of each card."""
        if not errors:
            return cls(0, None, None)
        return cls(len(errors), float(np.sqrt(np.mean(np.square(errors)))), float(np.median(errors)))

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        told = {"sigma": self.sigma, "median": self.median}
        return {"n": self.n, **{name: None if v is None else round(v, 5) for name, v in told.items()}}


@dataclass(frozen=True, slots=True)
class Band:
    """The figures of one group of true cards.

    Of all its cards: ``found``, ``right`` (found and named rightly). Of those found: ``named`` (named rightly, twins
    counted as one), ``named_48`` (twins told apart), ``own`` and ``own_48`` (the same of the best guess before the
    assignment, however unsure), ``uncommitted``
    (left without a name), ``upright`` (the right end up). Of those given a name: ``wrong``. ``precision``: of the cards
    seen that themselves tell a visible share of this group, those that are true cards; None for groups that are no shares.
    """

    found: Share
    right: Share
    named: Share
    named_48: Share
    own: Share
    own_48: Share
    wrong: Share
    uncommitted: Share
    upright: Share
    corners: Corners
    precision: Share | None

    @property
    def n(self) -> int:
        """How many true cards there are."""
        return self.found.n

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
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
        told = {name: getattr(self, name) for name in shares}
        return {
            "n": self.n,
            **{name: share.to_dict() for name, share in told.items() if share is not None},
            "corners": self.corners.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of some pictures.

    ``exact``: pictures of which every card at least 25 % visible is right and nothing else was seen. ``exact_names``:
    the same of face-up cards, and nothing else was *named*. ``wrong``: of all names given, those not right, names for
    what is no card among them. ``extra``: finds that are no
    card, how many of them were named, and how many of those ``"back"``. ``order``: of overlapping pairs found, those whose upper card was seen as the upper one.
    ``ece_own`` and ``ece_named``: expected calibration error (15 bins) of the recogniser's own guesses and of names given.
    """

    pictures: int
    cards: int
    seen: int
    bands: Mapping[str, Band]
    exact: Share
    exact_names: Share
    precision: Share
    wrong: Share
    extra: int
    extra_named: int
    extra_backs: int
    order: Share
    ece_own: float | None
    ece_named: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return them as JSON has them."""
        rounded = {
            name: None if value is None else round(value, 5)
            for name, value in (("own", self.ece_own), ("named", self.ece_named))
        }
        return {
            "pictures": self.pictures,
            "cards": self.cards,
            "seen": self.seen,
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
    """Return the group of a true card, a slug of `BANDS`."""
    if card.card is None:
        return "stranger"
    if card.card == BACK:
        return "down"
    return "untold" if card.visible is None else _by_share(card.visible)


def _by_share(visible: float) -> str:
    return next(slug for slug, least in _LEAST.items() if visible >= least)


def is_right(told: str | None, card: TrueCard) -> bool:
    """Return whether a name is right for a true card; for a stranger that is none."""
    return told is None if card.card is None else same(told, card.card)


def _told(find: Find) -> str | None:
    return find.seen.card


def figures(looks: Sequence[Looked], told: Callable[[Find], str | None] = _told) -> Figures:
    """Count what came of the looks; ``told`` is the name that is taken as given."""
    checked = [card for each in looks for card in each.cards]
    finds = [pair for each in looks for pair in each.finds]
    groups: dict[str, list[Checked]] = {slug: [] for slug in BANDS}
    for card in checked:
        groups[band_of(card.truth)].append(card)
    named = [(find, true) for find, true in finds if told(find) is not None]
    extra = [told(find) for find, true in finds if true is None]
    return Figures(
        pictures=len(looks),
        cards=len(checked),
        seen=len(finds),
        bands={slug: _band(slug, group, finds, told) for slug, group in groups.items() if group},
        exact=Share.of(_exact(each, told) for each in looks),
        exact_names=Share.of(_exact_names(each, told) for each in looks),
        precision=Share.of(true is not None for _, true in finds),
        wrong=Share.of(true is None or not is_right(told(find), true.truth) for find, true in named),
        extra=len(extra),
        extra_named=sum(name is not None for name in extra),
        extra_backs=extra.count(BACK),
        order=Share.of(right for each in looks for right in each.order),
        ece_own=calibration_error(
            [
                (find.own_sure, find.own is None if true is None else is_right(find.own, true.truth))
                for find, true in finds
            ]
        ),
        ece_named=calibration_error(
            [
                (find.seen.confidence, true is not None and is_right(find.seen.card, true.truth))
                for find, true in finds
                if find.seen.card is not None
            ]
        ),
    )


def _band(
    slug: str,
    group: Sequence[Checked],
    finds: Sequence[tuple[Find, Checked | None]],
    told: Callable[[Find], str | None],
) -> Band:
    found = [(card, card.find) for card in group if card.find is not None]
    like = [true is not None for find, true in finds if _by_share(find.seen.visible) == slug]
    return Band(
        found=Share(len(found), len(group)),
        right=Share(sum(is_right(told(find), card.truth) for card, find in found), len(group)),
        named=Share.of(is_right(told(find), card.truth) for card, find in found),
        named_48=Share.of(told(find) == card.truth.card for card, find in found if card.truth.is_one_card),
        own=Share.of(is_right(find.own, card.truth) for card, find in found),
        own_48=Share.of(find.own == card.truth.card for card, find in found if card.truth.is_one_card),
        wrong=Share.of(
            not is_right(told(find), card.truth) for card, find in found if told(find) is not None
        ),
        uncommitted=Share.of(told(find) is None for _, find in found),
        upright=Share.of(card.upright for card, _ in found if card.upright is not None),
        corners=Corners.of([card.corners for card, _ in found if card.corners is not None]),
        precision=Share.of(like) if slug in _LEAST else None,
    )


def _counts(card: TrueCard) -> bool:
    """Return whether a card must be right for its picture to be."""
    return card.visible is None or card.visible >= 0.25


def _card_right(card: Checked, told: Callable[[Find], str | None]) -> bool:
    if card.find is None:
        return card.truth.card is None
    return is_right(told(card.find), card.truth)


def _exact(each: Looked, told: Callable[[Find], str | None]) -> bool:
    return not each.extra and all(_card_right(card, told) for card in each.cards if _counts(card.truth))


def _exact_names(each: Looked, told: Callable[[Find], str | None]) -> bool:
    up = [card for card in each.cards if _counts(card.truth) and card.truth.card != BACK]
    return all(_card_right(card, told) for card in up) and all(told(find) is None for find in each.extra)


def calibration_error(sure: Sequence[tuple[float, bool]]) -> float | None:
    """Return the expected calibration error of (probability, whether right) in 15 bins; None of nothing."""
    if not sure:
        return None
    p, right = np.array([each[0] for each in sure]), np.array([each[1] for each in sure], float)
    bins = np.clip((p * _BINS).astype(int), 0, _BINS - 1)
    gaps = [abs(float((p - right)[bins == k].sum())) for k in range(_BINS)]
    return sum(gaps) / len(sure)


def faults(each: Looked) -> tuple[int, int]:
    """Return how bad a look was: wrong names and names for nothing, then cards missed or unnamed and other extras."""
    found = [(card, card.find) for card in each.cards if card.find is not None]
    named = [(card, find) for card, find in found if find.seen.card is not None]
    wrong = sum(not is_right(find.seen.card, card.truth) for card, find in named)
    wrong += sum(find.seen.card is not None for find in each.extra)
    missed = sum(not _card_right(card, _told) for card in each.cards if _counts(card.truth))
    return wrong, missed + len(each.extra)


def times(looks: Sequence[Looked]) -> dict[str, dict[str, float]]:
    """Return the median and the 95th percentile of each stage's ms, in the stages' order."""
    return {
        stage: {
            "median": round(float(np.median([each.ms[stage] for each in looks])), 2),
            "p95": round(float(np.percentile([each.ms[stage] for each in looks], 95)), 2),
        }
        for stage in looks[0].ms
    }
