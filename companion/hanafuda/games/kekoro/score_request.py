"""Scoring a pile of Kekoro from a request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...description import CardScorer, yaku_names
from ...validation import card_set
from .reasons import to_dict
from .rules import KekoroRules
from .scorer import Scorer
from .scoring import score
from .yaku import YAKU

__all__ = ["SCORER"]


def _score(request: Mapping[str, Any], rules: KekoroRules) -> dict[str, Any]:
    return to_dict(score(card_set(request["captured"], "captured"), rules))


SCORER = CardScorer(
    cards="pile",
    yaku=yaku_names(YAKU.values()),
    score=_score,
    explain=lambda pile, rules: to_dict(score(pile, rules)),
    prepare=Scorer,
)
