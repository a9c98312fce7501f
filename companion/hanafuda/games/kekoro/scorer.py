"""Kekoro's points, fast: a scorer prepared once for a table's rules, with tables that fill as they are asked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from companion.hanafuda.games.kekoro.rules import KekoroRules
from companion.hanafuda.games.kekoro.values import values_in_force
from companion.hanafuda.games.kekoro.yaku import Yaku, in_force

__all__ = ["Scorer", "prepared"]


class _Held(dict[int, tuple[Yaku, ...]]):
    """The yaku of one group that a set of its cards makes; worked out when first asked for."""

    def __init__(self, group: Sequence[Yaku]) -> None:
        self.group = group
        self.cards = 0
        """The cards that some yaku of the group takes: no others may be asked about."""
        for yaku in group:
            self.cards |= yaku.cards

    def __missing__(self, cards: int) -> tuple[Yaku, ...]:
        held = self[cards] = tuple(yaku for yaku in self.group if yaku.held(cards))
        return held


class _Points(dict[int, int]):
    """What the yaku of one group pay for a set of its cards."""

    def __init__(self, held: _Held, each: int) -> None:
        self.held = held
        self.each = each

    def __missing__(self, cards: int) -> int:
        points = self[cards] = self.each * len(self.held[cards])
        return points


class Scorer:
    """What piles are worth by one table's rules.

    No yaku mixes brights and animals with ribbons, so a pile's yaku are those of its twelve cards that serve
    in the ones and of its twelve that serve in the others: two tables of at most 4,096 entries.
    """

    def __init__(self, rules: KekoroRules) -> None:
        yaku = in_force(rules.yaku_source)
        self._values = values_in_force(rules.values)
        self._pictures = _Held([each for each in yaku if each.group == "pictures"])
        self._ribbons = _Held([each for each in yaku if each.group == "ribbons"])
        self._picture_cards = self._pictures.cards
        self._ribbon_cards = self._ribbons.cards
        self._picture_points = _Points(self._pictures, rules.yaku_points)
        self._ribbon_points = _Points(self._ribbons, rules.yaku_points)

    def yaku(self, pile: int) -> tuple[Yaku, ...]:
        """Return the yaku that a pile makes, in the order of `YAKU`."""
        return self._pictures[pile & self._picture_cards] + self._ribbons[pile & self._ribbon_cards]

    def count(self, pile: int) -> int:
        """Return the number of yaku that a pile makes."""
        return len(self._pictures[pile & self._picture_cards]) + len(self._ribbons[pile & self._ribbon_cards])

    def values(self, pile: int) -> int:
        """Return what the cards are worth by themselves."""
        (tens, ten), (fives, five), (ones, one) = self._values
        return (
            (pile & tens).bit_count() * ten
            + (pile & fives).bit_count() * five
            + (pile & ones).bit_count() * one
        )

    def total(self, pile: int) -> int:
        """Return the round score: card values and yaku (E4)."""
        return (
            self.values(pile)
            + self._picture_points[pile & self._picture_cards]
            + self._ribbon_points[pile & self._ribbon_cards]
        )


@lru_cache(maxsize=64)
def prepared(rules: KekoroRules) -> Scorer:
    """Return the scorer of a table's rules; its tables stay filled from one asking to the next."""
    return Scorer(rules)
