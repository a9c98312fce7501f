"""The explanation of a Koi-Koi score, the yaku that a pile has almost made, and the score as the JSON of the contract."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from ...cards import from_bits
from ...messages import Message, yaku_message
from ...score_json import near_yaku_answer, yaku_answer
from .scorer import scorer_for
from .scoring import CUPS, Paid, Score
from .yaku import Yaku, in_force

__all__ = ["NearYaku", "missing_yaku", "to_dict", "why", "why_paid"]

# A yaku is near if at most this many cards are missing and at least half of them are there.
_MAX_MISSING = 2


@dataclass(frozen=True, slots=True)
class NearYaku:
    """A near yaku: any `count` of the cards in `needs` complete it."""

    yaku: Yaku
    needs: int
    count: int


def missing_yaku(score: Score) -> list[NearYaku]:
    """Return the near yaku that would raise a score, fewest missing cards first, then by points."""
    pile, rules = score.pile, score.rules
    paid = {each.yaku.slug for each in score.paid}
    near = []
    for yaku in in_force(rules, score.situation.month, score.cup or CUPS[rules.sake_cup][0]):
        if yaku.slug in paid:
            continue
        required = yaku.must & ~pile
        count = max(yaku.count - (pile & yaku.of).bit_count(), required.bit_count())
        # Without the Rain Man and one more bright it is not near: not just any two cards complete it.
        if 0 < count <= min(_MAX_MISSING, yaku.count // 2) and (
            not required or count == required.bit_count()
        ):
            lack = NearYaku(yaku, required or yaku.of & ~pile, count)
            if _would_pay(lack, score):
                near.append(lack)
    return sorted(near, key=lambda lack: (lack.count, -getattr(rules, lack.yaku.option)))


def _would_pay(lack: NearYaku, score: Score) -> bool:
    """Return whether some choice of the missing cards completes the yaku and raises the points."""
    situation = score.situation
    scorer = scorer_for(score.rules, situation.month)
    for cards in combinations(from_bits(lack.needs), lack.count):
        pile = score.pile | sum(card.bit for card in cards)
        paid = dict(scorer.yaku(pile, situation.field, situation.own_calls > 0))
        if lack.yaku.slug in paid and sum(paid.values()) > score.base:
            return True
    return False


def why_paid(paid: Paid, score: Score) -> Message:
    """Return the explanation of a yaku's points."""
    yaku, further = paid.yaku, paid.further
    points = _points(paid.points - further)
    if yaku.counted:
        count = yaku.count + further
        if further:
            return Message(
                "koikoi-why-counted-more",
                {
                    "count": count,
                    "takes": yaku.takes,
                    "points": points,
                    "needed": yaku.count,
                    "further": further,
                },
            )
        return Message(
            "koikoi-why-counted",
            {"count": count, "takes": yaku.takes, "points": points, "needed": yaku.count},
        )
    if further:
        why = Message("koikoi-why-cards-more", {"takes": yaku.takes, "points": points, "further": further})
    else:
        why = Message("labeled", {"label": yaku.takes, "text": points})
    if yaku.group == "viewings":
        why = _why_viewing(why, yaku.slug, score)
    if yaku.slug == "poetry-and-blue":
        if score.rules.poetry_blue == "replace":
            return Message("koikoi-why-replaces", {"why": why})
        return Message("koikoi-why-adds", {"why": why})
    return why


def _why_viewing(why: Message, slug: str, score: Score) -> Message:
    """Add the conditions of a viewing to its explanation."""
    if score.rules.viewing_after_call and score.situation.own_calls:
        why = Message("koikoi-why-after-call", {"why": why})
    if score.rules.viewing_spoilt == "field" and score.situation.field is None:
        if slug == "flower-viewing":
            return Message("koikoi-why-unless-willow", {"why": why})
        return Message("koikoi-why-unless-paulownia", {"why": why})
    return why


def why(score: Score) -> Message:
    """Return the explanation of the total, with multipliers."""
    sentences = [_sum(score), *_payment(score)]
    sentences += [
        Message("koikoi-unpaid", {"yaku": yaku_message(each.yaku.slug), "reason": each.reason})
        for each in score.unpaid
    ]
    if score.cup:
        sentences.append(Message("koikoi-cup-animal" if score.cup == "animal" else "koikoi-cup-chaff"))
    return _joined(sentences)


def _joined(sentences: Sequence[Message]) -> Message:
    first, *others = sentences
    for second in others:
        first = Message("sentences", {"first": first, "second": second})
    return first


def _points(count: int) -> Message:
    return Message("points", {"count": count})


def _sum(score: Score) -> Message:
    """Return the yaku with their points, and the sum."""
    if not score.paid:
        return Message("koikoi-score-none")
    if len(score.paid) == 1:
        paid = score.paid[0]
        return Message(
            "koikoi-score-one", {"yaku": yaku_message(paid.yaku.slug), "points": _points(paid.points)}
        )
    first, *others = (
        Message("koikoi-yaku-points", {"yaku": yaku_message(each.yaku.slug), "points": each.points})
        for each in score.paid
    )
    for second in others:
        first = Message("koikoi-score-plus", {"first": first, "second": second})
    return Message("koikoi-score-sum", {"yaku": first, "points": _points(score.base)})


def _payment(score: Score) -> list[Message]:
    """Return how calls and the doubling at seven change the sum; nothing if they do not."""
    payment, situation = score.payment, score.situation
    steps = []
    calls = {"own": situation.own_calls, "opponent": situation.opponent_calls}
    for effect, changes in (("rule-effect-plus", payment.added), ("rule-effect-times", payment.factors)):
        steps += [
            Message(
                f"koikoi-payment-{whose}",
                {"calls": calls[whose], "effect": Message(effect, {"number": number})},
            )
            for whose, number in changes
        ]
    if len(payment.factors) > 1 and score.rules.combine == "add":
        steps.append(Message("koikoi-payment-together", {"factor": payment.calls_factor}))
    if payment.seven:
        steps.append(Message("koikoi-payment-seven", {"points": payment.seven}))
    if steps:
        steps.append(Message("koikoi-payment", {"points": _points(payment.total)}))
    return steps


def to_dict(score: Score) -> dict[str, Any]:
    """Return a score as the contract's JSON."""
    return {
        "yaku": [
            yaku_answer(paid.yaku, paid.points, paid.cards, why_paid(paid, score)) for paid in score.paid
        ],
        "base": score.base,
        "total": score.total,
        "reason": why(score).to_dict(),
        "missing": [near_yaku_answer(near.yaku, near.needs, near.count) for near in missing_yaku(score)],
        "rules": {"name": score.rules.name, "hash": score.rules.hash},
    }
