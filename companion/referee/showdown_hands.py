"""Hands shown face up: the possible readings, each with its probability."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod

from companion.hanafuda.cards import first_of
from companion.observations import Observation, TrackedCard, hand_zone
from companion.referee.discard_pile import read_names

_MAX_NAMES = 3
"""Maximum number of names considered for a card."""
_MAX_READINGS = 300
"""Maximum number of combinations considered."""
_CONFIDENT = 0.97
"""A card named with at least this probability has no alternative."""
_NO_CARD = {0.8: 0.004, 0.6: 0.05, 0.0: 0.2}
"""Probability that a detection is not a card, by the minimum probability of its best name."""
_NO_CARD_ACROSS = 0.95
"""The same for a detection among the cards of a hand that lies across them."""
_ACROSS_DEG = 45.0
"""From this angle on, a detection lies across a card."""
_AMONG_MM = 30.0
"""Within this distance (sum of the x and y distances of the centers), a detection is among the other cards."""
_MIN_VISIBLE = 0.15
"""Minimum visible fraction of a card that is read."""


@dataclass(slots=True)
class HandCard:
    """One card shown face up in front of a player."""

    key: int
    names: dict[str, float]
    """Probabilities by card (look-alikes under the first of them); the difference to 1 is the probability that it is
    not a card."""
    observations: int = 1

    @property
    def top(self) -> str | None:
        """The most likely card, or None."""
        return max(self.names, key=self.names.__getitem__, default=None)

    @property
    def confident(self) -> float:
        """The probability of the most likely card."""
        return max(self.names.values(), default=0.0)


@dataclass(slots=True)
class Hands:
    """The face-up hands, accumulated over observations."""

    seats: dict[int, list[HandCard]] = field(default_factory=dict)
    """The cards by seat, sorted by position."""
    still: int = 0
    """Number of successive observations with the same cards (track keys)."""

    def read(self, observation: Observation, players: int) -> None:
        """Update the hands from an observation."""
        previous = {card.key: card for card in self.cards}
        keys = set(previous)
        self.seats = {}
        for seat in range(1, players + 1):
            hand_cards = [
                tracked
                for tracked in observation.cards
                if tracked.zone == hand_zone(seat)
                and tracked.visible > _MIN_VISIBLE
                and read_names(tracked)[1] < 0.5
            ]
            if hand_cards:
                hand_cards.sort(key=lambda tracked: (tracked.at, tracked.key))
                self.seats[seat] = [
                    _updated(tracked, hand_cards, previous.get(tracked.key)) for tracked in hand_cards
                ]
        self.still = self.still + 1 if keys == {card.key for card in self.cards} else 1

    @property
    def cards(self) -> list[HandCard]:
        """The cards of all face-up hands."""
        return [card for hand in self.seats.values() for card in hand]


def _updated(tracked: TrackedCard, hand_cards: Sequence[TrackedCard], previous: HandCard | None) -> HandCard:
    """Return a card of a hand, with its probabilities averaged over the observations of its track key."""
    names, _ = read_names(tracked)
    best = max(names.values(), default=0.0)
    no_card = next(probability for min_best, probability in _NO_CARD.items() if best >= min_best)
    others = [each for each in hand_cards if each is not tracked]
    adjacent = [
        each
        for each in others
        if abs(each.at[0] - tracked.at[0]) + abs(each.at[1] - tracked.at[1]) < _AMONG_MM
    ]
    if adjacent and best < _CONFIDENT and all(_is_across(each, tracked) for each in adjacent):
        no_card = _NO_CARD_ACROSS
    total = sum(names.values()) or 1.0
    names = {name: probability / max(total, 1.0) * (1 - no_card) for name, probability in names.items()}
    if previous is None:
        return HandCard(tracked.key, names)
    # Errors of successive observations are correlated: the more there are, the less one counts.
    weight = 1 / (previous.observations + 1)
    averaged = {
        name: (1 - weight) * previous.names.get(name, 0.0) + weight * names.get(name, 0.0)
        for name in {*previous.names, *names}
    }
    return HandCard(tracked.key, averaged, previous.observations + 1)


def _is_across(one: TrackedCard, other: TrackedCard) -> bool:
    """Return whether two cards lie across each other."""
    angle = abs(one.angle - other.angle) % 180
    return min(angle, 180 - angle) > _ACROSS_DEG


def readings(
    seats: Mapping[int, Sequence[HandCard]], deck: Container[str]
) -> Iterator[tuple[Mapping[int, tuple[str, ...]], float]]:
    """Yield the possible hands by seat with their probabilities, at most a few hundred.

    `deck` are the cards of the game. Look-alikes appear as the first of them. Readings in which a card occurs too often
    are left out.
    """
    owners = [seat for seat, hand in seats.items() for _ in hand]
    options = [_options_of(card, deck) for hand in seats.values() for card in hand]
    _drop_unlikely(options)
    for chosen in product(*options):
        cards = Counter(name for name, _ in chosen if name is not None)
        if any(count > _copies(name) for name, count in cards.items()):
            continue
        hands = {
            seat: tuple(
                name for owner, (name, _) in zip(owners, chosen, strict=True) if owner == seat and name
            )
            for seat in seats
        }
        yield hands, prod(p for _, p in chosen)


def _drop_unlikely(options: Sequence[list[tuple[str | None, float]]]) -> None:
    """Drop the least likely names of the detections with the most names until there are few enough readings."""
    while prod(map(len, options)) > _MAX_READINGS:
        longest = max(options, key=len)
        longest.sort(key=lambda option: -option[1])
        longest.pop()


def _options_of(card: HandCard, deck: Container[str]) -> list[tuple[str | None, float]]:
    """Return the names that a detection may have, with probabilities; None for no card of the game."""
    best = sorted(card.names.items(), key=lambda name: -name[1])[:_MAX_NAMES]
    known = [(name, probability) for name, probability in best if name in deck]
    if known and known[0][1] >= _CONFIDENT:
        return [*known[:1]]
    return [*known, (None, max(0.0, 1.0 - sum(card.names.values())))]


def _copies(name: str) -> int:
    """Return how many look-alikes of a card there are; `name` is the first of them."""
    return 2 if first_of(name) == name and name.endswith("-chaff-1") else 1
