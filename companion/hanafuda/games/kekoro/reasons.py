"""A Kekoro score in sentences, English and Japanese, and as the JSON of the contract."""

from __future__ import annotations

from typing import Any

from companion.hanafuda.cards import from_bits
from companion.hanafuda.games.kekoro.scoring import Score
from companion.hanafuda.games.kekoro.values import CARD_VALUES
from companion.hanafuda.games.kekoro.yaku import Yaku
from companion.hanafuda.messages import Message
from companion.hanafuda.rules import Text
from companion.hanafuda.score_json import lack_answer, points_in_words, yaku_answer

__all__ = ["to_dict", "why", "why_paid"]


def why_paid(yaku: Yaku, score: Score) -> Message:
    """Say why a yaku pays what it pays."""
    cards = from_bits(yaku.cards)
    first, second, third = (card.names.en for card in cards)
    return Text(
        f"{first}, {second} and {third}: {points_in_words(score.rules.yaku_points)}",
        f"{'・'.join(card.names.ja for card in cards)}：{score.rules.yaku_points}点",
    )


def why(score: Score) -> Message:
    """Say how the total comes about: the cards by their values, then the yaku."""
    en, ja = [], []
    for row in CARD_VALUES:
        if held := (score.pile & row.cards).bit_count():
            value, name = row.values[score.rules.values], row.one if held == 1 else row.several
            en.append(f"{held} {name.en} at {value}")
            ja.append(f"{name.ja}{held}枚×{value}点")
    if not score.pile:
        return Text("No cards: 0 points.", "取り札なし：0点。")
    said = f"{', '.join(en)}: {points_in_words(score.values)} for the cards."
    said_ja = f"{'、'.join(ja)}：札{score.values}点。"
    if not score.yaku:
        return Text(f"{said} No yaku.", f"{said_ja}役なし。")
    count, each = len(score.yaku), score.rules.yaku_points
    return Text(
        f"{said} {count} yaku at {each}: {points_in_words(count * each)}. Together {score.total}.",
        f"{said_ja}役{count}つ×{each}点：{count * each}点。計{score.total}点。",
    )


def to_dict(score: Score) -> dict[str, Any]:
    """Return a score as the contract's JSON."""
    reason = why(score)
    return {
        "yaku": [
            yaku_answer(yaku, score.rules.yaku_points, yaku.cards, why_paid(yaku, score))
            for yaku in score.yaku
        ],
        "base": score.total,
        "total": score.total,
        "values": score.values,
        "why": reason.en,
        "why_ja": reason.ja,
        "missing": [lack_answer(lack.yaku, lack.needs, lack.count) for lack in score.missing],
        "rules": {"name": score.rules.name, "hash": score.rules.hash},
    }
