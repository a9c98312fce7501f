"""What a pile is worth in Koi-Koi by one table's rules: yaku, multipliers, and what near yaku lack."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import combinations

from companion.hanafuda.cards import from_bits
from companion.hanafuda.games.koikoi.rules import KoiKoiRules
from companion.hanafuda.games.koikoi.yaku import (
    MONTHS,
    PAULOWNIA,
    RAIN,
    SAKE,
    WILLOW,
    YAKU,
    Cup,
    Yaku,
    in_force,
)
from companion.hanafuda.messages import Message

__all__ = [
    "CUPS",
    "Judgement",
    "Lack",
    "Paid",
    "Payment",
    "Score",
    "Situation",
    "Unpaid",
    "judge",
    "pay",
    "score",
]

# Near is what lacks at most this many cards, and has at least half of them.
_NEAR = 2


@dataclass(frozen=True, slots=True)
class Situation:
    """What a score depends on besides the pile; None where nobody told."""

    month: int | None = None
    field: int | None = None
    """The cards on the field, as a set."""
    own_calls: int = 0
    opponent_calls: int = 0


@dataclass(frozen=True, slots=True)
class Paid:
    """A yaku that the pile makes and the rules pay: `points` in all, `further` of them for further cards."""

    yaku: Yaku
    points: int
    cards: int
    further: int = 0


@dataclass(frozen=True, slots=True)
class Unpaid:
    """A yaku that the pile makes, but that pays nothing, and the reason."""

    yaku: Yaku
    reason: Message


@dataclass(frozen=True, slots=True)
class Payment:
    """How the sum of the yaku becomes the total: what calls add, their factors, the doubling at seven."""

    added: tuple[tuple[str, int], ...] = ()
    """Whose calls (``own``, ``opponent``) add how much."""
    factors: tuple[tuple[str, int], ...] = ()
    calls_factor: int = 1
    """The factors in one, as `combine` says."""
    seven: int | None = None
    """The points of seven or more that are doubled."""
    total: int = 0


@dataclass(frozen=True, slots=True)
class Lack:
    """A yaku that is near: any `count` of the cards in `needs` would make it."""

    yaku: Yaku
    needs: int
    count: int


@dataclass(frozen=True, slots=True)
class Score:
    """What a pile is worth, and everything needed to say why."""

    rules: KoiKoiRules
    situation: Situation
    paid: tuple[Paid, ...]
    unpaid: tuple[Unpaid, ...]
    base: int
    payment: Payment
    pile: int
    cup: Cup | None
    """What the sake cup in the pile was counted as, where the rules leave it open."""

    @property
    def total(self) -> int:
        """The points after everything that multiplies them."""
        return self.payment.total

    @property
    def missing(self) -> tuple[Lack, ...]:
        """The yaku that are near and would raise the points, nearest first, then dearest."""
        return tuple(_missing(self))


@dataclass(slots=True)
class Judgement:
    """The yaku of a pile with the sake cup counted in one way: by slug, in the order of `YAKU`."""

    paid: dict[str, Paid]
    unpaid: list[Unpaid] = field(default_factory=list)

    @property
    def base(self) -> int:
        """The sum of the yaku."""
        return sum(each.points for each in self.paid.values())


def score(pile: int, rules: KoiKoiRules, situation: Situation) -> Score:
    """Score a pile."""
    cup, judged = _best_cup(pile, rules, situation)
    return Score(
        rules=rules,
        situation=situation,
        paid=tuple(judged.paid.values()),
        unpaid=tuple(judged.unpaid),
        base=judged.base,
        payment=pay(judged.base, rules, situation),
        pile=pile,
        cup=cup if rules.sake_cup == "animal_or_chaff" and pile & SAKE else None,
    )


CUPS: dict[str, tuple[Cup, ...]] = {
    "animal": ("animal",),
    "animal_and_chaff": ("both",),
    "animal_or_chaff": ("animal", "chaff"),
    "uncounted": ("neither",),
}
"""The ways to count the sake cup that each value of the option leaves; of several the better one."""


def _best_cup(pile: int, rules: KoiKoiRules, situation: Situation) -> tuple[Cup, Judgement]:
    """Judge the pile with the sake cup as the rules say; of two ways the better, of equals an animal."""
    ways = [(cup, judge(pile, rules, situation, cup)) for cup in CUPS[rules.sake_cup]]
    return max(ways, key=lambda way: way[1].base)


def judge(pile: int, rules: KoiKoiRules, situation: Situation, cup: Cup) -> Judgement:
    """Find the yaku of a pile with the sake cup counted in the way told."""
    judged = Judgement({})
    for yaku in in_force(rules, situation.month, cup):
        if yaku.held(pile):
            judged.paid[yaku.slug] = _plain(yaku, pile, getattr(rules, yaku.option))
    # Which yaku gives way to which: the order matters, for a viewing may need another yaku that pays.
    _settle_brights(judged, rules)
    _settle_poetry_and_blue(judged, rules)
    _settle_named(judged, pile, "animals", rules.animals_special)
    _settle_named(judged, pile, "ribbons", rules.ribbons_special)
    _settle_viewings(judged, pile, rules, situation)
    if rules.month_cards and situation.month is None and any(pile & month == month for month in MONTHS):
        judged.unpaid.append(Unpaid(YAKU["month-cards"], Message("koikoi-unpaid-month-unknown")))
    return judged


def _plain(yaku: Yaku, pile: int, points: int) -> Paid:
    """Pay a yaku by itself, before it is weighed against others."""
    cards = pile & yaku.of
    if yaku.counted:
        further = cards.bit_count() - yaku.count
        return Paid(yaku, points + further, cards, further)
    spare = cards & ~yaku.must
    while cards.bit_count() > yaku.count:
        # Any three of four brights: the last ones in deck order are left out.
        last = 1 << (spare.bit_length() - 1)
        cards, spare = cards ^ last, spare ^ last
    return Paid(yaku, points, cards)


def _settle_brights(judged: Judgement, rules: KoiKoiRules) -> None:
    paid = judged.paid
    brights = [each for each in paid.values() if each.yaku.group == "brights"]
    # Four brights is one yaku, dry or rainy, also where all pay: the better of the two.
    best: dict[int, Paid] = {}
    for each in sorted(brights, key=_worth):
        best[each.yaku.count if rules.bright_group == "all" else 0] = each
    for each in brights:
        if each not in best.values():
            del paid[each.yaku.slug]


def _worth(paid: Paid) -> tuple[int, int, int]:
    """Order yaku of brights: by points, then by cards, then the one that asks for the Rain Man by name."""
    return paid.points, paid.yaku.count, paid.yaku.must


def _settle_poetry_and_blue(judged: Judgement, rules: KoiKoiRules) -> None:
    if rules.poetry_blue == "replace" and "poetry-and-blue" in judged.paid:
        judged.paid.pop("poetry-ribbons", None)
        judged.paid.pop("blue-ribbons", None)


def _settle_named(judged: Judgement, pile: int, counted: str, special: str) -> None:
    """Weigh the named yaku of a group against its count."""
    named = [each for each in judged.paid.values() if each.yaku.group == counted and not each.yaku.counted]
    if special == "stack" or not named:
        return
    for each in named:
        cards = each.cards | pile & each.yaku.pool
        further = cards.bit_count() - each.yaku.count
        judged.paid[each.yaku.slug] = replace(
            each, points=each.points + further, cards=cards, further=further
        )
    if special == "best_extra":
        judged.paid.pop(counted, None)


_MARCH, _AUGUST = 3, 8
_SEASON = {"flower-viewing": _MARCH, "moon-viewing": _AUGUST}


def _settle_viewings(judged: Judgement, pile: int, rules: KoiKoiRules, situation: Situation) -> None:
    viewings = [each for each in judged.paid.values() if each.yaku.group == "viewings"]
    another = len(judged.paid) > len(viewings)
    for each in viewings:
        reason = _spoilt(each.yaku, pile, rules, situation) or _unmet(each.yaku, another, rules, situation)
        if reason:
            del judged.paid[each.yaku.slug]
            judged.unpaid.append(Unpaid(each.yaku, reason))
        elif rules.viewing_after_call and situation.own_calls:
            judged.paid[each.yaku.slug] = replace(each, points=rules.viewing_after_call)


def _spoilt(yaku: Yaku, pile: int, rules: KoiKoiRules, situation: Situation) -> Message | None:
    on_field = situation.field or 0
    if rules.viewing_spoilt == "captured_rain" and pile & RAIN:
        return Message("koikoi-unpaid-rain")
    if rules.viewing_spoilt == "captured_willow" and pile & WILLOW:
        return Message("koikoi-unpaid-willow")
    if rules.viewing_spoilt == "field" and yaku.slug == "flower-viewing" and on_field & WILLOW:
        return Message("koikoi-unpaid-field-willow")
    if rules.viewing_spoilt == "field" and yaku.slug == "moon-viewing" and on_field & PAULOWNIA:
        return Message("koikoi-unpaid-field-paulownia")
    return None


def _unmet(yaku: Yaku, another: bool, rules: KoiKoiRules, situation: Situation) -> Message | None:
    season = _SEASON[yaku.slug]
    if rules.viewing_needs == "month" and situation.month != season:
        if situation.month:
            return Message("koikoi-unpaid-march" if season == _MARCH else "koikoi-unpaid-august")
        return Message("koikoi-unpaid-march-unknown" if season == _MARCH else "koikoi-unpaid-august-unknown")
    if rules.viewing_needs == "another_yaku" and not another:
        return Message("koikoi-unpaid-alone")
    return None


def pay(base: int, rules: KoiKoiRules, situation: Situation) -> Payment:
    """Work out the total: what calls add first, then their factors, then the doubling at seven."""
    if base == 0:
        return Payment()
    added: list[tuple[str, int]] = []
    factors: list[tuple[str, int]] = []
    for whose, effects, count in (
        ("own", rules.own_call, situation.own_calls),
        ("opponent", rules.opponent_call, situation.opponent_calls),
    ):
        if effects and count:
            effect = effects[min(count, len(effects)) - 1]
            (factors if effect[0] == "x" else added).append((whose, int(effect[1:])))
    numbers = [factor for _, factor in factors]
    if rules.combine == "multiply":
        calls_factor = reduce(int.__mul__, numbers, 1)
    else:
        calls_factor = 1 + sum(number - 1 for number in numbers)
    total = (base + sum(number for _, number in added)) * calls_factor
    judged = {"base": base, "multiplied": total, "off": 0}[rules.seven]
    seven = judged if judged >= 7 else None
    return Payment(tuple(added), tuple(factors), calls_factor, seven, total * (2 if seven else 1))


def _missing(score: Score) -> list[Lack]:
    pile, rules = score.pile, score.rules
    paid = {each.yaku.slug for each in score.paid}
    lacks = []
    for yaku in in_force(rules, score.situation.month, score.cup or CUPS[rules.sake_cup][0]):
        absent = yaku.must & ~pile
        count = max(yaku.count - (pile & yaku.of).bit_count(), absent.bit_count())
        # What lacks the Rain Man and one more bright is not made by any two of the rest, so it is not near.
        near = 0 < count <= min(_NEAR, yaku.count // 2) and (not absent or count == absent.bit_count())
        if near and yaku.slug not in paid:
            lack = Lack(yaku, absent or yaku.of & ~pile, count)
            if _would_pay(lack, score):
                lacks.append(lack)
    return sorted(lacks, key=lambda lack: (lack.count, -getattr(rules, lack.yaku.option)))


def _would_pay(lack: Lack, score: Score) -> bool:
    """Return whether some of the missing cards would make the yaku and raise the points."""
    for cards in combinations(from_bits(lack.needs), lack.count):
        pile = score.pile | sum(card.bit for card in cards)
        _, judged = _best_cup(pile, score.rules, score.situation)
        if lack.yaku.slug in judged.paid and judged.base > score.base:
            return True
    return False
