"""What a fast simulation of Koi-Koi needs (`companion.hanafuda.description.FastPlayouts`), computed by the rules engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ...description import ScoredGroup
from ...families.fishing.policy import best_captures
from ...messages import Message
from ...round import Outcome
from .policy import calls_koikoi
from .round import KoiKoiRound
from .rules import KoiKoiRules
from .scorer import scorer_for

__all__ = ["KoiKoiPlayouts", "playouts"]

_NO_REASON = Message("koikoi-exhausted")
"""The reason of outcomes whose reason nobody reads."""


def playouts(played: KoiKoiRound) -> KoiKoiPlayouts | None:
    """Return the simulation of a round from its current state; None under rules that it does not follow."""
    rules, state = played.rules, played.state
    groups = _groups(rules, played.month)
    if groups is None or rules.judge != "turn" or rules.offer == "new_only" or played.captures.wild:
        return None
    if state.phase not in {"play", "draw", "decide"}:
        return None
    return KoiKoiPlayouts(played, groups, best_captures(played.captures), played.teyaku_ends(state))


@lru_cache(maxsize=32)  # twelve months of the few rules that one program uses
def _groups(rules: KoiKoiRules, month: int | None) -> tuple[ScoredGroup, ...] | None:
    return scorer_for(rules, month).groups()


@dataclass(frozen=True, slots=True)
class KoiKoiPlayouts:
    """The decisions and results of simulated rounds of Koi-Koi; see `FastPlayouts`."""

    played: KoiKoiRound
    groups: tuple[ScoredGroup, ...]
    captures: tuple[Sequence[int], Sequence[int]]
    teyaku_ignored: bool
    """Whether the players went on although a dealt hand had won."""

    def dealt_out(self, dealt: Sequence[int]) -> bool:
        """Return whether hands (as dealt, one set per player) would have ended the round before it began."""
        state = self.played.state.copy()
        state.hands, state.played = tuple(dealt), (0, 0)
        state.hand_sizes = tuple(hand.bit_count() for hand in dealt)
        return not self.teyaku_ignored and self.played.teyaku_ends(state)

    def stops(self, player: int, base: int, calls: tuple[int, int], hand_sizes: tuple[int, int]) -> bool:
        """Return whether the round ends when a player has made or improved yaku of `base` points."""
        state = self.played.state.copy()
        state.player, state.calls, state.hand_sizes = player, calls, hand_sizes
        if self.played.forced_stop(state, base):
            return True
        return not calls_koikoi(base, hand_sizes[player - 1], calls[2 - player])

    def outcome(self, winner: int, base: int, calls: tuple[int, int]) -> Outcome:
        """Return the outcome of a round that a player wins with `base` points, or nobody (0)."""
        played = self.played
        if not winner:
            return played.without_winner("exhausted", played.rules.exhausted, _NO_REASON)
        total = scorer_for(played.rules, played.month).paid(base, calls[winner - 1], calls[2 - winner])
        return played.won("stop", winner, total * played.field_factor(), _NO_REASON)
