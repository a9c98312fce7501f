"""How well a look fits cards that lie as one supposes: log-likelihoods.

The eyes' probability of a name is a posterior over equally likely cards, so up to a constant it is the likelihood of what
was seen. A find that no card explains, and a card that no find shows, cost what their rates say. Rates are guesses of
the order of magnitude, by the eyes' own figures (`models/MODEL_CARD`): one that is off by two moves a score by 0.7,
and nothing is decided on less than three.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from math import dist, exp, log

from companion.hanafuda.cards import BACK, HANAFUDA, twin
from companion.observations import FIELD as FIELD_ZONE
from companion.observations import STOCK as STOCK_ZONE
from companion.observations import Observation, TrackedCard, captured_zone

__all__ = [
    "ELSEWHERE",
    "FIELD",
    "FIRST_OF",
    "FLOOR",
    "LIMBO",
    "STOCK",
    "SWAPPED",
    "TWINS",
    "DetectedCard",
    "Fit",
    "Spot",
    "detections_of",
    "fit",
    "zone_of",
]

FIELD = 0
"""The field; the captured cards of player n are zone n."""
ELSEWHERE = -1
STOCK = -2
LIMBO = 9
"""Where a card is on its way: it may be seen anywhere, or not at all."""

_ZONES = {FIELD_ZONE: FIELD, STOCK_ZONE: STOCK, captured_zone(1): 1, captured_zone(2): 2}
_INDEX = {card.id: card.index for card in HANAFUDA}


def _first(index: int) -> int:
    other = twin(HANAFUDA[index].id)
    return index if other is None else min(index, _INDEX[other])


FIRST_OF = tuple(_first(index) for index in range(len(HANAFUDA)))
"""By place in the deck order: the first of the two look-alikes, or the card itself."""
TWINS = tuple(tuple(index for index in range(48) if FIRST_OF[index] == first) for first in range(48))
"""By the first of look-alikes: all of them; nothing by the other."""

FLOOR = log(0.002)
"""That the eyes are sure of one card and it is another one."""
_FALSE = log(0.004 / 48)
"""A find where no card lies, read as some card."""
_REPEATED = log(0.02)
"""A second find of a card where it lies."""
_SAME_PLACE_MM = 25.0
_ASIDE = log(0.3)
"""Something beside the field and the piles, or among the piles what shows no card: a hand shown, a card of another deck."""
_SLIVER = 0.5
_SLIVER_IN_PILE = log(0.1)
"""A strip among the piles that is no card of its own, or read as another: cards in fans are found twice."""
_MISSED = {FIELD: log(0.001), LIMBO: log(0.5)}
_MISSED_IN_PILE = log(0.15)
SWAPPED = log(0.05)
"""That memory takes one card for another."""
_MIXED_TWIN = log(0.5)
_LOST = log(0.4)
"""That memory takes a card which it knows for a new one."""

_ELSEWHERE_SEEN = log(0.05)
_WRONG_ZONE = log(0.003)
_LATE = log(0.2)
"""A card that was captured in the last turns lies on the field still."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a card is supposed to lie."""

    zone: int
    covered: bool = False
    """Whether another card may hide it altogether."""
    late: bool = False
    """Whether it may not have been taken up yet (`zone` is then a pile)."""


@dataclass(slots=True)
class DetectedCard:
    """One sighting as the referee reads it."""

    key: int
    zone: int
    at: tuple[float, float]
    names: dict[int, float]
    """Log-probability by card (of look-alikes by the first), only of those that are more than noise."""
    known: int | None
    """The card that memory says it is, as agreed before."""
    weight: float
    """How much it counts (0-1): little for what is only remembered."""
    since: float
    visible: float
    on: tuple[int, ...] = ()
    back: float = 0.0
    """The probability that it lies face down."""
    floor: float = FLOOR
    """The log-probability of a card that is not among the names."""
    odd: bool = False
    """Whether it lay there already when the table was last agreed on, and was no card of it."""
    options: list[tuple[int, float]] = field(default_factory=list)
    """Cards with their log-likelihoods, look-alikes each for itself."""

    @property
    def top(self) -> int | None:
        """The likeliest card (of look-alikes the first)."""
        return max(self.names, key=self.names.__getitem__) if self.names else None

    @property
    def is_named(self) -> bool:
        """Whether it is more likely one card than any other, or none."""
        return self.top is not None and self.names[self.top] > log(0.5)

    def says(self, first: int) -> float:
        """Return the log-probability of a card (of look-alikes the first)."""
        return max(self.names.get(first, self.floor), self.floor)


@dataclass(slots=True)
class Fit:
    """How a look fits a supposed arrangement."""

    score: float
    matched: dict[int, DetectedCard]
    """The find that shows each card."""
    missed: list[int]
    """The cards that no find shows."""
    extra: list[DetectedCard]
    """The finds that no card explains."""
    astray: int = 0
    """How many of the matched cards lie in another zone than supposed."""
    misread: int = 0
    """How many of the matched cards the eyes took for others."""
    hidden_in_piles: float = 0.0
    """The part of the score that is cards of the piles which no find shows."""
    read_otherwise: float = 0.0
    """The part of the score that is cards which were agreed on and are read as others, at each look for the same reason."""


def zone_of(tracked: TrackedCard) -> int:
    """Return the zone of a sighting as a number."""
    return _ZONES.get(tracked.zone, ELSEWHERE)


def names_of(tracked: TrackedCard) -> tuple[dict[int, float], float]:
    """Return a sighting's cards (of look-alikes the first) with their probabilities, and that of a back."""
    shares: dict[int, float] = {}
    back = 0.0
    likely = tracked.likely or (((tracked.card, 0.95),) if tracked.card else ())
    for name, probability in likely:
        if name == BACK:
            back += probability
        elif (index := _INDEX.get(name)) is not None:
            first = FIRST_OF[index]
            shares[first] = shares.get(first, 0.0) + probability
    return shares, back


def detections_of(
    observation: Observation,
    names: Mapping[int, dict[int, float]],
    floors: Mapping[int, float],
    known: Mapping[int, int],
    met: Set[int],
    odd: Set[int],
) -> list[DetectedCard]:
    """Return the finds of a look, with the log-probabilities that memory has gathered for each key.

    `floors` are those of cards without a name; `met` are the cards that memory has a key for, and that are seen there; `odd`
    the keys of finds that were no card of the table when it was agreed on.
    """
    detections = []
    for tracked in observation.cards:
        _, back = names_of(tracked)
        zone = zone_of(tracked)
        reported = names.get(tracked.key, {})
        # What is left to cards without a name: little where the eyes are sure, much where they can tell nothing.
        left = max(0.0, 1.0 - back - sum(map(exp, reported.values()))) / len(HANAFUDA)
        found = DetectedCard(
            tracked.key,
            zone,
            tracked.at,
            reported,
            known.get(tracked.key),
            0.3 + 0.7 * min(1.0, tracked.visible / 0.4),
            tracked.since,
            tracked.visible,
            tracked.on,
            back,
            max(floors.get(tracked.key, FLOOR), log(left) if left else FLOOR),
            tracked.key in odd,
        )
        for first, logp in found.names.items():
            for index in TWINS[first]:
                found.options.append((index, _recalled(found, index, logp, met)))
        if found.known is not None and FIRST_OF[found.known] not in found.names:
            found.options.append((found.known, found.floor))
        if found.names or back < 0.5:
            detections.append(found)
    return detections


def _recalled(found: DetectedCard, index: int, logp: float, met: Set[int]) -> float:
    if found.known is None:
        return max(logp, found.floor) + (_LOST if index in met else 0.0)
    if found.known == index:
        return max(logp, found.floor)
    return max(logp, found.floor) + (_MIXED_TWIN if FIRST_OF[found.known] == FIRST_OF[index] else SWAPPED)


def _extra(found: DetectedCard, matched: Mapping[int, DetectedCard]) -> float:
    if not found.visible or found.odd:
        return _ASIDE  # what is only remembered may have been taken away unseen
    if found.zone < FIELD or found.back > 0.5 or (found.zone > FIELD and not found.is_named):
        return _ASIDE
    if found.zone > FIELD and found.visible < _SLIVER:
        return _SLIVER_IN_PILE
    if found.top is not None:
        for index in TWINS[found.top]:
            if index in matched and dist(matched[index].at, found.at) < _SAME_PLACE_MM:
                return _REPEATED
    return _FALSE


def _zone_cost(spot: Spot, zone: int) -> float:
    if spot.zone == zone:
        return 0.0
    if spot.zone == LIMBO:
        return _WRONG_ZONE if zone > FIELD else 0.0
    if spot.late and zone == FIELD:
        return _LATE
    return _ELSEWHERE_SEEN if zone == ELSEWHERE else _WRONG_ZONE


def _missed(spot: Spot) -> float:
    if spot.covered:
        return _MISSED[LIMBO]
    return _MISSED.get(spot.zone, _MISSED_IN_PILE)


def fit(detections: Iterable[DetectedCard], placed: Mapping[int, Spot]) -> Fit:
    """Match finds with supposed cards, the surest pairs first, and what is left over within its zone.

    Every card is matched once. What is left over on both sides in one zone is a card that the eyes took for another,
    where that is likelier than a false find and a missed card.
    """
    detections = list(detections)
    pairs = []
    for number, found in enumerate(detections):
        for index, logp in found.options:
            if (spot := placed.get(index)) is not None:
                cost = (logp + _zone_cost(spot, found.zone)) * found.weight
                gain = cost - _missed(spot) - _FALSE * found.weight
                if gain > 0:
                    pairs.append((gain, number, index, cost))
    pairs.sort(reverse=True)
    matched: dict[int, DetectedCard] = {}
    used: set[int] = set()
    score = 0.0
    for _, number, index, cost in pairs:
        if number not in used and index not in matched:
            used.add(number)
            matched[index] = detections[number]
            score += cost
    missed = [index for index in placed if index not in matched]
    extra = [found for number, found in enumerate(detections) if number not in used]
    if missed and extra:
        score += _misread(missed, extra, matched, placed)
    misread = sum(found.says(FIRST_OF[index]) <= found.floor for index, found in matched.items())
    score += sum(_missed(placed[index]) for index in missed)
    shown_anew = _shown_anew(extra, matched, placed)
    score += sum(_extra(found, matched) * found.weight for found in extra if found.key not in shown_anew)
    score += sum(shown_anew.values())
    in_piles = sum(_MISSED_IN_PILE for index in missed if placed[index].zone in (1, 2))
    astray = sum(
        placed[index].zone not in (found.zone, LIMBO) and found.zone >= FIELD
        for index, found in matched.items()
    )
    otherwise = sum(
        found.floor * found.weight
        for index, found in matched.items()
        if found.known == index and found.says(FIRST_OF[index]) <= found.floor
    )
    otherwise += sum(shown_anew.values())
    return Fit(score, matched, missed, extra, astray, misread, in_piles, otherwise)


def _shown_anew(
    extra: Sequence[DetectedCard], matched: Mapping[int, DetectedCard], placed: Mapping[int, Spot]
) -> dict[int, float]:
    """Return the finds in piles that may be cards which are only remembered there, misread, and what that costs, by key."""
    found: dict[int, float] = {}
    for zone in (1, 2):
        remembered = sum(
            spot.zone == zone and index in matched and not matched[index].visible
            for index, spot in placed.items()
        )
        anew = [each for each in extra if each.zone == zone and each.visible and each.is_named]
        found |= {each.key: max(FLOOR, _extra(each, matched)) * each.weight for each in anew[:remembered]}
    return found


def _misread(
    missed: list[int], extra: list[DetectedCard], matched: dict[int, DetectedCard], placed: Mapping[int, Spot]
) -> float:
    """Pair leftovers of one zone; return what that costs. Takes them out of both lists."""
    score = 0.0
    for found in tuple(extra):
        if found.zone < FIELD or not found.visible:
            continue
        for index in missed:
            if placed[index].zone == found.zone and _missed(placed[index]) + _FALSE < FLOOR:
                score += FLOOR * found.weight
                matched[index] = found
                missed.remove(index)
                extra.remove(found)
                break
    return score
