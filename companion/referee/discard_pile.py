"""The discard pile over successive observations: which cards came since the last committed state, and in which
order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cmp_to_key
from math import dist

from companion.hanafuda.cards import BACK, first_of, twin
from companion.observations import DISCARD, STOCK, HandEvent, Observation, TrackedCard

_NOISE = 0.01
"""Names with at most this probability are ignored."""
_MIN_FACE_DOWN = 0.5
"""Minimum probability of a back for a card that counts as face down."""
_CLEAR = 0.6
"""Minimum visible fraction of a card that is on top."""
_MAX_COVERED = 0.35
"""Maximum visible fraction of a card that is covered."""
_MIN_SAME = 0.1
"""If the probability of a key's card falls below this, the key has moved to another card."""
_CONFIDENT = 0.8
"""Minimum probability of a name to read another card at a known key."""
_KNOWN = 0.3
"""Minimum probability of a name to match a card that is known to be in the pile."""
_MOVED_MM, _TURNED_DEG = 1.5, 2.5
"""Position and angle tolerances. A card beyond them was moved or is another card: unmoved, fully visible cards are
detected within 0.4 mm and 0.7 degrees (30 observations of a rendered pile)."""
_LARGE_TURN_DEG = 20.0
"""A push that turns the top card by more than this is rare."""
_PUSHED, _PUSHED_AND_TURNED = 0.02, 0.001
"""Probabilities that an arm pushes the top card rather than laying its look-alike on it: with a small turn, and with a
large one."""
_HAND_AT_PILE_MM = 90.0
"""Maximum distance from the pile of a hand that laid something on it. Fingertip positions are imprecise."""


def read_names(tracked: TrackedCard) -> tuple[dict[str, float], float]:
    """Return the probabilities of a tracked card by card id (look-alikes under the first of them), and the probability
    that it is face down."""
    probabilities: dict[str, float] = {}
    back = 0.0
    for name, probability in tracked.likely or (((tracked.card, 0.95),) if tracked.card else ()):
        if name == BACK:
            back += probability
        elif probability > _NOISE:
            probabilities[first_of(name)] = probabilities.get(first_of(name), 0.0) + probability
    return probabilities, back


def discards_of(observation: Observation) -> list[TrackedCard]:
    """Return the face-up cards of the discard pile."""
    return [
        tracked
        for tracked in observation.cards
        if tracked.zone == DISCARD and read_names(tracked)[1] < _MIN_FACE_DOWN
    ]


Pose = tuple[tuple[float, float], float]
"""Position (mm) and angle (degrees) of a card."""


@dataclass(slots=True)
class NewCard:
    """A card that came onto the pile."""

    key: int | None
    """Track key; None if there was only a transient detection."""
    names: dict[str, float]
    """Probabilities by card (look-alikes under the first of them)."""
    time: float
    """When it came, s."""
    observation: int
    """Number of the observation that first showed it."""
    visible: float = 1.0
    """Visible fraction (0-1)."""
    on: tuple[int, ...] = ()
    """Track keys of the cards directly below it."""
    observations: int = 1
    """Number of observations that `names` are averaged over."""
    towards: float | None = None
    """The player it faces, as in `companion.observations.TrackedCard.towards`."""
    pushed: float = 0.0
    """Probability that an arm moved the top card this much, where the alternative is that its look-alike was laid on
    it; otherwise 0."""
    box_touched: bool | None = None
    """Whether the picture of the box changed when this card came; None if unknown."""
    unread: bool = False
    """Whether the only evidence is that the card on top became covered. There may be a transient detection, too."""

    @property
    def top(self) -> str | None:
        """The most likely card, or None."""
        return max(self.names, key=self.names.__getitem__, default=None)


@dataclass(slots=True)
class DiscardPile:
    """What is remembered of the pile between observations. The game state belongs to the table."""

    cards: dict[int, str] = field(default_factory=dict)
    """The committed card of each track key; empty for an object that is not a card of the game."""
    new_cards: list[NewCard] = field(default_factory=list)
    """The cards that came since the last committed state, in order."""
    hand_events: list[HandEvent] = field(default_factory=list)
    """The hands over the table that are not yet explained by a committed card."""
    frame: str | None = None
    """The picture of the last committed state."""
    time: float = 0.0
    """The time of the last committed state, s."""
    last_card_time: float | None = None
    """When the last committed card came, s."""
    observations: int = 0
    """Number of observations so far."""
    order: list[int] = field(default_factory=list)
    """Track keys of the committed cards in the order in which they were laid."""
    last: int = 0
    """Number of cards at the end of `order` that were committed last; they may be taken back."""
    visible: dict[int, float] = field(default_factory=dict)
    """Visible fraction of each card in the last observation."""
    poses: dict[int, Pose] = field(default_factory=dict)
    """Last pose of each card when it was fully visible."""
    arms: bool = False
    """Whether hands have ever been detected. There are none if pictures are only taken now and then."""
    box: Pose | None = None
    """Pose of the box in the last observation, exactly equal as long as its picture does not change."""

    confirmed: list[tuple[NewCard, str]] = field(default_factory=list)
    """The new cards that someone reported since the previous observation, with their ids."""

    def read(self, observation: Observation, expected: Iterable[str]) -> None:
        """Update the pile from an observation. `expected` are the cards that the pile contains according to the
        table."""
        self.observations += 1
        self.hand_events += [
            hand_event for hand_event in observation.hand_events if hand_event not in self.hand_events
        ]
        self.arms = self.arms or bool(observation.hand_events)
        self._compare_box(observation)
        pile = set(expected)
        detected = {tracked.key: tracked for tracked in discards_of(observation)}
        self._had_key &= pile
        self.cards = {
            key: name for key, name in self.cards.items() if key in detected and (name in pile or not name)
        }
        self._confirm_reported(pile)
        for tracked in detected.values():
            self._match(tracked, pile, set(detected), observation)
        self._add_transient(observation, pile)
        self._track_covered(observation, detected)
        self._drop_missing(detected)
        self.new_cards.sort(key=cmp_to_key(_compare))
        self.visible = {key: tracked.visible for key, tracked in detected.items()}
        clear = {key: _pose(card) for key, card in detected.items() if card.visible > _CLEAR}
        self.poses = {key: pose for key, pose in self.poses.items() if key in detected} | clear

    def _compare_box(self, observation: Observation) -> None:
        """Compare the pose of the box with the previous observation: whether the camera moved, or someone touched it."""
        before = self.box
        # The two ends of a card back look the same.
        poses = ((card.at, card.angle % 180) for card in observation.cards if card.zone == STOCK)
        self.box = next(poses, before)
        self._camera_still, self._box_touched = False, None
        if self.box is None or before is None:
            return
        self._camera_still = _same_pose(before, self.box)
        if (self.arms or self._camera_still) and "camera-moved" not in observation.notes:
            self._box_touched = self.box != before

    def _confirm_reported(self, pile: set[str]) -> None:
        """Commit the new cards that a person has reported meanwhile, by an answer or by entering a move."""
        unassigned = pile - set(self.cards.values()) - self._had_key
        self.confirmed, last = [], 0.0
        for name in sorted(unassigned):
            first = first_of(name)
            best = max(self.new_cards, key=lambda candidate: candidate.names.get(first, 0.0), default=None)
            if best is not None and best.names.get(first, 0.0) > _KNOWN / 3:
                self._confirm(best, name)
                last = max(last, best.time)
                continue
            # An unread new card is taken to be the reported one.
            unread = (
                candidate for candidate in self.new_cards if candidate.unread or candidate.visible > 0.5
            )
            new_card = next(
                (candidate for candidate in unread if sum(candidate.names.values()) < 1 - _KNOWN), None
            )
            if new_card is not None:
                self._confirm(new_card, name)
        for other in [other for other in self.new_cards if other.time < last]:
            self.new_cards.remove(other)  # the person reported a later card, but not this one
            if other.key is not None:
                self.cards[other.key] = ""

    def _confirm(self, new_card: NewCard, name: str) -> None:
        """Commit a new card that a person reported as `name`."""
        self._had_key.add(name)
        self.new_cards.remove(new_card)
        self.confirmed.append((new_card, name))
        self.hand_events = [hand_event for hand_event in self.hand_events if hand_event.time > new_card.time]
        self.last_card_time = max(self.last_card_time or 0.0, new_card.time)
        if new_card.key is not None:
            self.cards[new_card.key] = name
            self._append_to_order([new_card.key])

    def _match(
        self, tracked: TrackedCard, pile: set[str], detected: set[int], observation: Observation
    ) -> None:
        """Match a tracked card with the new cards and the committed cards, or add it as a new card."""
        names, _ = read_names(tracked)
        new_card = next((each for each in self.new_cards if each.key == tracked.key), None)
        if new_card is not None:
            _merge(new_card, names, tracked, observation.hand_events)
        elif tracked.key in self.cards:
            name = self.cards[tracked.key]
            pushed = self._push_probability(tracked, name, pile, observation)
            if pushed or self._key_moved(tracked, name, names, pile, detected, observation):
                time = max(
                    (hand_event.time for hand_event in observation.hand_events), default=observation.time
                )
                self._add(tracked, names, time if tracked.since <= self.time else tracked.since)
                self.new_cards[-1].pushed = pushed
        elif (old := self._known_card(tracked, names, pile)) is not None:
            self.cards[tracked.key] = old
            if old not in self._had_key:  # reported before it was detected: its hand is explained
                self._had_key.add(old)
                self._append_to_order([tracked.key])
                self.hand_events = [
                    hand_event for hand_event in self.hand_events if hand_event.time > tracked.since
                ]
        else:
            self._add(tracked, names, tracked.since)

    def _add(self, tracked: TrackedCard, names: dict[str, float], time: float) -> None:
        """Add a new card, merged with earlier evidence for it."""
        # An earlier transient detection was of this card.
        for new_card in [new_card for new_card in self.new_cards if new_card.key is None]:
            if (
                new_card.unread
                and self.arms
                and tracked.visible > 0.5
                and not self._reached_since(new_card.time)
            ):
                self.new_cards.remove(new_card)
                time = new_card.time
            elif max(names, key=names.__getitem__, default=None) in new_card.names:
                self.new_cards.remove(new_card)
                time = min(time, new_card.time)
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
        """Return whether a hand came after a time (s)."""
        return any(hand_event.time > time for hand_event in self.hand_events)

    def _key_moved(
        self,
        tracked: TrackedCard,
        name: str,
        names: Mapping[str, float],
        pile: set[str],
        detected: set[int],
        observation: Observation,
    ) -> bool:
        """Return whether the key of a known card has moved to another card that came."""
        if not name:
            best = max(names, key=names.__getitem__, default="")
            return bool(
                best
                and observation.hand_events
                and names[best] > _CONFIDENT
                and tracked.visible > _CLEAR
                and not {best, twin(best)} & pile
            )
        if names.get(first_of(name), 0.0) < _MIN_SAME:
            return max(names.values(), default=0.0) > _CONFIDENT and tracked.visible > _CLEAR
        other = twin(name)
        may_be_lookalike = other is not None and other not in pile and tracked.visible >= _CLEAR
        return may_be_lookalike and self._covered_again(tracked, detected, observation)

    def _covered_again(self, tracked: TrackedCard, detected: set[int], observation: Observation) -> bool:
        """Return whether a covered card seems visible again although the card on top was not taken back: its
        look-alike was laid there.
        """
        if self.visible.get(tracked.key, 1.0) >= _MAX_COVERED:
            return False
        if tracked.key != self.below or any(key in detected for key in self._last_keys):
            return True
        previous_pose = self.poses.get(tracked.key)
        moved = previous_pose is not None and not _same_pose(previous_pose, _pose(tracked))
        return moved and (self._camera_still or bool(observation.hand_events))

    def _push_probability(
        self, tracked: TrackedCard, name: str, pile: set[str], observation: Observation
    ) -> float:
        """Return the probability that an arm changes the pose of the top card this much.

        0 if the change cannot mean that its look-alike was laid on it.
        """
        previous_pose = self.poses.get(tracked.key)
        twin_card = twin(name) if name else None
        if previous_pose is None or twin_card is None or twin_card in pile or tracked.visible < _CLEAR:
            return 0.0
        if self.visible.get(tracked.key, 0.0) < _CLEAR or _same_pose(previous_pose, _pose(tracked)):
            return 0.0
        hand_near = any(
            dist(hand_event.at, tracked.at) < _HAND_AT_PILE_MM for hand_event in observation.hand_events
        )
        if not (hand_near if self.arms else self._camera_still):
            return 0.0
        return (
            _PUSHED if _angle_between(previous_pose, _pose(tracked)) < _LARGE_TURN_DEG else _PUSHED_AND_TURNED
        )

    @property
    def _last_keys(self) -> list[int]:
        """Track keys of the cards committed last."""
        return self.order[len(self.order) - self.last :]

    @property
    def below(self) -> int | None:
        """Track key of the card that becomes visible if the last cards are taken back, or None."""
        kept = self.order[: len(self.order) - self.last]
        return kept[-1] if kept else None

    def _known_card(self, tracked: TrackedCard, names: Mapping[str, float], pile: set[str]) -> str | None:
        """Return the card of the pile that a new track key belongs to, or None.

        Either the card was moved, or someone reported it before it was detected.
        """
        matches = [
            name for name in pile - set(self.cards.values()) if names.get(first_of(name), 0.0) > _KNOWN
        ]
        for name in sorted(matches, key=lambda match: -names[first_of(match)]):
            twin_card = twin(name)
            twin_is_free = twin_card is not None and twin_card not in pile
            if not twin_is_free or tracked.visible < _CLEAR or name not in self._had_key:
                return name
        return None

    _had_key: set[str] = field(default_factory=set)
    """Cards of the pile that have had a track key. A new key that looks like one of them rather belongs to its
    look-alike."""

    def _add_transient(self, observation: Observation, pile: set[str]) -> None:
        """Add new cards for transient detections at the pile that match no other card."""
        explained = {name for new_card in self.new_cards for name in new_card.names}
        for transient in observation.transient_detections:
            first = first_of(transient.card)
            if transient.zone == DISCARD and first not in explained and not {first, twin(first)} & pile:
                explained.add(first)
                self.new_cards.append(NewCard(None, {first: 0.9}, transient.time, self.observations, 0.0))

    _box_touched: bool | None = None
    """Whether the picture of the box changed since the previous observation; None if unknown."""
    _camera_still: bool = False
    """Whether the camera has not moved: the pose of the box in the picture is the same."""

    def _track_covered(self, observation: Observation, detected: Mapping[int, TrackedCard]) -> None:
        """Add a new card that is not detected itself but covers the card on top; remove it if that card is visible
        again."""
        top = self.order[-1] if self.order else None
        if top is None or any(each.visible > 0.5 and each.key in detected for each in self.new_cards):
            return
        visible = detected[top].visible if top in detected else 0.0
        unread = next((each for each in self.new_cards if each.unread), None)
        if unread is not None:
            if visible > _CLEAR:
                self.new_cards.remove(unread)  # the top card was hidden by something else
            return
        covered_now = visible < _MAX_COVERED and self.visible.get(top, 0.0) > _CLEAR
        if not covered_now or top not in self.poses:
            return
        time = self._time_of_hand_at(self.poses[top][0], observation)
        if time is not None:
            self._add_unread(time)

    def _add_unread(self, time: float) -> None:
        """Add a new card that cannot be read, or mark the last transient detection as one."""
        new_card = next((each for each in reversed(self.new_cards) if each.key is None), None)
        if new_card is None:
            new_card = NewCard(None, {}, time, self.observations)
            self.new_cards.append(new_card)
        new_card.unread, new_card.visible, new_card.box_touched = True, 0.0, self._box_touched

    def _time_of_hand_at(self, at: tuple[float, float], observation: Observation) -> float | None:
        """Return when a hand was last at a position (mm), s; None if no hand was. Without any detection of hands, the
        time of the observation.
        """
        if not self.arms:
            return observation.time
        times = (each.time for each in observation.hand_events if dist(each.at, at) < _HAND_AT_PILE_MM)
        return max(times, default=None)

    def _drop_missing(self, detected: Mapping[int, TrackedCard]) -> None:
        """Drop new cards that are no longer detected, unless a later card may cover them."""
        times = [new_card.time for new_card in self.new_cards if new_card.key in detected]
        last = max(times, default=-1.0)
        kept = [
            new_card
            for new_card in self.new_cards
            if new_card.key in detected or new_card.unread or new_card.time < last
        ]
        if not kept and self._top_is_covered(detected):
            # It could not be read, but it is what covers the card that was on top.
            kept = [new_card for new_card in self.new_cards if new_card.visible > 0.5][:1]
            for new_card in kept:
                new_card.key, new_card.unread, new_card.visible = None, True, 0.0
        self.new_cards = kept

    def _top_is_covered(self, detected: Mapping[int, TrackedCard]) -> bool:
        """Return whether the card on top of the committed pile is covered."""
        top = detected.get(self.order[-1]) if self.order else None
        return bool(self.order) and (top is None or top.visible < _MAX_COVERED)

    def commit(self, reported: Mapping[int, str], count: int, frame: str, time: float) -> None:
        """Commit the first `count` new cards.

        `reported` are their card ids by track key; keys that are missing there are not cards of the game. `frame` and
        `time` (s) are those of the observation.
        """
        committed, self.new_cards = self.new_cards[:count], self.new_cards[count:]
        keys = [new_card.key for new_card in committed if new_card.key is not None]
        self.cards |= {key: reported.get(key, "") for key in keys}
        self._append_to_order([key for key in keys if key in reported])
        self._had_key |= {reported[key] for key in keys if key in reported}
        last = max((new_card.time for new_card in committed), default=time)
        self.hand_events = (
            [hand_event for hand_event in self.hand_events if hand_event.time > last + 0.5]
            if self.new_cards
            else []
        )
        self.frame, self.time, self.last_card_time = frame, time, last

    def _append_to_order(self, keys: Sequence[int]) -> None:
        """Append track keys to the order of the pile."""
        self.order = [key for key in self.order if key not in keys] + [*keys]
        self.last = len(keys)

    def clear(self) -> None:
        """Forget the pile: it was taken off the table."""
        self.cards.clear()
        self.order.clear()
        self.last = 0
        self.new_cards.clear()
        self._had_key.clear()
        self.visible.clear()
        self.poses.clear()

    @property
    def taken_back(self) -> bool:
        """Whether the cards committed last have disappeared and the card below them is fully visible."""
        return (
            bool(self._last_keys)
            and not any(key in self.visible for key in self._last_keys)
            and not self.new_cards
            and self.visible.get(self.below or -1, 0.0) > _CLEAR
        )

    def undo(self) -> None:
        """Forget the cards committed last: they are back in a hand."""
        del self.order[len(self.order) - self.last :]
        self.last = 0


def _merge(
    new_card: NewCard, names: Mapping[str, float], tracked: TrackedCard, hand_events: Sequence[HandEvent]
) -> None:
    """Update a new card from another observation. Errors of observations are correlated, so the more there are, the
    less one counts."""
    if new_card.visible < 0.5 and tracked.visible > _CLEAR and hand_events:
        # A new card has taken over the key of what was a strip at the edge of the pile.
        new_card.names, new_card.observations, new_card.visible = dict(names), 1, tracked.visible
        new_card.time, new_card.on, new_card.towards = hand_events[-1].time, tracked.on, tracked.towards
        return
    weight = 1 / (new_card.observations + 1) if tracked.visible >= new_card.visible - 0.2 else 0.1
    new_card.observations += 1
    new_card.names = {
        name: (1 - weight) * new_card.names.get(name, 0.0) + weight * names.get(name, 0.0)
        for name in {*new_card.names, *names}
    }
    new_card.visible, new_card.on = max(new_card.visible, tracked.visible), tracked.on
    new_card.towards = tracked.towards


def _pose(tracked: TrackedCard) -> Pose:
    """Return the pose of a tracked card."""
    return tracked.at, tracked.angle


def _same_pose(one: Pose, other: Pose) -> bool:
    """Return whether two poses are equal within the tolerances."""
    return dist(one[0], other[0]) < _MOVED_MM and _angle_between(one, other) < _TURNED_DEG


def _angle_between(one: Pose, other: Pose) -> float:
    """Return the absolute angle between two poses, degrees."""
    return abs((other[1] - one[1] + 180) % 360 - 180)


def _compare(one: NewCard, other: NewCard) -> int:
    """Compare two new cards for sorting: by which is on top if known, otherwise by time."""
    if one.key is not None and one.key in other.on and other.key not in one.on:
        return -1
    if other.key is not None and other.key in one.on and one.key not in other.on:
        return 1
    return (one.time > other.time) - (one.time < other.time)
