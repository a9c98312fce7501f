"""Whose arm it was: seats told from where arms come in around a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, log, pi, sqrt

from companion.sightings import Reach

__all__ = ["Leans"]

_LEANING = 0.045
"""How far beside his seat a player's arm comes in as a rule (a share of the way around), standard deviation over players."""
_WOBBLE = 0.02
"""And how far from there each time."""
_ASTRAY = 0.02
"""That an arm over the pile was of somebody who did nothing there."""
_SEAT, _OTHER_SEAT = 0.9, 0.1
"""How well a seat is told where only a side of the picture is known; the last is for all other seats together."""


@dataclass(slots=True)
class Leans:
    """From how far beside his seat each player's arm comes, learned from what he did: people lean."""

    sums: dict[int, float] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)

    def learn(self, player: int, reaches: Sequence[Reach], players: int) -> None:
        """Take in that a player's arm came in so."""
        for reach in reaches:
            if reach.around is not None:
                self.sums[player] = self.sums.get(player, 0.0) + _off(reach.around, player, players)
                self.counts[player] = self.counts.get(player, 0) + 1

    def weight(self, player: int, reaches: Sequence[Reach], players: int) -> float:
        """Return how likely these arms came in where they did if the player's they were, as a log-probability."""
        weights = (self._weight(player, reach, players) for reach in reaches)
        logs = [each for each in weights if each is not None]
        return sum(logs) / len(logs) if logs else 0.0

    def _weight(self, player: int, reach: Reach, players: int) -> float | None:
        if reach.around is not None:
            count = self.counts.get(player, 0)
            # What is known of his lean after so many reaches: a mean and a variance, by Bayes' rule for normal deviates.
            variance = 1 / (1 / _LEANING**2 + count / _WOBBLE**2)
            lean = self.sums.get(player, 0.0) / _WOBBLE**2 * variance
            spread = sqrt(variance + _WOBBLE**2)
            off = (_off(reach.around, player, players) - lean) / spread
            bell = exp(-off * off / 2) / (spread * sqrt(2 * pi))
            return log((1 - _ASTRAY) * bell + _ASTRAY)
        if reach.seat is None:
            return None
        return log(_SEAT if reach.seat == player else _OTHER_SEAT / max(1, players - 1))


def _off(around: float, player: int, players: int) -> float:
    """Return how far beside a player's seat a place around the table is, -0.5 to 0.5."""
    return (around - (player - 1) / players + 0.5) % 1 - 0.5
