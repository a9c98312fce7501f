"""Log-likelihood of an observation, given a hypothesis about the zone of each card.

The recognizer returns a posterior over equally likely cards, so up to a constant it is the likelihood of what the
camera saw. A detection that no card explains (false positive) and a card without a detection (miss) are penalized by
their rates. The rates are order-of-magnitude estimates from the recognizer's measured figures (`models/MODEL_CARD`). A
rate that is wrong by a factor of two changes a score by 0.7, and no decision is made on a difference of less than 3.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from math import dist, exp, log

from companion.hanafuda.cards import BACK, HANAFUDA, twin
from companion.observations import FIELD as FIELD_ZONE
from companion.observations import STOCK as STOCK_ZONE
from companion.observations import Observation, TrackedCard, captured_zone

FIELD = 0
"""Zone numbers: 0 is the field, 1 and 2 are the captured cards of players 1 and 2."""
ELSEWHERE = -1
"""Outside all zones."""
STOCK = -2
"""The draw pile."""
IN_TRANSIT = 9
"""The card is being moved: it may be detected anywhere, or not at all."""

_ZONES = {FIELD_ZONE: FIELD, STOCK_ZONE: STOCK, captured_zone(1): 1, captured_zone(2): 2}
_INDEX = {card.id: card.index for card in HANAFUDA}


def _first(index: int) -> int:
    other = twin(HANAFUDA[index].id)
    return index if other is None else min(index, _INDEX[other])


FIRST_OF = tuple(_first(index) for index in range(len(HANAFUDA)))
"""For each position in the deck order: the first of the two look-alikes, or the card itself."""
LOOKALIKES = tuple(tuple(index for index in range(48) if FIRST_OF[index] == first) for first in range(48))
"""For the first of a group of look-alikes: the positions of the whole group; empty for the second look-alike."""

FLOOR = log(0.002)
"""Log-likelihood that the recognizer is confident of one card and it is another one. The constants below are
log-likelihoods, too."""
_FALSE_POSITIVE = log(0.004 / 48)
"""False positive: a detection where there is no card, read as one particular card."""
_REPEATED = log(0.02)
"""A second detection of a card at its position."""
_SAME_PLACE_MM = 25.0
"""Within this distance from a card, a second detection is a duplicate."""
_ASIDE = log(0.3)
"""An unexplained detection that is common: outside the field and the piles, or an unnamed object among the piles, such
as a hand that is shown or a card of another deck."""
_SLIVER_VISIBLE = 0.5
"""In a pile, a detection with less than this visible fraction may be a mere strip of a card."""
_SLIVER_DETECTED_IN_PILE = log(0.1)
"""A strip in a pile that is a duplicate detection or misread: fanned cards are often detected twice."""
_MISS = {FIELD: log(0.001), IN_TRANSIT: log(0.5)}
"""A card has no detection, by its zone."""
_MISS_IN_PILE = log(0.15)
"""The same in a captured pile, where cards cover each other."""
SWAPPED = log(0.05)
"""A track key has moved from one card to another."""
_MIXED_LOOKALIKE = log(0.5)
"""The same for two look-alikes."""
_LOST = log(0.4)
"""A known card appears under a new track key."""

_DETECTED_ELSEWHERE = log(0.05)
"""A card is detected outside all zones instead of in its zone."""
_WRONG_ZONE = log(0.003)
"""A card is detected in another zone than expected."""
_LATE = log(0.2)
"""A card captured in the last turns is still on the field."""


@dataclass(frozen=True, slots=True)
class Spot:
    """The zone in which a card is expected."""

    zone: int
    """Zone number."""
    covered: bool = False
    """Whether another card may hide it completely."""
    may_be_on_field: bool = False
    """Whether it may not have been taken to the captured pile `zone` yet."""


@dataclass(slots=True)
class DetectedCard:
    """A tracked card in the form that the referee uses."""

    key: int
    """Track key."""
    zone: int
    """Zone number."""
    at: tuple[float, float]
    """Center, mm."""
    names: dict[int, float]
    """Log-probability by card (look-alikes under the first of them), only for cards above the noise level."""
    committed_card: int | None
    """The card of this track key in the committed state, or None."""
    weight: float
    """The weight of the detection in a score (0-1): 0.3 for a remembered card, 1 from a visible fraction of 0.4 on."""
    since: float
    """When it came to its position, s."""
    visible: float
    """Visible fraction (0-1); 0 for a card remembered under others."""
    on: tuple[int, ...] = ()
    """Keys of the cards directly below it."""
    back: float = 0.0
    """Probability that the card is face down."""
    floor: float = FLOOR
    """Log-probability of each card that is not in `names`."""
    unexplained: bool = False
    """Whether it was detected before the table was last committed, without being a card of the committed state."""
    options: list[tuple[int, float]] = field(default_factory=list)
    """Candidate cards with their log-likelihoods; look-alikes are listed individually."""

    @property
    def top(self) -> int | None:
        """The most likely card (the first of look-alikes), or None."""
        return max(self.names, key=self.names.__getitem__) if self.names else None

    @property
    def is_named(self) -> bool:
        """Whether one card has a probability above one half."""
        return self.top is not None and self.names[self.top] > log(0.5)

    def log_probability(self, first: int) -> float:
        """Return the log-probability of a card (the first of look-alikes), at least `floor`."""
        return max(self.names.get(first, self.floor), self.floor)


@dataclass(slots=True)
class Fit:
    """How well an observation fits a hypothesis about the zones of the cards."""

    score: float
    """Log-likelihood, up to a constant."""
    matched: dict[int, DetectedCard]
    """The detection assigned to each card."""
    missed: list[int]
    """The cards without a detection."""
    extra: list[DetectedCard]
    """The detections that no card explains."""
    misplaced: int = 0
    """Number of matched cards in another zone than expected."""
    misread: int = 0
    """Number of matched cards that the recognizer read as another card."""
    hidden_in_piles: float = 0.0
    """The part of the score due to cards of captured piles without a detection."""
    reread_score: float = 0.0
    """The part of the score due to committed cards that are now read as another card. The cause persists, so every
    observation pays for it again."""


def zone_of(tracked: TrackedCard) -> int:
    """Return the zone number of a tracked card."""
    return _ZONES.get(tracked.zone, ELSEWHERE)


def names_of(tracked: TrackedCard) -> tuple[dict[int, float], float]:
    """Return the probabilities of a tracked card by card index (look-alikes under the first of them), and the
    probability that it is face down."""
    probabilities: dict[int, float] = {}
    back = 0.0
    likely = tracked.likely or (((tracked.card, 0.95),) if tracked.card else ())
    for name, probability in likely:
        if name == BACK:
            back += probability
        elif (index := _INDEX.get(name)) is not None:
            first = FIRST_OF[index]
            probabilities[first] = probabilities.get(first, 0.0) + probability
    return probabilities, back


def detections_of(
    observation: Observation,
    names: Mapping[int, dict[int, float]],
    floors: Mapping[int, float],
    known: Mapping[int, int],
    visible_cards: Set[int],
    unexplained: Set[int],
) -> list[DetectedCard]:
    """Return the tracked cards of an observation as `DetectedCard` objects.

    `names` are the log-probabilities that memory has accumulated for each track key, and `floors` those of all other
    cards. `known` is the committed card of each key. `visible_cards` are the cards whose known key is visible in this
    observation. `unexplained` are the keys of detections that were not cards of the committed state when the table
    was last committed. Face-down cards without a name are left out.
    """
    detections = []
    for tracked in observation.cards:
        _, back = names_of(tracked)
        zone = zone_of(tracked)
        log_probabilities = names.get(tracked.key, {})
        # The remaining probability is spread over the deck: little if the recognizer is confident, much if it is not.
        remainder = max(0.0, 1.0 - back - sum(map(exp, log_probabilities.values()))) / len(HANAFUDA)
        detection = DetectedCard(
            tracked.key,
            zone,
            tracked.at,
            log_probabilities,
            known.get(tracked.key),
            0.3 + 0.7 * min(1.0, tracked.visible / 0.4),
            tracked.since,
            tracked.visible,
            tracked.on,
            back,
            max(floors.get(tracked.key, FLOOR), log(remainder) if remainder else FLOOR),
            tracked.key in unexplained,
        )
        for first, logp in detection.names.items():
            for index in LOOKALIKES[first]:
                detection.options.append((index, _log_likelihood(detection, index, logp, visible_cards)))
        if detection.committed_card is not None and FIRST_OF[detection.committed_card] not in detection.names:
            detection.options.append((detection.committed_card, detection.floor))
        if detection.names or back < 0.5:
            detections.append(detection)
    return detections


def _log_likelihood(detection: DetectedCard, index: int, logp: float, visible_cards: Set[int]) -> float:
    """Return the log-likelihood that a detection is a certain card, including what memory knows about its track key."""
    if detection.committed_card is None:
        return max(logp, detection.floor) + (_LOST if index in visible_cards else 0.0)
    if detection.committed_card == index:
        return max(logp, detection.floor)
    return max(logp, detection.floor) + (
        _MIXED_LOOKALIKE if FIRST_OF[detection.committed_card] == FIRST_OF[index] else SWAPPED
    )


def _unexplained(detection: DetectedCard, matched: Mapping[int, DetectedCard]) -> float:
    """Return the log-likelihood of a detection that no card explains."""
    if not detection.visible or detection.unexplained:
        return _ASIDE  # a remembered card may have been removed unnoticed
    if detection.zone < FIELD or detection.back > 0.5 or (detection.zone > FIELD and not detection.is_named):
        return _ASIDE
    if detection.zone > FIELD and detection.visible < _SLIVER_VISIBLE:
        return _SLIVER_DETECTED_IN_PILE
    if detection.top is not None:
        for index in LOOKALIKES[detection.top]:
            if index in matched and dist(matched[index].at, detection.at) < _SAME_PLACE_MM:
                return _REPEATED
    return _FALSE_POSITIVE


def _zone_cost(spot: Spot, zone: int) -> float:
    """Return the log-likelihood that a card expected at `spot` is detected in `zone`."""
    if spot.zone == zone:
        return 0.0
    if spot.zone == IN_TRANSIT:
        return _WRONG_ZONE if zone > FIELD else 0.0
    if spot.may_be_on_field and zone == FIELD:
        return _LATE
    return _DETECTED_ELSEWHERE if zone == ELSEWHERE else _WRONG_ZONE


def _miss(spot: Spot) -> float:
    """Return the log-likelihood that a card expected at `spot` has no detection."""
    if spot.covered:
        return _MISS[IN_TRANSIT]
    return _MISS.get(spot.zone, _MISS_IN_PILE)


def fit(detections: Iterable[DetectedCard], placed: Mapping[int, Spot]) -> Fit:
    """Assign detections to expected cards and return the log-likelihood.

    An unassigned detection and an unassigned card in the same zone are paired as a misread card if that is more likely
    than a false positive plus a miss.
    """
    matched, extra, score = _assign(list(detections), placed)
    missed = [index for index in placed if index not in matched]
    if missed and extra:
        score += _pair_misread(missed, extra, matched, placed)
    score += sum(_miss(placed[index]) for index in missed)
    reappeared = _reappeared_in_piles(extra, matched, placed)
    reappeared_score = sum(reappeared.values())
    score += _unexplained_score(extra, reappeared, matched)
    misread = {
        index: detection
        for index, detection in matched.items()
        if detection.log_probability(FIRST_OF[index]) <= detection.floor
    }
    reread_score = sum(
        detection.floor * detection.weight
        for index, detection in misread.items()
        if detection.committed_card == index
    )
    misplaced = sum(
        placed[index].zone not in (detection.zone, IN_TRANSIT) and detection.zone >= FIELD
        for index, detection in matched.items()
    )
    in_piles = sum(_MISS_IN_PILE for index in missed if placed[index].zone in (1, 2))
    return Fit(
        score + reappeared_score,
        matched,
        missed,
        extra,
        misplaced,
        len(misread),
        in_piles,
        reread_score + reappeared_score,
    )


def _assign(
    detections: Sequence[DetectedCard], placed: Mapping[int, Spot]
) -> tuple[dict[int, DetectedCard], list[DetectedCard], float]:
    """Assign detections to expected cards, greedily, best pairs first, one detection per card.

    Return the detection of each card, the unassigned detections, and the log-likelihood of the assigned ones.
    """
    pairs = []
    for position, detection in enumerate(detections):
        for index, logp in detection.options:
            if (spot := placed.get(index)) is not None:
                cost = (logp + _zone_cost(spot, detection.zone)) * detection.weight
                gain = cost - _miss(spot) - _FALSE_POSITIVE * detection.weight
                if gain > 0:
                    pairs.append((gain, position, index, cost))
    pairs.sort(reverse=True)
    matched: dict[int, DetectedCard] = {}
    used: set[int] = set()
    score = 0.0
    for _, position, index, cost in pairs:
        if position not in used and index not in matched:
            used.add(position)
            matched[index] = detections[position]
            score += cost
    extra = [detection for position, detection in enumerate(detections) if position not in used]
    return matched, extra, score


def _unexplained_score(
    extra: Iterable[DetectedCard], reappeared: Container[int], matched: Mapping[int, DetectedCard]
) -> float:
    """Return the log-likelihood of the detections that no card explains, except those with the keys `reappeared`."""
    return sum(
        _unexplained(detection, matched) * detection.weight
        for detection in extra
        if detection.key not in reappeared
    )


def _reappeared_in_piles(
    extra: Sequence[DetectedCard], matched: Mapping[int, DetectedCard], placed: Mapping[int, Spot]
) -> dict[int, float]:
    """Return the log-likelihoods, by key, of unexplained detections in piles that may be remembered cards, misread.

    There are at most as many of them in a pile as cards matched only from memory.
    """
    costs: dict[int, float] = {}
    for zone in (1, 2):
        remembered = sum(
            spot.zone == zone and index in matched and not matched[index].visible
            for index, spot in placed.items()
        )
        visible_extra = [
            detection
            for detection in extra
            if detection.zone == zone and detection.visible and detection.is_named
        ]
        costs |= {
            detection.key: max(FLOOR, _unexplained(detection, matched)) * detection.weight
            for detection in visible_extra[:remembered]
        }
    return costs


def _pair_misread(
    missed: list[int], extra: list[DetectedCard], matched: dict[int, DetectedCard], placed: Mapping[int, Spot]
) -> float:
    """Pair unassigned detections with unassigned cards of the same zone and return the log-likelihood of the
    misreadings.

    Moves the pairs from `missed` and `extra` to `matched`.
    """
    score = 0.0
    for detection in tuple(extra):
        if detection.zone < FIELD or not detection.visible:
            continue
        for index in missed:
            if placed[index].zone == detection.zone and _miss(placed[index]) + _FALSE_POSITIVE < FLOOR:
                score += FLOOR * detection.weight
                matched[index] = detection
                missed.remove(index)
                extra.remove(detection)
                break
    return score
