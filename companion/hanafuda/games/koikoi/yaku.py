"""Koi-Koi's yaku: one declaration each, and which of them a table plays.

A yaku is `count` cards out of the set `of`, including all of `must`. Its points are the value of the rules' option of
the same name. Teyaku are dealt hands that win a round before play begins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from ...cards import HANAFUDA, to_bits
from ...messages import Message
from ...score_json import NamedYaku
from .rules import KoiKoiRules

__all__ = [
    "MONTHS",
    "PAULOWNIA",
    "RAIN",
    "SAKE",
    "TEYAKU",
    "WILLOW",
    "YAKU",
    "Cup",
    "Group",
    "Teyaku",
    "Yaku",
    "fours",
    "in_force",
    "may_hold",
    "month_counts",
    "pairs",
    "teyaku_of",
    "threes",
]

Group = Literal["brights", "viewings", "animals", "ribbons", "chaff", "month"]
Cup = Literal["animal", "chaff", "both", "neither"]
"""What the sake cup counts as."""


def _all_of(card_type: str) -> int:
    return sum(card.bit for card in HANAFUDA if card.kind == card_type)


_BRIGHTS, _ANIMALS, _RIBBONS, _CHAFF = map(_all_of, ("bright", "animal", "ribbon", "chaff"))
_RAIN_MAN = to_bits(["willow-rainman"])
_POETRY = to_bits(["pine-ribbon", "plum-ribbon", "cherry-ribbon"])
_BLUE = to_bits(["peony-ribbon", "chrysanthemum-ribbon", "maple-ribbon"])

MONTHS = tuple(sum(card.bit for card in HANAFUDA if card.month == month) for month in range(1, 13))
"""The four cards of each month."""
SAKE = to_bits(["chrysanthemum-sake"])
WILLOW, PAULOWNIA = MONTHS[10], MONTHS[11]
RAIN = to_bits(["willow-rainman", "willow-lightning"])
"""The two cards that show the rain."""


@dataclass(frozen=True, slots=True)
class Yaku(NamedYaku):
    """One yaku: its names, the cards it needs, and its source."""

    group: Group
    of: int
    count: int
    takes: Message
    source: str
    must: int = 0
    pool: int = 0
    """The cards that may each add a further point; 0 if none can."""
    counted: bool = False
    """Whether the yaku counts the cards of its group, so that each further card adds a point."""

    @property
    def option(self) -> str:
        """The rules' option with its points."""
        return self.slug.replace("-", "_")

    def made_by(self, pile: int) -> bool:
        """Return whether a pile makes the yaku."""
        return (pile & self.of).bit_count() >= self.count and pile & self.must == self.must


YAKU: Mapping[str, Yaku] = {
    yaku.slug: yaku
    for yaku in (
        Yaku(
            "five-brights", "五光", "gokou", "Five Brights", "brights",
            _BRIGHTS, 5, Message("rule-koikoi-five-brights"), "Koi-Koi guide §6, Kangni Hu §4.2",
        ),
        Yaku(
            "four-brights", "四光", "shikou", "Four Brights", "brights",
            _BRIGHTS ^ _RAIN_MAN, 4, Message("koikoi-takes-four-brights"), "Koi-Koi guide §6",
        ),
        Yaku(
            "rainy-four-brights", "雨四光", "ame-shikou", "Rainy Four Brights", "brights",
            _BRIGHTS, 4, Message("rule-koikoi-rainy-four-brights"), "Koi-Koi guide §6",
            must=_RAIN_MAN,
        ),
        Yaku(
            "three-brights", "三光", "sankou", "Three Brights", "brights",
            _BRIGHTS ^ _RAIN_MAN, 3, Message("koikoi-takes-three-brights"), "Koi-Koi guide §6",
        ),
        Yaku(
            "flower-viewing", "花見で一杯", "hanami de ippai", "Flower Viewing", "viewings",
            to_bits(["cherry-curtain"]) | SAKE, 2,
            Message("rule-koikoi-flower-viewing"), "Koi-Koi guide §6, Kangni Hu §4.2",
        ),
        Yaku(
            "moon-viewing", "月見で一杯", "tsukimi de ippai", "Moon Viewing", "viewings",
            to_bits(["susuki-moon"]) | SAKE, 2,
            Message("rule-koikoi-moon-viewing"), "Koi-Koi guide §6, Kangni Hu §4.2",
        ),
        Yaku(
            "boar-deer-butterfly", "猪鹿蝶", "inoshikachou", "Boar-Deer-Butterfly", "animals",
            to_bits(["clover-boar", "maple-deer", "peony-butterflies"]), 3,
            Message("rule-koikoi-boar-deer-butterfly"), "Koi-Koi guide §6, Kangni Hu §4.2",
            pool=_ANIMALS,
        ),
        Yaku(
            "animals", "タネ", "tane", "Animals", "animals",
            _ANIMALS, 5, Message("koikoi-takes-animals"), "Koi-Koi guide §6, Kangni Hu §4.2",
            pool=_ANIMALS, counted=True,
        ),
        Yaku(
            "poetry-ribbons", "赤短", "akatan", "Poetry Ribbons", "ribbons",
            _POETRY, 3, Message("rule-koikoi-poetry-ribbons"), "Koi-Koi guide §6, Kangni Hu §4.2 (Red Poems)",
            pool=_RIBBONS,
        ),
        Yaku(
            "blue-ribbons", "青短", "aotan", "Blue Ribbons", "ribbons",
            _BLUE, 3, Message("rule-koikoi-blue-ribbons"), "Koi-Koi guide §6, Kangni Hu §4.2 (Blue Poems)",
            pool=_RIBBONS,
        ),
        Yaku(
            "poetry-and-blue", "赤短・青短の重複", "akatan aotan no choufuku", "Poetry and Blue Ribbons",
            "ribbons", _POETRY | _BLUE, 6,
            Message("rule-koikoi-poetry-and-blue"), "FudaWiki, Nintendo, KoiKoi-Japan",
            pool=_RIBBONS,
        ),
        Yaku(
            "ribbons", "タン", "tan", "Ribbons", "ribbons",
            _RIBBONS, 5, Message("koikoi-takes-ribbons"), "Koi-Koi guide §6, Kangni Hu §4.2 (Poems)",
            pool=_RIBBONS, counted=True,
        ),
        Yaku(
            "chaff", "カス", "kasu", "Chaff", "chaff",
            _CHAFF, 10, Message("koikoi-takes-chaff"), "Koi-Koi guide §6, Kangni Hu §4.2 (Dregs)",
            pool=_CHAFF, counted=True,
        ),
        # The four cards depend on the round's month; `in_force` fills them in.
        Yaku(
            "month-cards", "月札", "tsukifuda", "Month Cards", "month",
            0, 4, Message("rule-koikoi-month-cards"), "gamedesign.jp",
        ),
    )
}  # fmt: skip
"""Every yaku of a pile by slug, in the order of results."""


@lru_cache(maxsize=512)
def in_force(rules: KoiKoiRules, month: int | None, cup: Cup) -> tuple[Yaku, ...]:
    """Return the yaku that a table plays, with their sets of cards under its rules."""
    played = [
        _under_rules(yaku, rules, month, cup) for yaku in YAKU.values() if getattr(rules, yaku.option) > 0
    ]
    return tuple(
        yaku for yaku in played if not (yaku.slug == "poetry-and-blue" and rules.poetry_blue == "both")
    )


def _under_rules(yaku: Yaku, rules: KoiKoiRules, month: int | None, cup: Cup) -> Yaku:
    animals = _ANIMALS if cup in {"animal", "both"} else _ANIMALS ^ SAKE
    chaff = _CHAFF | SAKE if cup in {"chaff", "both"} else _CHAFF
    of, pool, takes = yaku.of, yaku.pool, yaku.takes
    match yaku.slug:
        case "four-brights" if rules.rain_man == "counts":
            of, takes = _BRIGHTS, Message("koikoi-takes-four-brights-any")
        case "three-brights" if rules.rain_man == "counts":
            of, takes = _BRIGHTS, Message("koikoi-takes-three-brights-any")
        case "boar-deer-butterfly":
            pool = animals
        case "animals":
            of = pool = animals
        case "chaff":
            of = pool = chaff
        case "month-cards" if month:
            of = MONTHS[month - 1]
    return replace(yaku, of=of, pool=pool, takes=takes)


# --- teyaku


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
