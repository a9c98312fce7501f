"""The scoring of Kekoro: the values of cards, yaku, a fast scorer of piles, and the explanation of a score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any

from ...cards import HANAFUDA, from_bits, to_bits
from ...messages import Message, card_message
from ...score_json import near_yaku_answer, yaku_answer
from .rules import KekoroRules
from .yaku import Yaku, in_force

__all__ = [
    "CARD_VALUES",
    "CardValue",
    "NearYaku",
    "Score",
    "Scorer",
    "prepared",
    "score",
    "to_dict",
    "values_in_force",
    "why",
    "why_paid",
]


@dataclass(frozen=True, slots=True)
class CardValue:
    """Cards of the same value, with their value in each table."""

    code: str
    """The code of the message that counts them: ``count`` cards at ``value``."""
    cards: int
    """The cards, as a set."""
    values: Mapping[str, int]
    """The value of each card, by the rules' option `values`."""


def _cards_of_type(card_type: str) -> int:
    return sum(card.bit for card in HANAFUDA if card.kind == card_type)


_TEN_BRIGHTS = to_bits(["cherry-curtain", "paulownia-phoenix"])

# The geese and the yellow paulownia count as ribbons in yaku, but keep their own values.
CARD_VALUES: tuple[CardValue, ...] = (
    CardValue(
        "kekoro-value-chaff",
        _cards_of_type("chaff"), {"printed": 10, "kusaba": 8},
    ),
    CardValue(
        "kekoro-value-curtain-phoenix",
        _TEN_BRIGHTS, {"printed": 10, "kusaba": 5},
    ),
    CardValue(
        "kekoro-value-brights",
        _cards_of_type("bright") ^ _TEN_BRIGHTS, {"printed": 5, "kusaba": 5},
    ),
    CardValue(
        "kekoro-value-animals",
        _cards_of_type("animal"), {"printed": 5, "kusaba": 5},
    ),
    CardValue(
        "kekoro-value-ribbons",
        _cards_of_type("ribbon"), {"printed": 1, "kusaba": 1},
    ),
)  # fmt: skip
"""The table of card values in the order of the rules text. Every card is in one row."""


@lru_cache(maxsize=2)
def values_in_force(source: str) -> tuple[tuple[int, int], ...]:
    """Return each value with the set of its cards; `source` is the option `values`."""
    by_value: dict[int, int] = {}
    for row in CARD_VALUES:
        value = row.values[source]
        by_value[value] = by_value.get(value, 0) | row.cards
    return tuple((cards, value) for value, cards in by_value.items())


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


@lru_cache(maxsize=256)
def why_paid(yaku: Yaku, points: int) -> Message:
    """Return the explanation of a yaku's points."""
    cards = tuple(card_message(card.id) for card in from_bits(yaku.cards))
    return Message("labeled", {"label": cards, "text": Message("points", {"count": points})})


def why(score: Score) -> Message:
    """Return the explanation of the total: the card values, then the yaku."""
    counts = tuple([(score.pile & row.cards).bit_count() for row in CARD_VALUES])
    return _why(score.rules, counts, score.values, len(score.yaku))


@lru_cache(maxsize=4096)
def _why(rules: KekoroRules, counts: tuple[int, ...], values: int, yaku_count: int) -> Message:
    """Return the explanation of a pile with `counts` cards of each row of `CARD_VALUES`."""
    if not any(counts):
        return Message("kekoro-why-none")
    rows = tuple(
        Message(row.code, {"count": count, "value": row.values[rules.values]})
        for row, count in zip(CARD_VALUES, counts, strict=True)
        if count
    )
    cards = Message("kekoro-why-values", {"cards": rows, "points": Message("points", {"count": values})})
    if yaku_count:
        points = yaku_count * rules.yaku_points
        yaku = Message(
            "kekoro-why-sum",
            {
                "count": yaku_count,
                "each": rules.yaku_points,
                "points": Message("points", {"count": points}),
                "total": values + points,
            },
        )
    else:
        yaku = Message("kekoro-why-no-yaku")
    return Message("sentences", {"first": cards, "second": yaku})


def to_dict(score: Score) -> dict[str, Any]:
    """Return a score as the contract's JSON."""
    return {
        "yaku": [
            yaku_answer(yaku, score.rules.yaku_points, yaku.cards, why_paid(yaku, score.rules.yaku_points))
            for yaku in score.yaku
        ],
        "base": score.total,
        "total": score.total,
        "values": score.values,
        "reason": why(score).to_dict(),
        "missing": [near_yaku_answer(near.yaku, near.needs, near.count) for near in score.missing],
        "rules": {"name": score.rules.name, "hash": score.rules.hash},
    }
