"""Fast scoring of Kekoro piles under one table's rules, with lookup tables that are filled on demand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from .rules import KekoroRules
from .values import values_in_force
from .yaku import Yaku, in_force

__all__ = ["Scorer", "prepared"]


class _YakuTable(dict[int, tuple[Yaku, ...]]):
    """The yaku of one group by the set of its cards in a pile, computed on demand."""

    def __init__(self, group: Sequence[Yaku]) -> None:
        self.group = group
        self.cards = 0
        """The cards that some yaku of the group uses; keys may contain no others."""
        for yaku in group:
            self.cards |= yaku.cards

    def __missing__(self, cards: int) -> tuple[Yaku, ...]:
        made = self[cards] = tuple(yaku for yaku in self.group if yaku.made_by(cards))
        return made


class _GroupPoints(dict[int, int]):
    """The points of one group's yaku by the set of its cards in a pile."""

    def __init__(self, yaku_by_cards: _YakuTable, points_per_yaku: int) -> None:
        self.yaku_of = yaku_by_cards
        self.each = points_per_yaku

    def __missing__(self, cards: int) -> int:
        points = self[cards] = self.each * len(self.yaku_of[cards])
        return points


class Scorer:
    """Scores piles under one table's rules.

    No yaku mixes brights and animals with ribbons. So a pile's yaku are those of its twelve cards used in the one
    group and of its twelve cards used in the other: two tables of at most 4,096 entries.
    """

    def __init__(self, rules: KekoroRules) -> None:
        yaku = in_force(rules.yaku_source)
        self._values = values_in_force(rules.values)
        self._pictures = _YakuTable([each for each in yaku if each.group == "pictures"])
        self._ribbons = _YakuTable([each for each in yaku if each.group == "ribbons"])
        self._picture_cards = self._pictures.cards
        self._ribbon_cards = self._ribbons.cards
        self._picture_points = _GroupPoints(self._pictures, rules.yaku_points)
        self._ribbon_points = _GroupPoints(self._ribbons, rules.yaku_points)

    def yaku(self, pile: int) -> tuple[Yaku, ...]:
        """Return the yaku of a pile, in the order of `YAKU`."""
        return self._pictures[pile & self._picture_cards] + self._ribbons[pile & self._ribbon_cards]

    def count(self, pile: int) -> int:
        """Return the number of yaku in a pile."""
        return len(self._pictures[pile & self._picture_cards]) + len(self._ribbons[pile & self._ribbon_cards])

    def values(self, pile: int) -> int:
        """Return the sum of the card values of a pile."""
        (tens, ten), (fives, five), (ones, one) = self._values
        return (
            (pile & tens).bit_count() * ten
            + (pile & fives).bit_count() * five
            + (pile & ones).bit_count() * one
        )

    def total(self, pile: int) -> int:
        """Return the round score: card values and yaku."""
        return (
            self.values(pile)
            + self._picture_points[pile & self._picture_cards]
            + self._ribbon_points[pile & self._ribbon_cards]
        )


@lru_cache(maxsize=64)
def prepared(rules: KekoroRules) -> Scorer:
    """Return the cached scorer of a table's rules."""
    return Scorer(rules)
