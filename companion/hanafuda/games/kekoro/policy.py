"""How simulated players of Kekoro decide."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from ...families.fishing import Call, FishingMove
from ...families.fishing.policy import best_cards
from ...messages import Message

__all__ = ["POLICY_TEXT", "policy"]

POLICY_TEXT = Message("fishing-policy")


def policy(played: Any, moves: Sequence[FishingMove], rng: Random) -> FishingMove:
    """Return the move of a simulated player: the victory by yaku if it can be declared, otherwise the best cards."""
    return moves[0] if isinstance(moves[0], Call) else best_cards(moves)
