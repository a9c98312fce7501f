"""The score of a Kekoro pile under one table's rules: card values, yaku, and the cards missing from near yaku."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from .rules import KekoroRules
from .scorer import prepared
from .yaku import Yaku, in_force

__all__ = ["NearYaku", "Score", "score"]

# A yaku is near if at most this many of its three cards are missing.
_MAX_MISSING = 2


@dataclass(frozen=True, slots=True)
class NearYaku:
    """A near yaku: all the `count` cards in `needs` together complete it."""

    yaku: Yaku
    needs: int
    count: int


@dataclass(frozen=True, slots=True)
class Score:
    """The score of a pile, with everything needed to explain it."""

    rules: KekoroRules
    pile: int
    values: int
    """The sum of the card values."""
    yaku: tuple[Yaku, ...]
    missing: tuple[NearYaku, ...]

    @property
    def total(self) -> int:
        """The round score: card values and yaku."""
        return self.values + self.rules.yaku_points * len(self.yaku)


def score(pile: int, rules: KekoroRules) -> Score:
    """Score a pile, a set of cards."""
    scorer = prepared(rules)
    near: tuple[list[NearYaku], ...] = tuple([] for _ in range(_MAX_MISSING))
    for yaku in in_force(rules.yaku_source):
        needs = yaku.cards & ~pile
        if 0 < (count := needs.bit_count()) <= _MAX_MISSING:
            near[count - 1].append(NearYaku(yaku, needs, count))
    return Score(
        rules=rules,
        pile=pile,
        values=scorer.values(pile),
        yaku=scorer.yaku(pile),
        missing=tuple(chain(*near)),
    )
