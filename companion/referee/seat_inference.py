"""Whose it was: seats told from where arms come in around a table, and from which way cards lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, log, pi, sqrt

from companion.observations import HandEvent

__all__ = ["Facing", "Leans"]

_LEANING = 0.045
"""How far beside his seat a player's arm comes in as a rule (a share of the way around), standard deviation over players."""
_WOBBLE = 0.02
"""And how far from there each time."""
_ASTRAY = 0.02
"""That an arm over the pile was of somebody who did nothing there."""
_SEAT, _OTHER_SEAT = 0.9, 0.1
"""How well a seat is told where only a side of the picture is known; the last is for all other seats together."""


_TURNED = 0.05
"""How far askew a player lays his cards as a rule (a share of a full turn), standard deviation over players."""
_ASKEW = 0.035
"""And how far from there each card."""
_UPSIDE_DOWN = 0.15
"""That a card lies with its upper end towards him who laid it."""
_FACES = (1.2, 0.8)
"""How much speaks for cards that lie as their players laid them, and how much for a pile that is squared up or laid anyhow, before
any was seen: as so many cards."""


@dataclass(slots=True)
class _Habits:
    """How far beside his seat each player does something, learned from what he did: people lean."""

    over_players: float
    """Standard deviation of the players' habits, and of each time about them; shares of the way around."""
    each_time: float
    sums: dict[int, float] = field(default_factory=dict)
    counts: dict[int, float] = field(default_factory=dict)

    def learn(self, player: int, off: float, weight: float = 1.0) -> None:
        """Take in how far beside his seat (-0.5 to 0.5) a player did it."""
        self.sums[player] = self.sums.get(player, 0.0) + weight * off
        self.counts[player] = self.counts.get(player, 0.0) + weight

    def density(self, player: int, off: float) -> float:
        """Return how likely a player does it so far beside his seat; over the whole way around it sums to 1."""
        # What is known of his habit after so many times: a mean and a variance, by Bayes' rule for normal deviates.
        variance = 1 / (1 / self.over_players**2 + self.counts.get(player, 0.0) / self.each_time**2)
        habit = self.sums.get(player, 0.0) / self.each_time**2 * variance
        spread = sqrt(variance + self.each_time**2)
        return exp(-(((off - habit) / spread) ** 2) / 2) / (spread * sqrt(2 * pi))


@dataclass(slots=True)
class Leans:
    """From where each player's arm comes."""

    habits: _Habits = field(default_factory=lambda: _Habits(_LEANING, _WOBBLE))

    def learn(self, player: int, hand_events: Sequence[HandEvent], players: int) -> None:
        """Take in that a player's arm came in so."""
        for hand_event in hand_events:
            if hand_event.around is not None:
                self.habits.learn(player, _off(hand_event.around, player, players))

    def weight(self, player: int, hand_events: Sequence[HandEvent], players: int) -> float:
        """Return how likely these arms came in where they did if the player's they were, as a log-probability."""
        weights = (self._weight(player, hand_event, players) for hand_event in hand_events)
        logs = [each for each in weights if each is not None]
        return sum(logs) / len(logs) if logs else 0.0

    def _weight(self, player: int, hand_event: HandEvent, players: int) -> float | None:
        if hand_event.around is not None:
            own = self.habits.density(player, _off(hand_event.around, player, players))
            return log((1 - _ASTRAY) * own + _ASTRAY)
        if hand_event.seat is None:
            return None
        return log(_SEAT if hand_event.seat == player else _OTHER_SEAT / max(1, players - 1))


@dataclass(slots=True)
class Facing:
    """Whose cards lie which way: people lay a card as they hold it, its lower end towards themselves."""

    habits: _Habits = field(default_factory=lambda: _Habits(_TURNED, _ASKEW))
    faced: float = _FACES[0]
    """So many cards lay as their players faced, of those seen and of those supposed before any was."""
    cards: float = sum(_FACES)

    def learn(self, player: int, towards: Sequence[float | None], players: int) -> None:
        """Take in that a player laid cards whose lower ends point so far around the table (None: that cannot be told)."""
        for each in towards:
            if each is not None:
                off = _off(each, player, players)
                probability = self._own(player, off) * self.faced / self.cards
                probability /= probability + 1 - self.faced / self.cards
                self.faced, self.cards = self.faced + probability, self.cards + 1
                self.habits.learn(player, _half(off), probability)

    def weight(self, player: int, towards: Sequence[float | None], players: int) -> float:
        """Return how likely a player's cards lie so, as a log-probability; 0 where that says nothing."""
        reported = [_off(each, player, players) for each in towards if each is not None]
        trust = self.faced / self.cards
        logs = [log(trust * self._own(player, off) + 1 - trust) for off in reported]
        return sum(logs) / len(logs) if logs else 0.0

    def _own(self, player: int, off: float) -> float:
        other = (off + 1.0) % 1 - 0.5
        upright = self.habits.density(player, off)
        return (1 - _UPSIDE_DOWN) * upright + _UPSIDE_DOWN * self.habits.density(player, other)


def _half(off: float) -> float:
    """Return how far askew a card lies, whichever end is up."""
    return (off + 0.25) % 0.5 - 0.25


def _off(around: float, player: int, players: int) -> float:
    """Return how far beside a player's seat a place around the table is, -0.5 to 0.5."""
    return (around - (player - 1) / players + 0.5) % 1 - 0.5
