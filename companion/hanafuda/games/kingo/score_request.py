"""Scoring a hand of Kingo from a request, in both forms of the game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...description import CardScorer, yaku_names
from ...errors import BadRequestError, quote
from .hands import POT_RANKS, TEYAKU, AnyKingoRules, Role
from .scoring import score_hand

__all__ = ["BANK_SCORER", "SCORER"]

_ROLES: tuple[Role, ...] = ("bettor", "dealer")


def _score(request: Mapping[str, Any], rules: AnyKingoRules) -> dict[str, Any]:
    hand, role = request["captured"], request.get("role") or "bettor"
    if not isinstance(hand, list | tuple):
        raise BadRequestError(f"captured must be a list of card ids, not {quote(hand)}")
    if role not in _ROLES:
        raise BadRequestError(f"role must be {' or '.join(_ROLES)}, not {quote(role)}")
    return score_hand(hand, rules, role).to_dict()


SCORER = CardScorer(cards="hand", yaku=yaku_names(rank for rank in POT_RANKS if rank.teyaku), score=_score)

BANK_SCORER = CardScorer(cards="hand", inputs=("role",), yaku=yaku_names(TEYAKU.values()), score=_score)
