"""Inference of the acting player from where arms reach over the table and which way cards point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, log, pi, sqrt

from companion.observations import HandEvent

_ARM_OFFSET = 0.045
"""Offset of a player's usual arm position from the seat (fraction of a full turn), standard deviation over players."""
_ARM_DEVIATION = 0.02
"""Deviation from that position each time, standard deviation."""
_UNRELATED_ARM = 0.02
"""Probability that an arm over the pile belongs to a player who did nothing there."""
_SEAT_CORRECT, _OTHER_SEAT = 0.9, 0.1
"""Probability that the seat is correct if only a side of the picture is known; the second value is shared by all
other seats."""


_CARD_ANGLE = 0.05
"""Usual angle at which a player lays cards (fraction of a full turn), standard deviation over players."""
_CARD_ANGLE_DEVIATION = 0.035
"""Deviation from that angle per card, standard deviation."""
_UPSIDE_DOWN = 0.15
"""Probability that a card lies with its upper end toward the player who laid it."""
_FACING_PRIOR = (1.2, 0.8)
"""Prior weights, as numbers of cards: cards that lie as their players laid them, and cards of a pile that is squared
up or laid at random."""


@dataclass(slots=True)
class _Offsets:
    """Each player's usual offset from the seat, learned from observed actions."""

    over_players: float
    """Standard deviations of the players' usual offsets, and of single actions around them; fractions of a full turn."""
    each_time: float
    sums: dict[int, float] = field(default_factory=dict)
    counts: dict[int, float] = field(default_factory=dict)

    def learn(self, player: int, offset: float, weight: float = 1.0) -> None:
        """Record the offset (-0.5 to 0.5) of one action of a player."""
        self.sums[player] = self.sums.get(player, 0.0) + weight * offset
        self.counts[player] = self.counts.get(player, 0.0) + weight

    def density(self, player: int, offset: float) -> float:
        """Return the probability density of an offset for a player; it integrates to 1 over a full turn."""
        # Posterior mean and variance of the player's usual offset, by Bayes' rule for normal distributions.
        variance = 1 / (1 / self.over_players**2 + self.counts.get(player, 0.0) / self.each_time**2)
        usual = self.sums.get(player, 0.0) / self.each_time**2 * variance
        spread = sqrt(variance + self.each_time**2)
        return exp(-(((offset - usual) / spread) ** 2) / 2) / (spread * sqrt(2 * pi))


@dataclass(slots=True)
class ArmDirections:
    """Where each player's arm enters the table."""

    offsets: _Offsets = field(default_factory=lambda: _Offsets(_ARM_OFFSET, _ARM_DEVIATION))

    def learn(self, player: int, hand_events: Sequence[HandEvent], players: int) -> None:
        """Record where a player's arm entered."""
        for hand_event in hand_events:
            if hand_event.around is not None:
                self.offsets.learn(player, _offset(hand_event.around, player, players))

    def weight(self, player: int, hand_events: Sequence[HandEvent], players: int) -> float:
        """Return the log-likelihood that these arms belong to a player, averaged over the arms; 0 if there is no
        evidence.
        """
        weights = (self._arm_weight(player, hand_event, players) for hand_event in hand_events)
        logs = [each for each in weights if each is not None]
        return sum(logs) / len(logs) if logs else 0.0

    def _arm_weight(self, player: int, hand_event: HandEvent, players: int) -> float | None:
        if hand_event.around is not None:
            density = self.offsets.density(player, _offset(hand_event.around, player, players))
            return log((1 - _UNRELATED_ARM) * density + _UNRELATED_ARM)
        if hand_event.seat is None:
            return None
        return log(_SEAT_CORRECT if hand_event.seat == player else _OTHER_SEAT / max(1, players - 1))


@dataclass(slots=True)
class CardDirections:
    """Which way each player's cards point: people lay a card as they hold it, its lower end toward themselves."""

    offsets: _Offsets = field(default_factory=lambda: _Offsets(_CARD_ANGLE, _CARD_ANGLE_DEVIATION))
    faced: float = _FACING_PRIOR[0]
    """Number of cards that lay as their players faced, observed plus prior."""
    cards: float = sum(_FACING_PRIOR)

    def learn(self, player: int, towards: Sequence[float | None], players: int) -> None:
        """Record the directions of the lower ends of a player's cards (fraction of a full turn from player 1; None if
        unknown).
        """
        for each in towards:
            if each is not None:
                offset = _offset(each, player, players)
                probability = self._facing_density(player, offset) * self.faced / self.cards
                probability /= probability + 1 - self.faced / self.cards
                self.faced, self.cards = self.faced + probability, self.cards + 1
                self.offsets.learn(player, _angle(offset), probability)

    def weight(self, player: int, towards: Sequence[float | None], players: int) -> float:
        """Return the log-likelihood that cards with these directions are a player's, averaged over the cards; 0 if
        there is no evidence.
        """
        offsets = [_offset(each, player, players) for each in towards if each is not None]
        trust = self.faced / self.cards
        logs = [log(trust * self._facing_density(player, offset) + 1 - trust) for offset in offsets]
        return sum(logs) / len(logs) if logs else 0.0

    def _facing_density(self, player: int, offset: float) -> float:
        reversed_offset = (offset + 1.0) % 1 - 0.5
        upright = self.offsets.density(player, offset)
        return (1 - _UPSIDE_DOWN) * upright + _UPSIDE_DOWN * self.offsets.density(player, reversed_offset)


def _angle(offset: float) -> float:
    """Return the angle of a card regardless of which end is up, -0.25 to 0.25 of a full turn."""
    return (offset + 0.25) % 0.5 - 0.25


def _offset(around: float, player: int, players: int) -> float:
    """Return the offset of a position around the table from a player's seat, -0.5 to 0.5 of a full turn."""
    return (around - (player - 1) / players + 0.5) % 1 - 0.5
