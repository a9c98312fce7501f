"""The explanation of a Kekoro score, and the score as the JSON of the contract."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ...cards import from_bits
from ...messages import Message, card_message
from ...score_json import near_yaku_answer, yaku_answer
from .scoring import Score
from .values import CARD_VALUES
from .yaku import Yaku

__all__ = ["to_dict", "why", "why_paid"]


@lru_cache(maxsize=256)
def why_paid(yaku: Yaku, points: int) -> Message:
    """Return the explanation of a yaku's points."""
    cards = tuple(card_message(card.id) for card in from_bits(yaku.cards))
    return Message("kekoro-why-yaku", {"cards": cards, "points": Message("points", {"count": points})})


def why(score: Score) -> Message:
    """Return the explanation of the total: the card values, then the yaku."""
    if not score.pile:
        return Message("kekoro-why-none")
    rows = tuple(
        Message(row.code, {"count": count, "value": row.values[score.rules.values]})
        for row in CARD_VALUES
        if (count := (score.pile & row.cards).bit_count())
    )
    cards = Message(
        "kekoro-why-values", {"cards": rows, "points": Message("points", {"count": score.values})}
    )
    if score.yaku:
        count, each = len(score.yaku), score.rules.yaku_points
        yaku = Message(
            "kekoro-why-sum",
            {
                "count": count,
                "each": each,
                "points": Message("points", {"count": count * each}),
                "total": score.total,
            },
        )
    else:
        yaku = Message("kekoro-why-no-yaku")
    return Message("sentences", {"first": cards, "second": yaku})


def to_dict(score: Score) -> dict[str, Any]:
    """Return a score as the contract's JSON."""
    reason = why(score)
    return {
        "yaku": [
            yaku_answer(yaku, score.rules.yaku_points, yaku.cards, why_paid(yaku, score.rules.yaku_points))
            for yaku in score.yaku
        ],
        "base": score.total,
        "total": score.total,
        "values": score.values,
        "why": reason.en,
        "why_ja": reason.ja,
        "reason": reason.to_dict(),
        "missing": [near_yaku_answer(near.yaku, near.needs, near.count) for near in score.missing],
        "rules": {"name": score.rules.name, "hash": score.rules.hash},
    }
