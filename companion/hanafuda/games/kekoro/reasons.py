"""The explanation of a Kekoro score, and the score as the JSON of the contract."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ...cards import from_bits
from ...messages import Message, card_message
from ...score_json import near_yaku_answer, yaku_answer
from .rules import KekoroRules
from .scoring import CARD_VALUES, Score
from .yaku import Yaku

__all__ = ["to_dict", "why", "why_paid"]


@lru_cache(maxsize=256)
def why_paid(yaku: Yaku, points: int) -> Message:
    """Return the explanation of a yaku's points."""
    cards = tuple(card_message(card.id) for card in from_bits(yaku.cards))
    return Message("kekoro-why-yaku", {"cards": cards, "points": Message("points", {"count": points})})


def why(score: Score) -> Message:
    """Return the explanation of the total: the card values, then the yaku."""
    counts = tuple([(score.pile & row.cards).bit_count() for row in CARD_VALUES])
    return _why(score.rules, counts, score.values, len(score.yaku))


@lru_cache(maxsize=4096)
def _why(rules: KekoroRules, counts: tuple[int, ...], values: int, yaku_count: int) -> Message:
    """Return the explanation of a pile with `counts` cards of each row of `CARD_VALUES`."""
    if not any(counts):
        return Message("kekoro-why-none")
    rows = tuple(
        Message(row.code, {"count": count, "value": row.values[rules.values]})
        for row, count in zip(CARD_VALUES, counts, strict=True)
        if count
    )
    cards = Message("kekoro-why-values", {"cards": rows, "points": Message("points", {"count": values})})
    if yaku_count:
        points = yaku_count * rules.yaku_points
        yaku = Message(
            "kekoro-why-sum",
            {
                "count": yaku_count,
                "each": rules.yaku_points,
                "points": Message("points", {"count": points}),
                "total": values + points,
            },
        )
    else:
        yaku = Message("kekoro-why-no-yaku")
    return Message("sentences", {"first": cards, "second": yaku})


def to_dict(score: Score) -> dict[str, Any]:
    """Return a score as the contract's JSON."""
    return {
        "yaku": [
            yaku_answer(yaku, score.rules.yaku_points, yaku.cards, why_paid(yaku, score.rules.yaku_points))
            for yaku in score.yaku
        ],
        "base": score.total,
        "total": score.total,
        "values": score.values,
        "reason": why(score).to_dict(),
        "missing": [near_yaku_answer(near.yaku, near.needs, near.count) for near in score.missing],
        "rules": {"name": score.rules.name, "hash": score.rules.hash},
    }
