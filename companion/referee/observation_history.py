"""What a referee keeps of earlier looks: names gathered over them, which card each key was, where and when cards came."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import dist, exp, log

from companion.hanafuda.cards import HANAFUDA
from companion.observations import HandEvent, Observation
from companion.referee.card_likelihoods import (
    FIELD,
    FIRST_OF,
    FLOOR,
    TWINS,
    DetectedCard,
    Spot,
    detections_of,
    names_of,
)

__all__ = ["CardAppearance", "Memory"]

_INDEX = {card.id: card.index for card in HANAFUDA}
_KEPT = 0.5
"""How much of what earlier looks said counts beside a new one: they err together, so not all of it."""
_KEPT_OF_DOUBT = 0.33
"""The same of what they said against a card: where they misread it once, they do so again."""
_NAMED = log(0.5)
_STOCK_MM = 70.0
_TURNED_UP_MM = 50.0
_SAME_MM, _UPON_MM = 8.0, 30.0
_UPON_ITS_LIKE = 0.5
"""That a card which was glimpsed near its look-alike was laid upon it: that one may have been pushed."""
_NOISE = 0.005
"""Probabilities under this are no clue to a card."""


@dataclass(slots=True)
class CardAppearance:
    """When a card that was hidden was first seen since the last agreed state."""

    observation: int
    """The number of the look."""
    since: float | None
    """When it came to lie there, s; None where it may be its look-alike, moved then, that was seen."""
    at: tuple[float, float] | None
    """Where on the field that was, mm; None in a pile."""
    hands: frozenset[int] = frozenset()
    """The seats from which hands came before that look, as far as that was told."""
    key: int | None = None
    """The key of the find that showed it, None where it was only glimpsed."""
    glimpsed: tuple[float, float] | None = None
    """Where it was glimpsed first, mm, whatever lies there."""


@dataclass(slots=True)
class Memory:
    """What is kept between looks; nothing of it is the state of the game."""

    names: dict[int, dict[int, float]] = field(default_factory=dict)
    """Log-probabilities by key and card, gathered over the looks."""
    floors: dict[int, float] = field(default_factory=dict)
    """Log-probabilities of the cards that are not among these, by key."""
    known: dict[int, int] = field(default_factory=dict)
    """The card of each key, as last agreed."""
    odd: dict[int, float] = field(default_factory=dict)
    """The finds that were no card of the table when it was explained last, by key, and since when each lay there: cards are found
    twice, or misread."""
    places: dict[int, tuple[float, float]] = field(default_factory=dict)
    """Where each card lay when the table was last agreed on, mm."""
    taken_up: set[int] = field(default_factory=set)
    """The cards that were seen in a pile."""
    met: dict[int, set[tuple[int, float]]] = field(default_factory=dict)
    """The cards that any look has shown since the deal, with the sights of each: its key and since when it lay there, or nothing of
    that sort for a glimpse. The others were inferred."""
    appeared: dict[int, CardAppearance] = field(default_factory=dict)
    """The cards that came to light since then."""
    first: dict[int, CardAppearance] = field(default_factory=dict)
    """When each key was seen first: a card may have been read only later."""
    hand_events: list[tuple[int, HandEvent]] = field(default_factory=list)
    """The hands since then, each with the number of the look that came after it."""
    hands: frozenset[int] = frozenset()
    """The seats from which hands came since the look before, as far as that was told."""
    weak_detections: dict[int, float] = field(default_factory=dict)
    """The cards that may have come down since then (of look-alikes the first), and how likely each was read rightly."""
    doubtful: dict[int, tuple[int, float]] = field(default_factory=dict)
    """What the finds of piles since then may have been that nobody is sure of, by key: a hidden card (of look-alikes the first), and
    how likely."""
    carried: dict[int, float] = field(default_factory=dict)
    """When open cards were first glimpsed in a pile since then, s: what took them had come."""
    upon: dict[int, set[int]] = field(default_factory=dict)
    """The keys upon which each key was seen to lie on the field since then."""
    untouched: dict[int, float] = field(default_factory=dict)
    """When each key was last seen to lie as the table was agreed on, s."""
    watched: bool = False
    """Whether anybody watches the table in motion, too: hands and cards that come down."""
    stock: tuple[float, float] | None = None
    """Where the stock lies, mm."""
    frame: str | None = None
    """The picture that showed the table as last agreed."""
    time: float = 0.0
    """When that was, s."""
    observations: int = 0
    """How many looks there were."""
    committed: int = 0
    """The number of the one that showed the table as last agreed."""
    _zones: dict[int, str] = field(default_factory=dict)
    _met_again: dict[int, float] = field(default_factory=dict)
    """Since when each key lies there that stands for one which was lost, s."""
    _mixed_up: set[int] = field(default_factory=set)
    """The keys of cards that came when a look-alike was moved in a pile: one was seen in motion, and nobody knows which."""
    _before: float = 0.0

    def read(self, observation: Observation) -> list[DetectedCard]:
        """Take in a look and return its finds."""
        self.observations += 1
        self._meet_again(observation)
        gathered: dict[int, dict[int, float]] = {}
        floors: dict[int, float] = {}
        known: dict[int, int] = {}
        for tracked in observation.cards:
            shares, back = names_of(tracked)
            names = {first: log(probability) for first, probability in shares.items() if probability > _NOISE}
            stayed = self._zones.get(tracked.key) == tracked.zone and tracked.since <= self._before
            # A card laid exactly upon another may take over its key.
            since = max(self.time, self._met_again.get(tracked.key, 0.0))
            new_here = self._zones.get(tracked.key) == tracked.zone and tracked.since > since
            if stayed and tracked.key in self.names and back < 0.5:
                names = _gather(names, self.names[tracked.key])
                floors[tracked.key] = FLOOR + _KEPT_OF_DOUBT * self.floors.get(tracked.key, FLOOR)
            gathered[tracked.key] = names
            if tracked.key in self.known and not new_here:
                known[tracked.key] = self.known[tracked.key]
            if tracked.zone == "stock":
                self.stock = tracked.at
            elif tracked.zone == "field" and tracked.on:
                self.upon.setdefault(tracked.key, set()).update(tracked.on)
        self._zones = {tracked.key: tracked.zone for tracked in observation.cards}
        self.names, self.floors = gathered, floors
        self._before = observation.time
        self.hand_events += ((self.observations, hand_event) for hand_event in observation.hand_events)
        self.hands = frozenset(
            hand_event.seat for hand_event in observation.hand_events if hand_event.seat is not None
        )
        self.watched = self.watched or bool(
            observation.hand_events or observation.transient_detections or observation.untouched
        )
        self.untouched |= dict(observation.untouched)
        # Where most keys are new, memory has lost the table (the camera was knocked), not single cards.
        kept = 2 * len(known) >= len(self.known)
        # What is not seen where it was may come to light under another key.
        shown = {tracked.key for tracked in observation.cards if tracked.visible}
        met = {index for key, index in known.items() if key in shown} if kept else set()
        detections = detections_of(observation, gathered, floors, known, met, self._odd_still(observation))
        moved = {
            (found.top, found.since): found.key
            for found in detections
            if self.time < found.since < observation.time and self.known.get(found.key) in self.taken_up
        }
        self._mixed_up = {
            found.key for found in detections if moved.get((found.top, found.since), found.key) != found.key
        }
        for found in detections:
            self.first.setdefault(found.key, self._seen(found))
        return detections

    def _meet_again(self, observation: Observation) -> None:
        """Keep what each card of a pile is, though the eyes lost it and found it anew where it was, and no hand came near."""
        if not self.watched or observation.hand_events or observation.transient_detections:
            return
        keys = {tracked.key for tracked in observation.cards}
        lost = {key: index for key, index in self.known.items() if key not in keys}
        for tracked in observation.cards:
            if tracked.key in self._zones or not tracked.zone.startswith("captured"):
                continue
            for key, index in lost.items():
                there = self._zones.get(key) == tracked.zone and index in self.places
                if there and dist(self.places[index], tracked.at) < _SAME_MM:
                    self.known[tracked.key] = index
                    self._met_again[tracked.key] = tracked.since

    def _odd_still(self, observation: Observation) -> set[int]:
        return {each.key for each in observation.cards if self.odd.get(each.key) == each.since}

    def _seen(self, found: DetectedCard) -> CardAppearance:
        since = None if found.key in self._mixed_up else found.since
        return CardAppearance(
            self.observations, since, found.at if found.zone == FIELD else None, self.hands, found.key
        )

    def note(self, cards: Iterable[tuple[int, DetectedCard]]) -> None:
        """Note the hidden cards that a look shows; where one of two look-alikes had come before, the other came last."""
        shown = dict(cards)
        for index, found in shown.items():
            alike = [other for other in TWINS[FIRST_OF[index]] if other != index and other in shown]
            before = [other for other in alike if other in self.appeared]
            last = max((found, *(shown[other] for other in before)), key=lambda each: each.since)
            self.appeared.setdefault(index, self._seen(last))

    def note_doubtful(self, detections: Sequence[DetectedCard], cards: Iterable[int]) -> None:
        """Keep in mind which of some cards a strip in a pile may have been: once it is not seen any more, that is a hint."""
        shown = {found.key for found in detections}
        for first, p in (doubt for key, doubt in self.doubtful.items() if key not in shown):
            self.weak_detections[first] = max(p, self.weak_detections.get(first, 0.0))
        may_be = {FIRST_OF[index] for index in cards}
        for found in detections:
            new = found.zone > FIELD and found.visible > 0 and found.since > self.time and not found.odd
            if new and found.top in may_be and found.known is None:
                self.doubtful[found.key] = found.top, exp(found.says(found.top))

    def note_transient_detections(self, observation: Observation, hidden: int) -> None:
        """Note the cards of a hidden set that came down before a look, wherever they are now.

        Where a look-alike lies open and did not stay where it was, a glimpse does not tell whether the other came or that one
        was moved.
        """
        shown = {tracked.key: tracked.since for tracked in observation.cards if tracked.visible}
        for transient in observation.transient_detections:
            index = _INDEX.get(transient.card)
            members = () if index is None else TWINS[FIRST_OF[index]]
            free = [member for member in members if hidden >> member & 1]
            for member in set(members) - set(free) if transient.zone.startswith("captured") else ():
                if len(members) - len(free) == 1:
                    self.carried.setdefault(member, transient.time)
            if not free:
                continue
            lying = [key for key, member in self.known.items() if member in members and member not in free]
            stayed = (
                self.untouched.get(key, 0.0) >= transient.time
                or shown.get(key, observation.time) < transient.time
                for key in lying
            )
            if len(free) + len(lying) == len(members) and all(stayed):
                at = transient.at if transient.zone == "field" else None
                self.appeared.setdefault(
                    free[0],
                    CardAppearance(self.observations, transient.time, at, self.hands, glimpsed=transient.at),
                )
            elif self._lies_upon_its_like(free[0], transient.at):
                self.weak_detections[FIRST_OF[free[0]]] = _UPON_ITS_LIKE
        for hint in observation.weak_detections:
            index = _INDEX.get(hint.card)
            if index is not None and all(hidden >> twin & 1 for twin in TWINS[FIRST_OF[index]]):
                self.weak_detections[FIRST_OF[index]] = max(
                    hint.p, self.weak_detections.get(FIRST_OF[index], 0.0)
                )

    def _lies_upon_its_like(self, index: int, at: tuple[float, float]) -> bool:
        """Return whether a card was seen so near where its look-alike lay that it was laid upon that one."""
        places = (self.places[twin] for twin in TWINS[FIRST_OF[index]] if twin in self.places)
        return any(_SAME_MM < dist(at, place) < _UPON_MM for place in places)

    def came(self, index: int, found: DetectedCard | None) -> CardAppearance | None:
        """Return when a card came to light since the last agreed state, by its name or by the key of its find.

        Of one that was agreed on, but is not any more, when it was met.
        """
        known = [self.appeared[index]] if index in self.appeared else []
        if found is not None and (seen := self.first[found.key]).observation > self.committed:
            known.append(seen)
        if not known and index in self.met:
            known.append(CardAppearance(self.committed, min(since for _, since in self.met[index]), None))
        if not known:
            return None
        seen = min(known, key=lambda seen: seen.observation)
        # Where it lies now it may have come down before it was glimpsed, from under a hand.
        times = [
            each.since for each in known if each.observation == seen.observation and each.since is not None
        ]
        return replace(seen, since=min(times, default=None))

    def not_before(self, cards: Iterable[int]) -> float:
        """Return when cards were last seen with nothing on them, s: what took them came after that; 0 where nobody saw."""
        keys = [key for key, index in self.known.items() if index in set(cards)]
        return max((self.untouched.get(key, 0.0) for key in keys), default=0.0)

    def taken_by(self, cards: Iterable[int]) -> float | None:
        """Return when one of some cards was seen in a pile first since the last agreed state, s; None where nobody saw it."""
        return min((self.carried[card] for card in cards if card in self.carried), default=None)

    def hands_before(self, observations: Iterable[int]) -> list[HandEvent]:
        """Return the hands between a look and the one before it, for each of these."""
        numbers = set(observations)
        return [hand_event for number, hand_event in self.hand_events if number in numbers]

    def at_stock(self, hand_events: Iterable[HandEvent]) -> float | None:
        """Return when a hand was at the stock first, s."""
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
        """Return whether a place is one where cards are turned up before they are laid down."""
        return self.stock is not None and dist(at, self.stock) < _TURNED_UP_MM

    def lay_upon(self, found: DetectedCard | None) -> set[int]:
        """Return the cards, as last agreed, upon which a find was seen to lie on the field since."""
        below = self.upon.get(found.key, set()) if found else set()
        return {self.known[key] for key in below if key in self.known}

    def dealt(self) -> None:
        """Forget the cards of the round before."""
        self.taken_up.clear()
        self.met.clear()

    def agree(
        self,
        observation: Observation,
        matched: Mapping[int, DetectedCard],
        placed: Mapping[int, Spot],
        started: Mapping[int, CardAppearance] | None = None,
    ) -> None:
        """Keep what a look shows as the agreed state: the finds by card, and where each card lies by the rules.

        ``started``: the cards of a turn that has begun since. What was seen of it is kept then.
        """
        for index in self.appeared.keys() & placed.keys():
            if (seen := self.appeared[index]).key is None and seen.since is not None:
                self.met.setdefault(index, set()).add((0, seen.since))
        shown = dict(self._as_known(matched, placed))
        for index, found in shown.items():
            self.known[found.key] = index
            self.places[index] = found.at
            if found.visible > 0 and found.says(FIRST_OF[index]) > _NAMED:
                self.met.setdefault(index, set()).add((found.key, found.since))
            if found.zone > FIELD:
                self.taken_up.add(index)
        # A card that was found elsewhere is not the one that once had its key.
        self.known = {
            key: index
            for key, index in self.known.items()
            if key in self._zones and (index not in shown or shown[index].key == key)
        }
        if started is None:
            self.odd = {each.key: each.since for each in observation.cards if each.key not in self.known}
        self.appeared = dict(started or {})
        if not started:
            self.hand_events.clear()
            self.untouched.clear()
            self.upon.clear()
            self.weak_detections.clear()
            self.doubtful.clear()
            self.carried.clear()
        self.frame, self.time, self.committed = observation.frame, observation.time, self.observations
        self.first = {key: seen for key, seen in self.first.items() if key in self._zones}

    def _as_known(
        self, matched: Mapping[int, DetectedCard], placed: Mapping[int, Spot]
    ) -> Iterator[tuple[int, DetectedCard]]:
        """Yield finds by card; of two look-alikes in a pile of which one is seen, that is the one which was seen before."""
        for index, found in matched.items():
            for other in TWINS[FIRST_OF[index]]:
                alike = other in self.met and other not in matched and index not in self.met
                if alike and other in placed and placed[other].zone == placed[index].zone:
                    yield other, found
                    break
            else:
                yield index, found


def _gather(now: Mapping[int, float], before: Mapping[int, float]) -> dict[int, float]:
    """Return what two looks say together, as log-probabilities."""
    joint = {
        first: max(now.get(first, FLOOR), FLOOR) + _KEPT * max(before.get(first, FLOOR), FLOOR)
        for first in {*now, *before}
    }
    # What neither look names may be any card, or none of the deck's.
    unnamed = _unnamed(now) * _unnamed(before) ** _KEPT
    total = log(sum(exp(value) for value in joint.values()) + unnamed)
    return {first: value - total for first, value in joint.items() if value - total > log(_NOISE)}


def _unnamed(names: Mapping[int, float]) -> float:
    return max(exp(FLOOR), 1.0 - sum(exp(value) for value in names.values()))
