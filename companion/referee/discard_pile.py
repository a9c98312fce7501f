"""The discard pile as looks show it: which cards came onto it since the table was agreed on, and in which order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cmp_to_key
from math import dist

from companion.hanafuda.cards import BACK, first_of, twin
from companion.observations import DISCARD, STOCK, HandEvent, Observation, TrackedCard

__all__ = ["NewCard", "Pile", "read_names"]

_NOISE = 0.01
_CLEAR = 0.6
"""A card of which this much shows lies on top."""
_COVERED = 0.35
_SAME = 0.1
"""A key whose card has become this unlikely has gone over to another card."""
_SURE = 0.8
_KNOWN = 0.3
_MOVED_MM, _TURNED_DEG = 1.5, 2.5
"""What lies farther from where it lay, or is turned more, was moved or is another card: still cards of which all shows are found again
within 0.4 mm and 0.7 degrees (30 looks at a drawn pile)."""
_WELL_TURNED_DEG = 20.0
_PUSHED, _PUSHED_AROUND = 0.02, 0.001
"""That an arm pushes the top card instead of laying its look-alike on it: a little, or well around."""
_OVER_MM = 90.0
"""So near to the pile an arm laid something on it; fingertips are told roughly."""


def read_names(tracked: TrackedCard) -> tuple[dict[str, float], float]:
    """Return a sighting's cards (of look-alikes the first) with their probabilities, and that of a back."""
    shares: dict[str, float] = {}
    back = 0.0
    for name, probability in tracked.likely or (((tracked.card, 0.95),) if tracked.card else ()):
        if name == BACK:
            back += probability
        elif probability > _NOISE:
            shares[first_of(name)] = shares.get(first_of(name), 0.0) + probability
    return shares, back


Pose = tuple[tuple[float, float], float]
"""Where a card lies (mm) and how it is turned (degrees)."""


@dataclass(slots=True)
class NewCard:
    """A card that came onto the pile."""

    key: int | None
    """None for one that was only glimpsed."""
    names: dict[str, float]
    """Probabilities by card, of look-alikes by the first."""
    time: float
    """When it came, s."""
    observation: int
    """The number of the look that showed it first."""
    visible: float = 1.0
    on: tuple[int, ...] = ()
    observations: int = 1
    towards: float | None = None
    """Whom it lies towards, as `companion.observations.TrackedCard.towards`."""
    pushed: float = 0.0
    """How often an arm does so much to the top card as it lay otherwise before, where it may have laid a look-alike on it."""
    box_touched: bool | None = None
    """Whether the box looked a little otherwise after it came than before; None where that cannot be told."""
    unread: bool = False
    """Whether no look shows it but by covering the card which lay on top; it may have been glimpsed."""

    @property
    def top(self) -> str | None:
        """The likeliest card."""
        return max(self.names, key=self.names.__getitem__, default=None)


@dataclass(slots=True)
class Pile:
    """What is kept of the pile between looks; the state of the game is the table's."""

    cards: dict[int, str] = field(default_factory=dict)
    """The card of each key as agreed; an empty one for what is none of the game's."""
    new_cards: list[NewCard] = field(default_factory=list)
    hand_events: list[HandEvent] = field(default_factory=list)
    frame: str | None = None
    """The picture that showed the table as last agreed."""
    time: float = 0.0
    last_came: float | None = None
    """When the card came that was agreed on last, s."""
    observations: int = 0
    order: list[int] = field(default_factory=list)
    """The keys of the cards as they were laid, as far as agreed."""
    last: int = 0
    """How many of them were agreed on last, and may be taken back."""
    shown: dict[int, float] = field(default_factory=dict)
    """The visible share of each card at the last look."""
    poses: dict[int, Pose] = field(default_factory=dict)
    """Where and how turned each card lay when it showed as a whole last."""
    arms: bool = False
    """Whether arms were ever seen: with pictures taken now and then there are none."""
    box: Pose | None = None
    """Where and how turned the box lay at the last look: to the last digit, as long as its picture did not change."""

    confirmed: list[tuple[NewCard, str]] = field(default_factory=list)
    """The arrivals that somebody told of since the look before, and what they are."""

    def read(self, observation: Observation, lying: Iterable[str]) -> None:
        """Take in a look; `lying` are the cards that the table has on the pile."""
        self.observations += 1
        self.hand_events += [
            hand_event for hand_event in observation.hand_events if hand_event not in self.hand_events
        ]
        self.arms = self.arms or bool(observation.hand_events)
        there = {
            tracked.key: tracked
            for tracked in observation.cards
            if tracked.zone == DISCARD and read_names(tracked)[1] < 0.5
        }
        pile = set(lying)
        # Which end of a back is up nobody can tell.
        box = next(
            ((each.at, each.angle % 180) for each in observation.cards if each.zone == STOCK),
            self.box,
        )
        self._stands = box is not None and self.box is not None and _same(self.box, box)
        knocked = "camera-moved" in observation.notes or not (self.arms or self._stands)
        self._box_touched = None if box is None or self.box is None or knocked else box != self.box
        self.box = box
        self._once_seen &= pile
        self.cards = {
            key: name for key, name in self.cards.items() if key in there and (name in pile or not name)
        }
        self._told_elsewhere(pile)
        for tracked in there.values():
            self._take(tracked, pile, set(there), observation)
        self._glimpsed(observation, pile)
        self._covered(observation, there)
        self._forget(there)
        self.new_cards.sort(key=cmp_to_key(_order))
        self.shown = {key: tracked.visible for key, tracked in there.items()}
        clear = {key: _pose(each) for key, each in there.items() if each.visible > _CLEAR}
        self.poses = {key: pose for key, pose in self.poses.items() if key in there} | clear

    def _told_elsewhere(self, pile: set[str]) -> None:
        """Take arrivals for agreed that somebody has told of meanwhile: an answer, an entry by hand."""
        left = pile - set(self.cards.values()) - self._once_seen
        self.confirmed, last = [], 0.0
        for name in sorted(left):
            first = first_of(name)
            best = max(self.new_cards, key=lambda each: each.names.get(first, 0.0), default=None)
            if best is not None and best.names.get(first, 0.0) > _KNOWN / 3:
                self._confirm(best, name)
                last = max(last, best.time)
                continue
            # What the eyes could not read is whatever was told.
            unread = (each for each in self.new_cards if each.unread or each.visible > 0.5)
            found = next((each for each in unread if sum(each.names.values()) < 1 - _KNOWN), None)
            if found is not None:
                self._confirm(found, name)
        for other in [other for other in self.new_cards if other.time < last]:
            self.new_cards.remove(other)  # whoever told a later one did not tell of it
            if other.key is not None:
                self.cards[other.key] = ""

    def _confirm(self, new_card: NewCard, name: str) -> None:
        self._once_seen.add(name)
        self.new_cards.remove(new_card)
        self.confirmed.append((new_card, name))
        self.hand_events = [hand_event for hand_event in self.hand_events if hand_event.time > new_card.time]
        self.last_came = max(self.last_came or 0.0, new_card.time)
        if new_card.key is not None:
            self.cards[new_card.key] = name
            self._laid([new_card.key])

    def _take(self, tracked: TrackedCard, pile: set[str], there: set[int], observation: Observation) -> None:
        names, _ = read_names(tracked)
        known = next((each for each in self.new_cards if each.key == tracked.key), None)
        if known is not None:
            _merge(known, names, tracked, observation.hand_events)
        elif tracked.key in self.cards:
            name = self.cards[tracked.key]
            pushed = self._is_laid_anew(tracked, name, pile, observation)
            if pushed or self._is_another(tracked, name, names, pile, there, observation):
                time = max(
                    (hand_event.time for hand_event in observation.hand_events), default=observation.time
                )
                self._add(tracked, names, time if tracked.since <= self.time else tracked.since)
                self.new_cards[-1].pushed = pushed
        elif (old := self._of_the_pile(tracked, names, pile)) is not None:
            self.cards[tracked.key] = old
            if old not in self._once_seen:  # told before it was seen: the arm that laid it is accounted for
                self._once_seen.add(old)
                self._laid([tracked.key])
                self.hand_events = [
                    hand_event for hand_event in self.hand_events if hand_event.time > tracked.since
                ]
        else:
            self._add(tracked, names, tracked.since)

    def _add(self, tracked: TrackedCard, names: dict[str, float], time: float) -> None:
        # A glimpse was of this very card.
        for each in [each for each in self.new_cards if each.key is None]:
            if each.unread and self.arms and tracked.visible > 0.5 and not self._reached_since(each.time):
                self.new_cards.remove(each)
                time = each.time
            elif max(names, key=names.__getitem__, default=None) in each.names:
                self.new_cards.remove(each)
                time = min(time, each.time)
        self.new_cards.append(
            NewCard(
                tracked.key,
                names,
                time,
                self.observations,
                tracked.visible,
                tracked.on,
                towards=tracked.towards,
                box_touched=self._box_touched,
            )
        )

    def _reached_since(self, time: float) -> bool:
        return any(hand_event.time > time for hand_event in self.hand_events)

    def _is_another(
        self,
        tracked: TrackedCard,
        name: str,
        names: Mapping[str, float],
        pile: set[str],
        there: set[int],
        observation: Observation,
    ) -> bool:
        """Return whether a card that came has taken over the key of one that lay there."""
        if not name:
            best = max(names, key=names.__getitem__, default="")
            lies = {best, twin(best)} & pile if best else set()
            return bool(
                best
                and observation.hand_events
                and names[best] > _SURE
                and tracked.visible > _CLEAR
                and not lies
            )
        if names.get(first_of(name), 0.0) < _SAME:
            return max(names.values(), default=0.0) > _SURE and tracked.visible > _CLEAR
        other = twin(name)
        if other is None or other in pile or tracked.visible < _CLEAR:
            return False
        # What lay covered shows again, and not because the last card was taken back: its look-alike was laid there.
        covered = self.shown.get(tracked.key, 1.0) < _COVERED
        last = self.order[len(self.order) - self.last :]
        before = self.poses.get(tracked.key)
        moved = (
            before is not None
            and not _same(before, _pose(tracked))
            and (self._stands or observation.hand_events)
        )
        return bool(covered and (moved or tracked.key != self.below or any(key in there for key in last)))

    def _is_laid_anew(
        self, tracked: TrackedCard, name: str, pile: set[str], observation: Observation
    ) -> float:
        """Return how often an arm leaves the top card so otherwise than it lay; 0 where it cannot be its look-alike, laid upon it."""
        before = self.poses.get(tracked.key)
        other = twin(name) if name else None
        if before is None or other is None or other in pile or tracked.visible < _CLEAR:
            return 0.0
        if self.shown.get(tracked.key, 0.0) < _CLEAR or _same(before, _pose(tracked)):
            return 0.0
        near = any(dist(hand_event.at, tracked.at) < _OVER_MM for hand_event in observation.hand_events)
        if not (near if self.arms else self._stands):
            return 0.0
        return _PUSHED if _turn(before, _pose(tracked)) < _WELL_TURNED_DEG else _PUSHED_AROUND

    @property
    def below(self) -> int | None:
        """The key of the card that shows again where the last ones are taken back."""
        kept = self.order[: len(self.order) - self.last]
        return kept[-1] if kept else None

    def _of_the_pile(self, tracked: TrackedCard, names: Mapping[str, float], pile: set[str]) -> str | None:
        """Return the card of the pile that a new key shows, if it is one: moved, or told by someone before it was seen."""
        found = [name for name in pile - set(self.cards.values()) if names.get(first_of(name), 0.0) > _KNOWN]
        for name in sorted(found, key=lambda each: -names[first_of(each)]):
            other = twin(name)
            free = other is not None and other not in pile
            if not free or tracked.visible < _CLEAR or name not in self._once_seen:
                return name
        return None

    _once_seen: set[str] = field(default_factory=set)
    """Cards of the pile that had a key once: a new key of their look is rather the other one."""

    def _glimpsed(self, observation: Observation, pile: set[str]) -> None:
        reported = {name for each in self.new_cards for name in each.names}
        for transient in observation.transient_detections:
            first = first_of(transient.card)
            if transient.zone == DISCARD and first not in reported and not {first, twin(first)} & pile:
                reported.add(first)
                self.new_cards.append(NewCard(None, {first: 0.9}, transient.time, self.observations, 0.0))

    _box_touched: bool | None = None
    _stands: bool = False
    """Whether the camera stands where it stood: the box lies in the picture as it lay."""

    def _covered(self, observation: Observation, there: Mapping[int, TrackedCard]) -> None:
        """Keep in mind a card that nothing is seen of but that the one which lay on top is gone from sight."""
        top = self.order[-1] if self.order else None
        if top is None or any(each.visible > 0.5 and each.key in there for each in self.new_cards):
            return
        now = there[top].visible if top in there else 0.0
        unread = next((each for each in self.new_cards if each.unread), None)
        if unread is not None:
            if now > _CLEAR:
                self.new_cards.remove(unread)  # it was hidden by something else
        elif now < _COVERED and self.shown.get(top, 0.0) > _CLEAR and top in self.poses:
            at, _ = self.poses[top]
            times = [
                hand_event.time
                for hand_event in observation.hand_events
                if dist(hand_event.at, at) < _OVER_MM
            ]
            if not self.arms:
                times = [observation.time]
            if times:
                glimpsed = next((each for each in reversed(self.new_cards) if each.key is None), None)
                found = glimpsed or NewCard(None, {}, max(times), self.observations)
                found.unread, found.visible, found.box_touched = True, 0.0, self._box_touched
                if glimpsed is None:
                    self.new_cards.append(found)

    def _forget(self, there: Mapping[int, TrackedCard]) -> None:
        """Forget cards that are not there any more, unless one that came later may cover them."""
        seen = [each.time for each in self.new_cards if each.key in there]
        last = max(seen, default=-1.0)
        kept = [each for each in self.new_cards if each.key in there or each.unread or each.time < last]
        removed = [each for each in self.new_cards if each not in kept and each.visible > 0.5]
        top = there.get(self.order[-1]) if self.order else None
        if removed and not kept and self.order and (top is None or top.visible < _COVERED):
            # The eyes made nothing of it, but it is what hides the card that lay on top.
            removed[0].key, removed[0].unread, removed[0].visible = None, True, 0.0
            kept = removed[:1]
        self.new_cards = kept

    def agree(self, reported: Mapping[int, str], count: int, frame: str, time: float) -> None:
        """Keep what the first arrivals turned out to be, by their keys; the others of them are no cards of the game."""
        committed, self.new_cards = self.new_cards[:count], self.new_cards[count:]
        keys = [each.key for each in committed if each.key is not None]
        self.cards |= {key: reported.get(key, "") for key in keys}
        self._laid([key for key in keys if key in reported])
        self._once_seen |= {reported[key] for key in keys if key in reported}
        last = max((each.time for each in committed), default=time)
        self.hand_events = (
            [hand_event for hand_event in self.hand_events if hand_event.time > last + 0.5]
            if self.new_cards
            else []
        )
        self.frame, self.time, self.last_came = frame, time, last

    def _laid(self, keys: Sequence[int]) -> None:
        self.order = [key for key in self.order if key not in keys] + [*keys]
        self.last = len(keys)

    def clear(self) -> None:
        """Forget the pile: it was taken off the table."""
        self.cards.clear()
        self.order.clear()
        self.last = 0
        self.new_cards.clear()
        self._once_seen.clear()
        self.shown.clear()
        self.poses.clear()

    @property
    def taken_back(self) -> bool:
        """Whether the cards agreed on last are gone, and the one below them lies open."""
        last = self.order[len(self.order) - self.last :]
        return (
            bool(last)
            and not any(key in self.shown for key in last)
            and not self.new_cards
            and self.shown.get(self.below or -1, 0.0) > _CLEAR
        )

    def undo(self) -> None:
        """Forget the cards agreed on last: they are in a hand again."""
        del self.order[len(self.order) - self.last :]
        self.last = 0


def _merge(
    known: NewCard, names: Mapping[str, float], tracked: TrackedCard, hand_events: Sequence[HandEvent]
) -> None:
    """Take in another look at an arrival: looks err together, so an earlier one counts less the more there are."""
    if known.visible < 0.5 and tracked.visible > _CLEAR and hand_events:
        # Of what was a strip at the edge of the pile, a card that came took over the key.
        known.names, known.observations, known.visible = dict(names), 1, tracked.visible
        known.time, known.on, known.towards = hand_events[-1].time, tracked.on, tracked.towards
        return
    weight = 1 / (known.observations + 1) if tracked.visible >= known.visible - 0.2 else 0.1
    known.observations += 1
    known.names = {
        name: (1 - weight) * known.names.get(name, 0.0) + weight * names.get(name, 0.0)
        for name in {*known.names, *names}
    }
    known.visible, known.on = max(known.visible, tracked.visible), tracked.on
    known.towards = tracked.towards


def _pose(tracked: TrackedCard) -> Pose:
    return tracked.at, tracked.angle


def _same(one: Pose, other: Pose) -> bool:
    return dist(one[0], other[0]) < _MOVED_MM and _turn(one, other) < _TURNED_DEG


def _turn(one: Pose, other: Pose) -> float:
    """Return by how much a card was turned, degrees."""
    return abs((other[1] - one[1] + 180) % 360 - 180)


def _order(one: NewCard, other: NewCard) -> int:
    if one.key is not None and one.key in other.on and other.key not in one.on:
        return -1
    if other.key is not None and other.key in one.on and one.key not in other.on:
        return 1
    return (one.time > other.time) - (one.time < other.time)
