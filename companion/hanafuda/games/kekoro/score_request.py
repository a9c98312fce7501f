"""Scoring a pile of Kekoro from a request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.hanafuda.description import CardScorer, yaku_names
from companion.hanafuda.games.kekoro.reasons import to_dict
from companion.hanafuda.games.kekoro.rules import KekoroRules
from companion.hanafuda.games.kekoro.scorer import Scorer
from companion.hanafuda.games.kekoro.scoring import score
from companion.hanafuda.games.kekoro.yaku import YAKU
from companion.hanafuda.validation import card_set

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
