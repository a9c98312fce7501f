"""The probability that each player wins a round, by simulation.

What is simulated: the cards that the round does not know are dealt at random, each assignment being equally likely; the
stock is always shuffled, even if the record knows it. Then every player follows the policy of the game
(`companion.hanafuda.description.Game.policy`), which knows nothing of hidden cards, until the round is over by the rules.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from math import sqrt
from random import Random
from typing import Any

from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import Outcome, Round

_PLAYOUTS = 300
"""Simulated rounds if the caller does not say how many: the 95 % interval is then at most ± 6 %, which nobody sees on a graph."""
_Z = 1.96
"""Standard deviations of a 95 % interval."""


@dataclass(frozen=True, slots=True)
class Probability:
    """An estimated probability with its 95 % interval (Wilson)."""

    p: float
    low: float
    high: float

    @classmethod
    def of(cls, count: int, playouts: int) -> Probability:
        """Return the estimate from how often something happened."""
        p, z2 = count / playouts, _Z * _Z
        center = (p + z2 / (2 * playouts)) / (1 + z2 / playouts)
        half = _Z * sqrt(p * (1 - p) / playouts + z2 / (4 * playouts**2)) / (1 + z2 / playouts)
        return cls(p, max(0.0, center - half), min(1.0, center + half))

    def to_dict(self) -> dict[str, float]:
        """Return the probability as JSON."""
        return {"p": round(self.p, 4), "low": round(self.low, 4), "high": round(self.high, 4)}


@dataclass(frozen=True, slots=True)
class CallProbabilities:
    """The same after one of the calls between which a player has to decide."""

    word: str
    """The last of the words of the move."""
    wins: tuple[Probability, ...]
    points: tuple[float, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the probabilities as JSON."""
        return {
            "word": self.word,
            "wins": [each.to_dict() for each in self.wins],
            "points": [round(each, 2) for each in self.points],
        }


@dataclass(frozen=True, slots=True)
class WinProbabilities:
    """How likely each player is to win a round from a position."""

    wins: tuple[Probability, ...]
    """In seat order; several players may win together."""
    nobody: Probability
    points: tuple[float, ...]
    """The mean points of each player."""
    playouts: int
    """The number of simulated rounds; 0 if the round is over, so that nothing is uncertain."""
    calls: tuple[CallProbabilities, ...] = ()
    """Each call between which a player has to decide, the one that wins most often first; all else is that after this one."""

    def to_dict(self) -> dict[str, Any]:
        """Return the probabilities as JSON."""
        return {
            "wins": [each.to_dict() for each in self.wins],
            "nobody": self.nobody.to_dict(),
            "points": [round(each, 2) for each in self.points],
            "playouts": self.playouts,
            "calls": [each.to_dict() for each in self.calls],
        }


def win_probabilities(
    played: Round[Any, Any, Any], *, playouts: int = _PLAYOUTS, seed: int = 0
) -> WinProbabilities | None:
    """Return the probability that each player wins a round, from where it stands.

    ``played`` is the round as its audience knows it: known hands stay, hidden cards (None) are dealt at random. For
    a display pass the round of the public table (`LiveTables.at`), which knows no hand. ``playouts`` is the number of
    simulated rounds (the more, the narrower the interval), the same ``seed`` gives the same result. The round itself is
    not changed. Where a player has to decide between calls, each is simulated, and the best one counts. Returns None for a game
    whose hidden cards cannot be dealt at random, or if the cards contradict each other.
    """
    calls = played.calls() if played.pending_decision() is not None else []
    if not calls:
        return _estimate(played, playouts, seed)
    player, after = calls[0].player, []
    for call in calls:
        tried = played.copy()
        tried.push(call)
        estimate = _estimate(tried, playouts, seed)
        if estimate is None:
            return None
        after.append((call.words()[1], estimate))
    after.sort(key=lambda each: each[1].wins[player - 1].p, reverse=True)
    return replace(
        after[0][1],
        calls=tuple(CallProbabilities(word, each.wins, each.points) for word, each in after),
    )


def _estimate(played: Round[Any, Any, Any], playouts: int, seed: int) -> WinProbabilities | None:
    outcome = played.outcome()
    if outcome is not None:
        return _certain(outcome, played.players)
    rng = Random(seed)
    outcomes = []
    for _ in range(playouts):
        ended = _played_out(played, rng)
        if ended is None:
            return None
        outcomes.append(ended)
    winners = Counter(winner for each in outcomes for winner in each.winners)
    points = zip(*(each.points for each in outcomes), strict=True)
    return WinProbabilities(
        wins=tuple(Probability.of(winners[seat], playouts) for seat in range(1, played.players + 1)),
        nobody=Probability.of(sum(not each.winners for each in outcomes), playouts),
        points=tuple(sum(each) / playouts for each in points),
        playouts=playouts,
    )


def _certain(outcome: Outcome, players: int) -> WinProbabilities:
    def of(happened: bool) -> Probability:
        return Probability(float(happened), float(happened), float(happened))

    wins = tuple(of(seat in outcome.winners) for seat in range(1, players + 1))
    return WinProbabilities(wins, of(not outcome.winners), tuple(map(float, outcome.points)), 0)


def _played_out(played: Round[Any, Any, Any], rng: Random) -> Outcome | None:
    """Return the outcome of one simulated round; None if its hidden cards cannot be dealt, or if it cannot be ended."""
    policy = GAMES[played.rules.game].policy
    tried = played.filled(rng)
    if tried is None:
        return None
    while moves := tried.legal_moves():
        tried.push(rng.choice(moves) if policy is None else policy(tried, moves, rng))
    return tried.outcome()  # None: after an illegal move the player to move may have no card
