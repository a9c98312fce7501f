"""Observation history of a referee: card names accumulated over observations, card identities by track, and where and
when cards appeared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import dist, exp, log

from companion.hanafuda.cards import HANAFUDA
from companion.observations import FIELD as FIELD_ZONE
from companion.observations import STOCK as STOCK_ZONE
from companion.observations import HandEvent, Observation, TrackedCard
from companion.referee.card_likelihoods import (
    FIELD,
    FIRST_OF,
    FLOOR,
    LOOKALIKES,
    DetectedCard,
    Spot,
    detections_of,
    names_of,
)

_INDEX = {card.id: card.index for card in HANAFUDA}
_EARLIER_WEIGHT = 0.5
"""Weight of the log-probabilities of earlier observations beside a new one. Their errors are correlated, so it is
below 1."""
_EARLIER_FLOOR_WEIGHT = 0.33
"""The same for evidence against a card: a card misread once is likely to be misread again."""
_MIN_NAMED = log(0.5)
_MIN_FACE_DOWN = 0.5
"""Minimum probability of a back for a card that counts as face down."""
_STOCK_MM = 70.0
_TURNED_UP_MM = 50.0
_SAME_POSITION_MM, _ON_TOP_MM = 8.0, 30.0
_ON_LOOKALIKE = 0.5
"""Probability that a transient detection near the card's look-alike means that the card was laid on it; the
look-alike may also have been pushed."""
_NOISE = 0.005
"""Names with a lower probability are ignored."""


@dataclass(slots=True)
class CardAppearance:
    """First appearance of a hidden card since the last committed state."""

    observation: int
    """Number of the observation."""
    since: float | None
    """When it came to this position, s; None if the detected card may be its look-alike that was moved at that time."""
    at: tuple[float, float] | None
    """Its position on the field, mm; None in a captured pile."""
    hands: frozenset[int] = frozenset()
    """Seats from which hands reached over the table just before that observation, as far as known."""
    key: int | None = None
    """Track key of the detection; None if there was only a transient detection."""
    transient_at: tuple[float, float] | None = None
    """Position of the first transient detection, mm, wherever the card is now."""


@dataclass(slots=True)
class Memory:
    """Data kept between observations; none of it is game state."""

    names: dict[int, dict[int, float]] = field(default_factory=dict)
    """Log-probabilities by track key and card, accumulated over the observations."""
    floors: dict[int, float] = field(default_factory=dict)
    """Log-probability of any card not in `names`, by track key."""
    committed_cards: dict[int, int] = field(default_factory=dict)
    """Card of each track key in the last committed state."""
    unexplained: dict[int, float] = field(default_factory=dict)
    """Detections that were explained as no card of the table last time, such as duplicates or misread cards: track
    key to the time since which the detection has been in its position, s."""
    positions: dict[int, tuple[float, float]] = field(default_factory=dict)
    """Position of each card when the table was last committed, mm."""
    detected_in_piles: set[int] = field(default_factory=set)
    """Cards that have been detected in a captured pile."""
    detected: dict[int, set[tuple[int, float]]] = field(default_factory=dict)
    """Cards detected in any observation since the deal, each with its detections: the track key and the time since
    which it was in that position; key 0 for a transient detection. Cards missing here were inferred."""
    appeared: dict[int, CardAppearance] = field(default_factory=dict)
    """Hidden cards that have appeared since the last committed state."""
    first: dict[int, CardAppearance] = field(default_factory=dict)
    """First appearance of each track key; the card may have been recognized only later."""
    hand_events: list[tuple[int, HandEvent]] = field(default_factory=list)
    """Hand events since the last committed state, each with the number of the observation that followed it."""
    hands: frozenset[int] = frozenset()
    """Seats from which hands came since the previous observation, as far as known."""
    weak_detections: dict[int, float] = field(default_factory=dict)
    """Cards that may have been laid down since the last committed state (of look-alikes the first), with the
    probability that each was recognized correctly."""
    uncertain: dict[int, tuple[int, float]] = field(default_factory=dict)
    """Uncertain detections in the piles since the last committed state, by track key: a hidden card (of look-alikes
    the first) and its probability."""
    capture_times: dict[int, float] = field(default_factory=dict)
    """Time of the first transient detection of an open card in a captured pile since the last committed state, s: the
    card that captured it had come by then."""
    keys_below: dict[int, set[int]] = field(default_factory=dict)
    """For each track key, the keys it was detected on top of on the field since the last committed state."""
    untouched: dict[int, float] = field(default_factory=dict)
    """Last time at which each track key was seen unchanged since the table was committed, s."""
    watched: bool = False
    """Whether the source also observes the table in motion, reporting hands and cards as they are laid down."""
    stock: tuple[float, float] | None = None
    """Position of the stock, mm."""
    frame: str | None = None
    """Frame of the last committed state."""
    time: float = 0.0
    """Time of that frame, s."""
    observations: int = 0
    """Number of observations so far."""
    committed: int = 0
    """Number of the observation that showed the last committed state."""
    _zones: dict[int, str] = field(default_factory=dict)
    _replaced_since: dict[int, float] = field(default_factory=dict)
    """Tracks that replaced a lost track in a pile: track key to the time since which it has been in its position, s."""
    _mixed_up: set[int] = field(default_factory=set)
    """Track keys of cards that appeared at the same time as a look-alike was moved in a pile: one of the two was
    detected in motion, and it is unknown which."""
    _previous_time: float = 0.0

    def read(self, observation: Observation) -> list[DetectedCard]:
        """Record an observation and return its detections."""
        self.observations += 1
        self._carry_over_lost(observation)
        known = {
            tracked.key: self.committed_cards[tracked.key]
            for tracked in observation.cards
            if tracked.key in self.committed_cards and not self._is_replaced(tracked)
        }
        self._accumulate_names(observation.cards)
        self._record_positions(observation)
        self._record_hands(observation)
        detections = detections_of(
            observation,
            self.names,
            self.floors,
            known,
            self._visible_cards(observation, known),
            self._still_unexplained(observation),
        )
        self._mixed_up = self._mixed_up_keys(detections, observation.time)
        for detection in detections:
            self.first.setdefault(detection.key, self._appearance(detection))
        return detections

    def _is_replaced(self, tracked: TrackedCard) -> bool:
        """Return whether a card laid exactly on another may have taken over its track key."""
        since = max(self.time, self._replaced_since.get(tracked.key, 0.0))
        return self._zones.get(tracked.key) == tracked.zone and tracked.since > since

    def _accumulate_names(self, cards: Iterable[TrackedCard]) -> None:
        """Combine the names of cards that stayed in their positions with those of earlier observations."""
        accumulated: dict[int, dict[int, float]] = {}
        floors: dict[int, float] = {}
        for tracked in cards:
            probabilities, back_probability = names_of(tracked)
            names = {
                first: log(probability)
                for first, probability in probabilities.items()
                if probability > _NOISE
            }
            stayed = self._zones.get(tracked.key) == tracked.zone and tracked.since <= self._previous_time
            if stayed and tracked.key in self.names and back_probability < _MIN_FACE_DOWN:
                names = _combine(names, self.names[tracked.key])
                floors[tracked.key] = FLOOR + _EARLIER_FLOOR_WEIGHT * self.floors.get(tracked.key, FLOOR)
            accumulated[tracked.key] = names
        self.names, self.floors = accumulated, floors

    def _record_positions(self, observation: Observation) -> None:
        """Record the zones of tracks, the stock, and which field cards are on which others."""
        for tracked in observation.cards:
            if tracked.zone == STOCK_ZONE:
                self.stock = tracked.at
            elif tracked.zone == FIELD_ZONE and tracked.on:
                self.keys_below.setdefault(tracked.key, set()).update(tracked.on)
        self._zones = {tracked.key: tracked.zone for tracked in observation.cards}
        self.untouched |= dict(observation.untouched)
        self._previous_time = observation.time

    def _record_hands(self, observation: Observation) -> None:
        self.hand_events += ((self.observations, hand_event) for hand_event in observation.hand_events)
        self.hands = frozenset(
            hand_event.seat for hand_event in observation.hand_events if hand_event.seat is not None
        )
        self.watched = self.watched or bool(
            observation.hand_events or observation.transient_detections or observation.untouched
        )

    def _visible_cards(self, observation: Observation, known: Mapping[int, int]) -> set[int]:
        """Return the committed cards whose known key is visible: they do not appear under another key.

        None if most keys are new: tracking lost the whole table (the camera was bumped), not single cards.
        """
        if 2 * len(known) < len(self.committed_cards):
            return set()
        visible_keys = {tracked.key for tracked in observation.cards if tracked.visible}
        return {index for key, index in known.items() if key in visible_keys}

    def _mixed_up_keys(self, detections: Iterable[DetectedCard], now: float) -> set[int]:
        """Return the keys of detections that appeared when a look-alike in a pile was moved."""
        moved = {
            (detection.top, detection.since): detection.key
            for detection in detections
            if self.time < detection.since < now
            and self.committed_cards.get(detection.key) in self.detected_in_piles
        }
        return {
            detection.key
            for detection in detections
            if moved.get((detection.top, detection.since), detection.key) != detection.key
        }

    def _carry_over_lost(self, observation: Observation) -> None:
        """Carry over the card of a pile to a new track in the same position if tracking lost the old one and no hand
        came near.
        """
        if not self.watched or observation.hand_events or observation.transient_detections:
            return
        keys = {tracked.key for tracked in observation.cards}
        lost = {key: index for key, index in self.committed_cards.items() if key not in keys}
        for tracked in observation.cards:
            if tracked.key in self._zones or not tracked.zone.startswith("captured"):
                continue
            for key, index in lost.items():
                same_zone = self._zones.get(key) == tracked.zone and index in self.positions
                if same_zone and dist(self.positions[index], tracked.at) < _SAME_POSITION_MM:
                    self.committed_cards[tracked.key] = index
                    self._replaced_since[tracked.key] = tracked.since

    def _still_unexplained(self, observation: Observation) -> set[int]:
        return {each.key for each in observation.cards if self.unexplained.get(each.key) == each.since}

    def _appearance(self, detection: DetectedCard) -> CardAppearance:
        since = None if detection.key in self._mixed_up else detection.since
        return CardAppearance(
            self.observations,
            since,
            detection.at if detection.zone == FIELD else None,
            self.hands,
            detection.key,
        )

    def record_appeared(self, cards: Iterable[tuple[int, DetectedCard]]) -> None:
        """Record the hidden cards that an observation shows; if one of two look-alikes had appeared before, the later
        one is the new one.
        """
        by_card = dict(cards)
        for index, detection in by_card.items():
            lookalikes = [
                other for other in LOOKALIKES[FIRST_OF[index]] if other != index and other in by_card
            ]
            appeared_before = [other for other in lookalikes if other in self.appeared]
            latest = max(
                (detection, *(by_card[other] for other in appeared_before)), key=lambda each: each.since
            )
            self.appeared.setdefault(index, self._appearance(latest))

    def record_uncertain(self, detections: Sequence[DetectedCard], cards: Iterable[int]) -> None:
        """Remember which of some cards an uncertain strip in a pile may be; once the strip is no longer detected,
        that counts as a weak detection.
        """
        detected_keys = {detection.key for detection in detections}
        for first, p in (entry for key, entry in self.uncertain.items() if key not in detected_keys):
            self._record_weak(first, p)
        candidates = {FIRST_OF[index] for index in cards}
        for detection in detections:
            is_new = (
                detection.zone > FIELD
                and detection.visible > 0
                and detection.since > self.time
                and not detection.unexplained
            )
            if is_new and detection.top in candidates and detection.committed_card is None:
                self.uncertain[detection.key] = detection.top, exp(detection.log_probability(detection.top))

    def record_transient_detections(self, observation: Observation, hidden: int) -> None:
        """Record the hidden cards (a set of 48 bits) that were laid down before an observation, wherever they are
        now.

        If a look-alike is on the table and did not stay in its position, a transient detection does not tell whether
        the hidden card came or the look-alike was moved.
        """
        for transient in observation.transient_detections:
            index = _INDEX.get(transient.card)
            members = () if index is None else LOOKALIKES[FIRST_OF[index]]
            free = [member for member in members if hidden >> member & 1]
            on_table = [member for member in members if member not in free]
            if len(on_table) == 1 and transient.zone.startswith("captured"):
                self.capture_times.setdefault(on_table[0], transient.time)
            if not free:
                continue
            if self._stayed(on_table, transient.time, observation):
                at = transient.at if transient.zone == FIELD_ZONE else None
                appearance = CardAppearance(
                    self.observations, transient.time, at, self.hands, transient_at=transient.at
                )
                self.appeared.setdefault(free[0], appearance)
            elif self._on_lookalike(free[0], transient.at):
                self.weak_detections[FIRST_OF[free[0]]] = _ON_LOOKALIKE
        self._record_weak_detections(observation, hidden)

    def _record_weak_detections(self, observation: Observation, hidden: int) -> None:
        """Record the weak detections of cards of which all look-alikes are hidden."""
        for weak in observation.weak_detections:
            index = _INDEX.get(weak.card)
            if index is not None and all(hidden >> twin & 1 for twin in LOOKALIKES[FIRST_OF[index]]):
                self._record_weak(FIRST_OF[index], weak.p)

    def _record_weak(self, first: int, p: float) -> None:
        self.weak_detections[first] = max(p, self.weak_detections.get(first, 0.0))

    def _stayed(self, cards: Sequence[int], time: float, observation: Observation) -> bool:
        """Return whether cards of the committed state, all of them tracked, have not been moved since a time, s."""
        keys = [key for key, index in self.committed_cards.items() if index in cards]
        visible_since = {tracked.key: tracked.since for tracked in observation.cards if tracked.visible}
        return len(keys) == len(cards) and all(
            self.untouched.get(key, 0.0) >= time or visible_since.get(key, observation.time) < time
            for key in keys
        )

    def _on_lookalike(self, index: int, at: tuple[float, float]) -> bool:
        """Return whether a card was detected so near its look-alike's position that it was laid on it."""
        positions = (self.positions[twin] for twin in LOOKALIKES[FIRST_OF[index]] if twin in self.positions)
        return any(_SAME_POSITION_MM < dist(at, position) < _ON_TOP_MM for position in positions)

    def appearance_of(self, index: int, detection: DetectedCard | None) -> CardAppearance | None:
        """Return the first appearance of a card since the last committed state, by its name or by the track key of
        its detection.

        For a card that was committed before and no longer is, the first detection since the deal.
        """
        appearances = [self.appeared[index]] if index in self.appeared else []
        if detection is not None and (first := self.first[detection.key]).observation > self.committed:
            appearances.append(first)
        if not appearances and index in self.detected:
            appearances.append(
                CardAppearance(self.committed, min(since for _, since in self.detected[index]), None)
            )
        if not appearances:
            return None
        first = min(appearances, key=lambda first: first.observation)
        # It may have been laid in its current position, under a hand, before its first transient detection.
        times = [
            each.since
            for each in appearances
            if each.observation == first.observation and each.since is not None
        ]
        return replace(first, since=min(times, default=None))

    def last_uncovered_time(self, cards: Iterable[int]) -> float:
        """Return when cards were last seen with nothing on them, s: whatever captured them came later. 0 if unknown."""
        keys = [key for key, index in self.committed_cards.items() if index in set(cards)]
        return max((self.untouched.get(key, 0.0) for key in keys), default=0.0)

    def first_capture_time(self, cards: Iterable[int]) -> float | None:
        """Return when one of some cards was first detected in a captured pile since the last committed state, s; None
        if none was.
        """
        return min((self.capture_times[card] for card in cards if card in self.capture_times), default=None)

    def hands_before(self, observations: Iterable[int]) -> list[HandEvent]:
        """Return the hand events that preceded each of these observations, given by number."""
        numbers = set(observations)
        return [hand_event for number, hand_event in self.hand_events if number in numbers]

    def at_stock(self, hand_events: Iterable[HandEvent]) -> float | None:
        """Return when the first of these hands was at the stock, s; None if none was."""
        stock = self.stock
        return next(
            (
                hand_event.time
                for hand_event in hand_events
                if stock and dist(hand_event.at, stock) < _STOCK_MM
            ),
            None,
        )

    def is_at_stock(self, at: tuple[float, float]) -> bool:
        """Return whether a position (mm) is next to the stock, where cards are turned up before they are laid down."""
        return self.stock is not None and dist(at, self.stock) < _TURNED_UP_MM

    def cards_below(self, detection: DetectedCard | None) -> set[int]:
        """Return the committed cards on which a detection was seen on the field since the last committed state."""
        keys_below = self.keys_below.get(detection.key, set()) if detection else set()
        return {self.committed_cards[key] for key in keys_below if key in self.committed_cards}

    def forget_round(self) -> None:
        """Discard what is known of the previous round's cards."""
        self.detected_in_piles.clear()
        self.detected.clear()

    def commit(
        self,
        observation: Observation,
        matched: Mapping[int, DetectedCard],
        placed: Mapping[int, Spot],
        started: Mapping[int, CardAppearance] | None = None,
    ) -> None:
        """Record an observation as the committed state.

        ``matched`` has the detections by card, ``placed`` the position of each card by the rules. ``started`` has the
        cards of a turn that has begun since; its observations are kept.
        """
        for index in self.appeared.keys() & placed.keys():
            if (appearance := self.appeared[index]).key is None and appearance.since is not None:
                self.detected.setdefault(index, set()).add((0, appearance.since))
        self._identify(dict(self._by_known_card(matched, placed)))
        if started is None:
            self.unexplained = {
                each.key: each.since for each in observation.cards if each.key not in self.committed_cards
            }
        self.appeared = dict(started or {})
        if not started:
            self.hand_events.clear()
            self.untouched.clear()
            self.keys_below.clear()
            self.weak_detections.clear()
            self.uncertain.clear()
            self.capture_times.clear()
        self.frame, self.time, self.committed = observation.frame, observation.time, self.observations
        self.first = {key: appearance for key, appearance in self.first.items() if key in self._zones}

    def _identify(self, by_card: Mapping[int, DetectedCard]) -> None:
        """Record which card each track is, and where it is."""
        for index, detection in by_card.items():
            self.committed_cards[detection.key] = index
            self.positions[index] = detection.at
            if detection.visible > 0 and detection.log_probability(FIRST_OF[index]) > _MIN_NAMED:
                self.detected.setdefault(index, set()).add((detection.key, detection.since))
            if detection.zone > FIELD:
                self.detected_in_piles.add(index)
        # A card detected elsewhere no longer belongs to the track key that it once had.
        self.committed_cards = {
            key: index
            for key, index in self.committed_cards.items()
            if key in self._zones and (index not in by_card or by_card[index].key == key)
        }

    def _by_known_card(
        self, matched: Mapping[int, DetectedCard], placed: Mapping[int, Spot]
    ) -> Iterator[tuple[int, DetectedCard]]:
        """Yield detections by card. If one of two look-alikes in a pile is visible, it is taken to be the one that
        was detected before.
        """
        for index, detection in matched.items():
            for other in LOOKALIKES[FIRST_OF[index]]:
                swapped = other in self.detected and other not in matched and index not in self.detected
                if swapped and other in placed and placed[other].zone == placed[index].zone:
                    yield other, detection
                    break
            else:
                yield index, detection


def _combine(now: Mapping[int, float], before: Mapping[int, float]) -> dict[int, float]:
    """Return the combined evidence of two observations, as log-probabilities."""
    joint = {
        first: max(now.get(first, FLOOR), FLOOR) + _EARLIER_WEIGHT * max(before.get(first, FLOOR), FLOOR)
        for first in {*now, *before}
    }
    # Probability left over for any other card, or for a card of another deck.
    unnamed = _unnamed(now) * _unnamed(before) ** _EARLIER_WEIGHT
    total = log(sum(exp(value) for value in joint.values()) + unnamed)
    return {first: value - total for first, value in joint.items() if value - total > log(_NOISE)}


def _unnamed(names: Mapping[int, float]) -> float:
    return max(exp(FLOOR), 1.0 - sum(exp(value) for value in names.values()))
