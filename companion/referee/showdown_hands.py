"""Hands that lie open before their players: what looks say they are, every reading with its probability."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod

from companion.hanafuda.cards import first_of
from companion.observations import Observation, TrackedCard, hand_zone
from companion.referee.discard_pile import read_names

__all__ = ["Hands", "Held", "readings"]

_NAMES = 3
_READINGS = 300
_SURE = 0.97
"""A card that is named so surely has no other name, nor is it none."""
_NONE = {0.8: 0.004, 0.6: 0.05, 0.0: 0.2}
"""That a find is no card, by how surely it is named at least."""
_ACROSS_NONE = 0.95
"""That a find is no card which lies across the cards of its hand, among them."""
_ACROSS_DEG = 45.0
_AMONG_MM = 30.0
_SEEN = 0.15
"""Of which less shows, a card is not read."""


@dataclass(slots=True)
class Held:
    """One card that lies open before a player."""

    key: int
    names: dict[str, float]
    """Probabilities by card, of look-alikes by the first; what is missing to one is that it is no card at all."""
    observations: int = 1

    @property
    def top(self) -> str | None:
        """The likeliest card."""
        return max(self.names, key=self.names.__getitem__, default=None)

    @property
    def confident(self) -> float:
        """How likely that is."""
        return max(self.names.values(), default=0.0)


@dataclass(slots=True)
class Hands:
    """The open hands over the looks."""

    seats: dict[int, list[Held]] = field(default_factory=dict)
    still: int = 0
    """How many looks in a row have shown the same cards."""

    def read(self, observation: Observation, players: int) -> None:
        """Take in a look."""
        before = {held.key: held for held in self.cards}
        keys = set(before)
        self.seats = {}
        for seat in range(1, players + 1):
            lying = [
                each
                for each in observation.cards
                if each.zone == hand_zone(seat) and each.visible > _SEEN and read_names(each)[1] < 0.5
            ]
            if lying:
                lying.sort(key=lambda each: (each.at, each.key))
                self.seats[seat] = [_held(each, lying, before.get(each.key)) for each in lying]
        self.still = self.still + 1 if keys == {held.key for held in self.cards} else 1

    @property
    def cards(self) -> list[Held]:
        """All cards of the open hands."""
        return [held for hand in self.seats.values() for held in hand]


def _held(tracked: TrackedCard, lying: Sequence[TrackedCard], before: Held | None) -> Held:
    names, _ = read_names(tracked)
    best = max(names.values(), default=0.0)
    none = next(probability for least, probability in _NONE.items() if best >= least)
    others = [each for each in lying if each is not tracked]
    among = [
        each
        for each in others
        if abs(each.at[0] - tracked.at[0]) + abs(each.at[1] - tracked.at[1]) < _AMONG_MM
    ]
    if among and best < _SURE and all(_across(each, tracked) for each in among):
        none = _ACROSS_NONE
    total = sum(names.values()) or 1.0
    names = {name: probability / max(total, 1.0) * (1 - none) for name, probability in names.items()}
    if before is None:
        return Held(tracked.key, names)
    # Looks err together: an earlier one counts less the more there are.
    weight = 1 / (before.observations + 1)
    mixed = {
        name: (1 - weight) * before.names.get(name, 0.0) + weight * names.get(name, 0.0)
        for name in {*before.names, *names}
    }
    return Held(tracked.key, mixed, before.observations + 1)


def _across(one: TrackedCard, other: TrackedCard) -> bool:
    off = abs(one.angle - other.angle) % 180
    return min(off, 180 - off) > _ACROSS_DEG


def readings(
    seats: Mapping[int, Sequence[Held]], deck: Container[str]
) -> Iterator[tuple[Mapping[int, tuple[str, ...]], float]]:
    """Yield what the hands may be, of look-alikes by the first, with the probability; the likeliest few hundred at most."""
    options: list[list[tuple[str | None, float]]] = []
    owners = []
    for seat, hand in seats.items():
        for held in hand:
            best = sorted(held.names.items(), key=lambda name: -name[1])[:_NAMES]
            known = [(name, probability) for name, probability in best if name in deck]
            none = max(0.0, 1.0 - sum(held.names.values()))
            if known and known[0][1] >= _SURE:
                options.append([*known[:1]])
            else:
                options.append([*known, (None, none)])
            owners.append(seat)
    while prod(map(len, options)) > _READINGS:
        longest = max(options, key=len)
        longest.sort(key=lambda option: -option[1])
        longest.pop()
    for chosen in product(*options):
        found: dict[int, list[str]] = {seat: [] for seat in seats}
        for seat, (name, _) in zip(owners, chosen, strict=True):
            if name is not None:
                found[seat].append(name)
        cards = [name for hand in found.values() for name in hand]
        if all(cards.count(name) <= _copies(name) for name in cards):
            yield {seat: tuple(hand) for seat, hand in found.items()}, prod(p for _, p in chosen)


def _copies(name: str) -> int:
    return 2 if first_of(name) == name and name.endswith("-chaff-1") else 1
