"""Teyaku, the dealt hands that win a round before play begins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...messages import Message
from ...score_json import NamedYaku
from .rules import KoiKoiRules
from .yaku import MONTHS

__all__ = ["TEYAKU", "Teyaku", "fours", "may_hold", "month_counts", "pairs", "teyaku_of", "threes"]


@dataclass(frozen=True, slots=True)
class Teyaku(NamedYaku):
    """One teyaku; its points are the value of the rules' option of the same name."""

    takes: Message
    source: str

    @property
    def option(self) -> str:
        """The rules' option with its points."""
        return self.slug.replace("-", "_")


TEYAKU: Mapping[str, Teyaku] = {
    each.slug: each
    for each in (
        Teyaku(
            "four-of-a-kind", "手四", "teshi", "Four of a Kind",
            Message("koikoi-dealt-hand-four"), "Kangni Hu §4.1 (Hand of Four)",
        ),
        Teyaku(
            "four-pairs", "くっつき", "kuttsuki", "Four Pairs",
            Message("koikoi-dealt-hand-pairs"), "Kangni Hu §4.1 (Joined Hand)",
        ),
    )
}  # fmt: skip
"""The teyaku by slug."""


# One nibble per month: a 1, 2 or 4 in each; and two bits in each nibble.
_ONES, _TWOS, _FOURS = (int("1" * 12, 16) * count for count in (1, 2, 4))
_PAIRS = int("3" * 12, 16)


def month_counts(cards: int) -> int:
    """Return the number of cards of each month in a set, as 12 nibbles."""
    cards -= cards >> 1 & (_ONES | _FOURS)
    return (cards & _PAIRS) + (cards >> 2 & _PAIRS)


def pairs(cards: int) -> int:
    """Return the number of same-month pairs in a set; four of a month are two pairs."""
    counts = month_counts(cards)
    return (counts & _TWOS).bit_count() + 2 * (counts & _FOURS).bit_count()


def fours(cards: int) -> int:
    """Return the number of months whose four cards are all in a set."""
    return (month_counts(cards) & _FOURS).bit_count()


def threes(cards: int) -> int:
    """Return the number of months with exactly three cards in a set."""
    counts = month_counts(cards)
    return (counts & counts >> 1 & _ONES).bit_count()


def teyaku_of(hand: int, rules: KoiKoiRules) -> Teyaku | None:
    """Return the teyaku that a hand scores, None if there is none; of two the better."""
    four, paired = rules.four_of_a_kind, rules.four_pairs
    if four and four >= paired and fours(hand):
        return TEYAKU["four-of-a-kind"]
    if paired and pairs(hand) >= 4:
        return TEYAKU["four-pairs"]
    return TEYAKU["four-of-a-kind"] if four and fours(hand) else None


def may_hold(hand: int, hidden: int, unseen: int, rules: KoiKoiRules) -> bool:
    """Return whether a partly hidden hand may have been dealt a teyaku that scores.

    `hand` are the cards known to have been in it, `hidden` is the number of the others, which are among `unseen`.
    """
    if rules.four_of_a_kind and any(
        (hand | unseen) & month == month and (month & ~hand).bit_count() <= hidden for month in MONTHS
    ):
        return True
    return bool(rules.four_pairs) and _max_pairs(hand, hidden, unseen) >= 4


def _max_pairs(hand: int, hidden: int, unseen: int) -> int:
    """Return the most pairs that a hand can have; single cards are paired first."""
    count = pairs(hand)
    costs = []
    for month in MONTHS:
        known, free = (hand & month).bit_count(), (unseen & month).bit_count()
        if known % 2 and free:
            costs.append(1)
            free -= 1
        costs += [2] * (free // 2)
    for cost in sorted(costs):
        if cost <= hidden:
            hidden -= cost
            count += 1
    return count
