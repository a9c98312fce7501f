"""How simulated players of Koi-Koi decide."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from ...fishing import Call, FishingMove
from ...fishing.moves import call_of
from ...fishing.policy import best_cards
from ...messages import Message
from .round import KoiKoiRound

__all__ = ["CALL_BELOW", "CALL_HAND", "POLICY_TEXT", "calls_koikoi", "policy"]

CALL_HAND = 3
"""A simulated player calls koi-koi only with at least this many cards in the hand."""
CALL_BELOW = 7
"""A simulated player calls koi-koi only with fewer points: most tables double seven or more."""
POLICY_TEXT = Message("koikoi-policy", {"points": CALL_BELOW, "cards": CALL_HAND})


def calls_koikoi(base: int, hand: int, opponent_calls: int) -> bool:
    """Return whether a player with a new yaku calls koi-koi; `base` is the sum of the yaku, `hand` the cards left."""
    return base < CALL_BELOW and hand >= CALL_HAND and not opponent_calls


def policy(played: KoiKoiRound, moves: Sequence[FishingMove], rng: Random) -> FishingMove:
    """Return the move of a simulated player: the best cards, and koi-koi while there is time and little to lose."""
    if not isinstance(moves[0], Call):
        return best_cards(moves)
    state = played.state
    player = moves[0].player
    base = sum(points for _, points in played.yaku(player))
    goes_on = calls_koikoi(base, state.hand_sizes[player - 1], state.calls[2 - player])
    return call_of(player, "koikoi" if goes_on else "stop")
