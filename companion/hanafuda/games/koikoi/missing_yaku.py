"""The yaku of Koi-Koi that a pile has almost made, and that would raise its points."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from ...cards import from_bits
from .scorer import scorer_for
from .scoring import CUPS, Score
from .yaku import Yaku, in_force

__all__ = ["NearYaku", "missing_yaku"]

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
