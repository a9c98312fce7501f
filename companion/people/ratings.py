"""Glicko-2 ratings: a strength with its uncertainty, computed from rounds against rated opponents.

Mark E. Glickman, "Example of the Glicko-2 system" (2022), https://www.glicko.net/glicko/glicko2.pdf; the steps in the comments are
its steps. A rating period is a night. A round of more than two players counts as one game against each of the others.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

_TAU: Final = 0.5
"""How quickly volatility may change; the paper suggests 0.3 to 1.2."""
_SCALE: Final = 173.7178
"""Rating points per unit of the Glicko-2 scale."""
_CENTER: Final = 1500.0
_MAX_DEVIATION: Final = 350.0
"""Deviation of a new player; nobody is less certain than that."""
_TOLERANCE: Final = 1e-6

Games: TypeAlias = tuple[int, float]
"""Games against one opponent, and the score in them: 1 for each win, 0.5 for each draw."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's rating; the defaults are a new player's."""

    value: float = _CENTER
    deviation: float = _MAX_DEVIATION
    """Standard deviation of the rating: the strength is within 2 deviations with 95 % confidence."""
    volatility: float = 0.06


def rate_periods(periods: Iterable[Mapping[tuple[str, str], Games]]) -> dict[str, Rating]:
    """Return the ratings after rating periods, given the games of each by player and opponent, from both sides."""
    ratings: dict[str, Rating] = {}
    for period in periods:
        played: defaultdict[str, list[tuple[Rating, Games]]] = defaultdict(list)
        for (player, opponent), games in period.items():
            played[player].append((ratings.get(opponent, Rating()), games))
        ratings |= {
            player: rate(ratings.get(player, Rating()), played.get(player, ()))
            for player in ratings.keys() | played
        }
    return ratings


def rate(rating: Rating, played: Sequence[tuple[Rating, Games]]) -> Rating:
    """Return a rating after a rating period with games against opponents, whose ratings are those before the period."""
    mu, phi = (rating.value - _CENTER) / _SCALE, rating.deviation / _SCALE  # step 2
    if not played:
        return _rating(mu, math.hypot(phi, rating.volatility), rating.volatility)
    precision = improvement = 0.0
    for opponent, (count, score) in played:  # steps 3 and 4
        g = 1 / math.sqrt(1 + 3 * (opponent.deviation / _SCALE) ** 2 / math.pi**2)
        expected = 1 / (1 + math.exp(-g * (mu - (opponent.value - _CENTER) / _SCALE)))
        precision += count * g * g * expected * (1 - expected)
        improvement += g * (score - count * expected)
    variance = 1 / precision
    volatility = _volatility(rating.volatility, phi, variance, variance * improvement)
    phi_star = math.hypot(phi, volatility)  # step 6
    phi = 1 / math.sqrt(1 / phi_star**2 + precision)  # step 7
    return _rating(mu + phi**2 * improvement, phi, volatility)


def _rating(mu: float, phi: float, volatility: float) -> Rating:
    """Return a rating given on the Glicko-2 scale (step 8)."""
    return Rating(_CENTER + _SCALE * mu, min(_SCALE * phi, _MAX_DEVIATION), volatility)


def _volatility(sigma: float, phi: float, variance: float, delta: float) -> float:
    """Return the new volatility by the Illinois algorithm (step 5)."""
    a = math.log(sigma**2)

    def f(x: float) -> float:
        total = phi**2 + variance + math.exp(x)
        return math.exp(x) * (delta**2 - total) / (2 * total**2) - (x - a) / _TAU**2

    low = a
    if delta**2 > phi**2 + variance:
        high = math.log(delta**2 - phi**2 - variance)
    else:
        high = a - _TAU
        while f(high) < 0:
            high -= _TAU
    f_low, f_high = f(low), f(high)
    while abs(high - low) > _TOLERANCE:
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = f(middle)
        if f_middle * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = middle, f_middle
    return math.exp(low / 2)
