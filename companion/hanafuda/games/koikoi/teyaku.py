"""Teyaku, the dealt hands that win a round before it begins (H §3.1, §4.1; K26 to K29)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from companion.hanafuda.games.koikoi.rules import KoiKoiRules
from companion.hanafuda.games.koikoi.yaku import MONTHS
from companion.hanafuda.messages import Message

__all__ = ["TEYAKU", "Teyaku", "fours", "may_hold", "month_counts", "pairs", "teyaku_of", "threes"]


@dataclass(frozen=True, slots=True)
class Teyaku:
    """One dealt hand; its points are the rules' option of its name."""

    slug: str
    ja: str
    romaji: str
    en: str
    takes: Message
    source: str

    @property
    def option(self) -> str:
        """The name of the rules' option that holds its points."""
        return self.slug.replace("-", "_")


TEYAKU: Mapping[str, Teyaku] = {
    each.slug: each
    for each in (
        Teyaku(
            "four-of-a-kind", "手四", "teshi", "Four of a Kind",
            Message("koikoi-dealt-hand-four"), "H §4.1 (Hand of Four); K26",
        ),
        Teyaku(
            "four-pairs", "くっつき", "kuttsuki", "Four Pairs",
            Message("koikoi-dealt-hand-pairs"), "H §4.1 (Joined Hand); K29",
        ),
    )
}  # fmt: skip
"""The dealt hands by slug."""


# A nibble for each month: 1 in each, 2 in each, 4 in each; two bits for each card pair.
_ONES, _TWOS, _FOURS = (int("1" * 12, 16) * count for count in (1, 2, 4))
_PAIRS = int("3" * 12, 16)


def month_counts(cards: int) -> int:
    """Return how many cards of each month are in a set, as 12 nibbles."""
    cards -= cards >> 1 & (_ONES | _FOURS)
    return (cards & _PAIRS) + (cards >> 2 & _PAIRS)


def pairs(cards: int) -> int:
    """Return how many pairs of one month the cards make; four of a month are two (K29)."""
    counts = month_counts(cards)
    return (counts & _TWOS).bit_count() + 2 * (counts & _FOURS).bit_count()


def fours(cards: int) -> int:
    """Return the number of months of which a set has all four cards."""
    return (month_counts(cards) & _FOURS).bit_count()


def threes(cards: int) -> int:
    """Return the number of months of which a set has exactly three cards."""
    counts = month_counts(cards)
    return (counts & counts >> 1 & _ONES).bit_count()


def teyaku_of(hand: int, rules: KoiKoiRules) -> Teyaku | None:
    """Return the dealt hand that is paid, None without one; of both kinds only the better (K28)."""
    made = []
    if rules.four_of_a_kind and fours(hand):
        made.append(TEYAKU["four-of-a-kind"])
    if rules.four_pairs and pairs(hand) >= 4:
        made.append(TEYAKU["four-pairs"])
    return max(made, key=lambda each: getattr(rules, each.option), default=None)


def may_hold(hand: int, hidden: int, unseen: int, rules: KoiKoiRules) -> bool:
    """Return whether a hand of which some cards are hidden may be a dealt hand that is paid.

    `hand` are the cards known to have been in it, `hidden` the number of the others, out of `unseen`.
    """
    if rules.four_of_a_kind and any(
        (hand | unseen) & month == month and (month & ~hand).bit_count() <= hidden for month in MONTHS
    ):
        return True
    return bool(rules.four_pairs) and _most_pairs(hand, hidden, unseen) >= 4


def _most_pairs(hand: int, hidden: int, unseen: int) -> int:
    """Return how many pairs the hidden cards can make the hand have: odd cards are paired first."""
    most = pairs(hand)
    costs = []
    for month in MONTHS:
        held, free = (hand & month).bit_count(), (unseen & month).bit_count()
        if held % 2 and free:
            costs.append(1)
            free -= 1
        costs += [2] * (free // 2)
    for cost in sorted(costs):
        if cost <= hidden:
            hidden -= cost
            most += 1
    return most
