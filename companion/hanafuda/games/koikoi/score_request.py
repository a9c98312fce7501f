"""Scoring a pile of Koi-Koi from a request: captured cards, month, field and calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...cards import CardTwiceError, from_bits
from ...description import CardScorer, yaku_names
from ...errors import BadRequestError, quote
from ...validation import card_set, only_keys, whole_number
from .reasons import to_dict
from .rules import KoiKoiRules
from .scorer import Scorer
from .scoring import Situation, score
from .yaku import YAKU

__all__ = ["SCORER"]


def _score(request: Mapping[str, Any], rules: KoiKoiRules) -> dict[str, Any]:
    pile = card_set(request["captured"], "captured")
    field = request.get("field")
    on_field = None if field is None else card_set(field, "field")
    if on_field and (both := pile & on_field):
        raise CardTwiceError(from_bits(both)[0].id, in_both=True)
    calls = request.get("calls") or {}
    if not isinstance(calls, Mapping):
        raise BadRequestError(f'calls must be an object like {{"own": 1, "opponent": 0}}, not {quote(calls)}')
    only_keys(calls, ("own", "opponent"), "calls")
    situation = Situation(
        month=None if (month := request.get("month")) is None else whole_number(month, "month", 1, 12),
        field=on_field,
        own_calls=_calls(calls, "own"),
        opponent_calls=_calls(calls, "opponent"),
    )
    return to_dict(score(pile, rules, situation))


def _calls(calls: Mapping[str, Any], whose: str) -> int:
    number = calls.get(whose)
    return 0 if number is None else whole_number(number, f"calls.{whose}", 0)


_NOTHING_KNOWN = Situation()

SCORER = CardScorer(
    cards="pile",
    inputs=("month", "field", "calls"),
    yaku=yaku_names(YAKU.values()),
    score=_score,
    explain=lambda pile, rules: to_dict(score(pile, rules, _NOTHING_KNOWN)),
    prepare=Scorer,
)
