"""The score of a Koi-Koi pile under one table's rules: yaku, multipliers, and the cards missing from near yaku."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import reduce

from ...messages import Message
from .rules import KoiKoiRules
from .yaku import (
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

__all__ = [
    "CUPS",
    "Judgment",
    "Paid",
    "Payment",
    "Score",
    "Situation",
    "Unpaid",
    "judge",
    "pay",
    "score",
]


@dataclass(frozen=True, slots=True)
class Situation:
    """The inputs of a score besides the pile; None if unknown."""

    month: int | None = None
    field: int | None = None
    """The cards on the field, as a set."""
    own_calls: int = 0
    opponent_calls: int = 0


@dataclass(frozen=True, slots=True)
class Paid:
    """A yaku that scores: `points` in total, `further` of them for extra cards."""

    yaku: Yaku
    points: int
    cards: int
    further: int = 0


@dataclass(frozen=True, slots=True)
class Unpaid:
    """A completed yaku that does not score, and the reason."""

    yaku: Yaku
    reason: Message


@dataclass(frozen=True, slots=True)
class Payment:
    """How the base becomes the total: points added by calls, factors of calls, the doubling at seven."""

    added: tuple[tuple[str, int], ...] = ()
    """The points added by calls, each with its caller (``own`` or ``opponent``)."""
    factors: tuple[tuple[str, int], ...] = ()
    calls_factor: int = 1
    """The factors combined as the option `combine` says."""
    seven: int | None = None
    """The points, seven or more, that caused the doubling; None if there was none."""
    total: int = 0


@dataclass(frozen=True, slots=True)
class Score:
    """The score of a pile, with everything needed to explain it."""

    rules: KoiKoiRules
    situation: Situation
    paid: tuple[Paid, ...]
    unpaid: tuple[Unpaid, ...]
    base: int
    payment: Payment
    pile: int
    cup: Cup | None
    """What the sake cup in the pile was counted as, if the rules leave the choice."""

    @property
    def total(self) -> int:
        """The points after all multipliers."""
        return self.payment.total


@dataclass(slots=True)
class Judgment:
    """The yaku of a pile for one way of counting the sake cup: by slug, in the order of `YAKU`."""

    paid: dict[str, Paid]
    unpaid: list[Unpaid] = field(default_factory=list)

    @property
    def base(self) -> int:
        """The sum of the yaku."""
        return sum(each.points for each in self.paid.values())


def score(pile: int, rules: KoiKoiRules, situation: Situation) -> Score:
    """Score a pile."""
    cup, judgment = _best_cup(pile, rules, situation)
    return Score(
        rules=rules,
        situation=situation,
        paid=tuple(judgment.paid.values()),
        unpaid=tuple(judgment.unpaid),
        base=judgment.base,
        payment=pay(judgment.base, rules, situation),
        pile=pile,
        cup=cup if rules.sake_cup == "animal_or_chaff" and pile & SAKE else None,
    )


CUPS: dict[str, tuple[Cup, ...]] = {
    "animal": ("animal",),
    "animal_and_chaff": ("both",),
    "animal_or_chaff": ("animal", "chaff"),
    "uncounted": ("neither",),
}
"""What the sake cup may count as, for each value of the option; the best alternative is used."""


def _best_cup(pile: int, rules: KoiKoiRules, situation: Situation) -> tuple[Cup, Judgment]:
    """Return the best way to count the sake cup under the rules, and the yaku; on a tie it is an animal."""
    alternatives = [(cup, judge(pile, rules, situation, cup)) for cup in CUPS[rules.sake_cup]]
    return max(alternatives, key=lambda alternative: alternative[1].base)


def judge(pile: int, rules: KoiKoiRules, situation: Situation, cup: Cup) -> Judgment:
    """Return the yaku of a pile with the sake cup counted as `cup`."""
    judgment = Judgment({})
    for yaku in in_force(rules, situation.month, cup):
        if yaku.made_by(pile):
            judgment.paid[yaku.slug] = _scored_alone(yaku, pile, getattr(rules, yaku.option))
    # The order matters: a viewing may require another yaku that scores.
    _resolve_brights(judgment, rules)
    _resolve_poetry_and_blue(judgment, rules)
    _resolve_named(judgment, pile, "animals", rules.animals_special)
    _resolve_named(judgment, pile, "ribbons", rules.ribbons_special)
    _resolve_viewings(judgment, pile, rules, situation)
    if rules.month_cards and situation.month is None and any(pile & month == month for month in MONTHS):
        judgment.unpaid.append(Unpaid(YAKU["month-cards"], Message("koikoi-unpaid-month-unknown")))
    return judgment


def _scored_alone(yaku: Yaku, pile: int, points: int) -> Paid:
    """Return a yaku scored on its own, before other yaku are considered."""
    cards = pile & yaku.of
    if yaku.counted:
        further = cards.bit_count() - yaku.count
        return Paid(yaku, points + further, cards, further)
    spare = cards & ~yaku.must
    while cards.bit_count() > yaku.count:
        # Surplus cards (four brights for a three-card yaku): drop the last ones in deck order.
        last = 1 << (spare.bit_length() - 1)
        cards, spare = cards ^ last, spare ^ last
    return Paid(yaku, points, cards)


def _resolve_brights(judgment: Judgment, rules: KoiKoiRules) -> None:
    paid = judgment.paid
    brights = [each for each in paid.values() if each.yaku.group == "brights"]
    # Dry and rainy four brights count as one yaku, even if all brights yaku score: keep the better.
    best: dict[int, Paid] = {}
    for each in sorted(brights, key=_brights_key):
        best[each.yaku.count if rules.bright_group == "all" else 0] = each
    for each in brights:
        if each not in best.values():
            del paid[each.yaku.slug]


def _brights_key(paid: Paid) -> tuple[int, int, int]:
    """Return the sort key of brights yaku: points, then cards, then whether the Rain Man is required."""
    return paid.points, paid.yaku.count, paid.yaku.must


def _resolve_poetry_and_blue(judgment: Judgment, rules: KoiKoiRules) -> None:
    if rules.poetry_blue == "replace" and "poetry-and-blue" in judgment.paid:
        judgment.paid.pop("poetry-ribbons", None)
        judgment.paid.pop("blue-ribbons", None)


def _resolve_named(judgment: Judgment, pile: int, counted: str, special: str) -> None:
    """Apply the rule for a group's named yaku together with its count."""
    named = [each for each in judgment.paid.values() if each.yaku.group == counted and not each.yaku.counted]
    if special == "stack" or not named:
        return
    for each in named:
        cards = each.cards | pile & each.yaku.pool
        further = cards.bit_count() - each.yaku.count
        judgment.paid[each.yaku.slug] = replace(
            each, points=each.points + further, cards=cards, further=further
        )
    if special == "best_extra":
        judgment.paid.pop(counted, None)


_SEASON = {"flower-viewing": 3, "moon-viewing": 8}


def _resolve_viewings(judgment: Judgment, pile: int, rules: KoiKoiRules, situation: Situation) -> None:
    viewings = [each for each in judgment.paid.values() if each.yaku.group == "viewings"]
    another = len(judgment.paid) > len(viewings)
    for each in viewings:
        reason = _spoilt(each.yaku, pile, rules, situation) or _unmet_condition(
            each.yaku, another, rules, situation
        )
        if reason:
            del judgment.paid[each.yaku.slug]
            judgment.unpaid.append(Unpaid(each.yaku, reason))
        elif rules.viewing_after_call and situation.own_calls:
            judgment.paid[each.yaku.slug] = replace(each, points=rules.viewing_after_call)


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


def _unmet_condition(yaku: Yaku, another: bool, rules: KoiKoiRules, situation: Situation) -> Message | None:
    season = _SEASON[yaku.slug]
    if rules.viewing_needs == "month" and situation.month != season:
        code = "koikoi-unpaid-season" if situation.month else "koikoi-unpaid-season-unknown"
        return Message(code, {"month": season})
    if rules.viewing_needs == "another_yaku" and not another:
        return Message("koikoi-unpaid-alone")
    return None


def pay(base: int, rules: KoiKoiRules, situation: Situation) -> Payment:
    """Compute the total: first the points added by calls, then their factors, then the doubling at seven."""
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
    threshold_points = {"base": base, "multiplied": total, "off": 0}[rules.seven]
    seven = threshold_points if threshold_points >= 7 else None
    return Payment(tuple(added), tuple(factors), calls_factor, seven, total * (2 if seven else 1))
