"""What a pile is worth in Kekoro by one table's rules: card values, yaku, and what near yaku lack."""

from __future__ import annotations

from dataclasses import dataclass

from companion.hanafuda.games.kekoro.rules import KekoroRules
from companion.hanafuda.games.kekoro.scorer import prepared
from companion.hanafuda.games.kekoro.yaku import Yaku, in_force

__all__ = ["Lack", "Score", "score"]

# Near is what lacks at most this many of its three cards.
_NEAR = 2


@dataclass(frozen=True, slots=True)
class Lack:
    """A yaku that is near: all the cards in `needs` together would make it."""

    yaku: Yaku
    needs: int

    @property
    def count(self) -> int:
        """The number of cards it lacks."""
        return self.needs.bit_count()


@dataclass(frozen=True, slots=True)
class Score:
    """What a pile is worth, and everything needed to say why."""

    rules: KekoroRules
    pile: int
    values: int
    """What the cards are worth by themselves."""
    yaku: tuple[Yaku, ...]
    missing: tuple[Lack, ...]

    @property
    def total(self) -> int:
        """The round score: card values and yaku (E4)."""
        return self.values + self.rules.yaku_points * len(self.yaku)


def score(pile: int, rules: KekoroRules) -> Score:
    """Score a pile, a set of cards."""
    scorer = prepared(rules)
    lacking = ((yaku, yaku.cards & ~pile) for yaku in in_force(rules.yaku_source))
    near = [Lack(yaku, needs) for yaku, needs in lacking if 0 < needs.bit_count() <= _NEAR]
    return Score(
        rules=rules,
        pile=pile,
        values=scorer.values(pile),
        yaku=scorer.yaku(pile),
        missing=tuple(sorted(near, key=lambda lack: lack.count)),
    )
