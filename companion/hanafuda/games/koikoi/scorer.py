"""Scoring made ready for one table's rules: tables instead of judgements, for whoever scores piles by the million.

Yaku of different groups share no cards but the sake cup, and hardly touch each other. So a pile is worth what
its groups are worth, and a group's worth is looked up by those of the pile's cards that matter to it. The
tables are filled where they are asked, by `companion.hanafuda.games.koikoi.scoring`; no rule is written down twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from companion.hanafuda.games.koikoi.rules import KoiKoiRules
from companion.hanafuda.games.koikoi.scoring import CUPS, Situation, judge, pay
from companion.hanafuda.games.koikoi.yaku import PAULOWNIA, RAIN, SAKE, WILLOW, Cup, Group, in_force

__all__ = ["Scorer", "scorer_for"]

YakuPoints = tuple[tuple[str, int], ...]
"""Yaku as slug and points, in the order in which results list them."""

_SPOILERS: Mapping[str, int] = {"none": 0, "captured_rain": RAIN, "captured_willow": WILLOW, "field": 0}


class _Table(dict[int, YakuPoints]):
    """The yaku of some groups by the cards that matter to them; judged when first asked for."""

    def __init__(
        self, rules: KoiKoiRules, situation: Situation, cup: Cup, groups: tuple[Group, ...], spoilers: int = 0
    ) -> None:
        super().__init__()
        self._judged_by = rules, situation, cup
        self._groups = groups
        self.cards = 0
        """The cards that matter."""
        for yaku in in_force(rules, situation.month, cup):
            if yaku.group in groups:
                self.cards |= yaku.of | yaku.pool | spoilers
        self.points = _Points(self)

    def __missing__(self, cards: int) -> YakuPoints:
        rules, situation, cup = self._judged_by
        paid = judge(cards, rules, situation, cup).paid.values()
        found = tuple((each.yaku.slug, each.points) for each in paid if each.yaku.group in self._groups)
        self[cards] = found
        return found


class _Points(dict[int, int]):
    """The sums of a table's yaku."""

    def __init__(self, table: _Table) -> None:
        super().__init__()
        self._table = table

    def __missing__(self, cards: int) -> int:
        self[cards] = points = sum(points for _, points in self._table[cards])
        return points


class _Way:
    """The tables of a pile's groups with the sake cup counted in one way."""

    def __init__(self, rules: KoiKoiRules, month: int | None, cup: Cup) -> None:
        self._rules, self._month, self._cup = rules, month, cup
        self._lights: dict[tuple[bool, int, bool], _Table] = {}
        self.animals = self._table("animals")
        self.ribbons = self._table("ribbons")
        self.month_cards = self._table("month")
        # Of chaff only their number matters.
        chaff = self._table("chaff")
        self.chaff_cards = chaff.cards
        first_cards = _first_cards(chaff.cards)
        self.chaff = [chaff[cards] for cards in first_cards]
        self.chaff_points = [chaff.points[cards] for cards in first_cards]

    def _table(self, group: Group) -> _Table:
        return _Table(self._rules, Situation(month=self._month), self._cup, (group,))

    def lights(self, called: bool, on_field: int, beside: bool) -> _Table:
        """Return the table of brights and viewings after a call, with a field, beside other groups' yaku."""
        key = called, on_field, beside
        found = self._lights.get(key)
        if found is None:
            rules = self._rules
            situation = Situation(month=self._month, field=on_field, own_calls=int(called))
            if beside and rules.viewing_needs == "another_yaku":
                rules = replace(rules, viewing_needs="nothing")
            spoilers = _SPOILERS[rules.viewing_spoilt]
            found = _Table(rules, situation, self._cup, ("brights", "viewings"), spoilers)
            self._lights[key] = found
        return found

    def yaku(self, pile: int, called: bool, on_field: int) -> YakuPoints:
        """Return the yaku of a pile."""
        rest = (
            self.animals[pile & self.animals.cards]
            + self.ribbons[pile & self.ribbons.cards]
            + self.chaff[(pile & self.chaff_cards).bit_count()]
            + self.month_cards[pile & self.month_cards.cards]
        )
        lights = self.lights(called, on_field, bool(rest))
        return lights[pile & lights.cards] + rest

    def base(self, pile: int, called: bool, on_field: int) -> int:
        """Return the sum of the yaku of a pile."""
        rest = (
            self.animals.points[pile & self.animals.cards]
            + self.ribbons.points[pile & self.ribbons.cards]
            + self.chaff_points[(pile & self.chaff_cards).bit_count()]
            + self.month_cards.points[pile & self.month_cards.cards]
        )
        lights = self.lights(called, on_field, rest > 0)
        return lights.points[pile & lights.cards] + rest


def _first_cards(cards: int) -> list[int]:
    """Return the first 0, 1, 2 … of some cards, up to all of them."""
    found = [0]
    while cards:
        lowest = cards & -cards
        found.append(found[-1] | lowest)
        cards ^= lowest
    return found


class _Totals(dict[tuple[int, int, int], int]):
    """What a base becomes by the calls: by base, own calls and the opponent's."""

    def __init__(self, rules: KoiKoiRules) -> None:
        super().__init__()
        self._rules = rules

    def __missing__(self, key: tuple[int, int, int]) -> int:
        base, own, opponent = key
        situation = Situation(own_calls=own, opponent_calls=opponent)
        self[key] = total = pay(base, self._rules, situation).total
        return total


class Scorer:
    """What piles are worth by one table's rules in one month (1 to 12; None where nobody told).

    The same as `companion.hanafuda.games.koikoi.score` says, without the reasons, some two hundred times as fast once the tables
    are filled. Piles and fields are 48-bit sets of cards; a field of None is one that nobody told.
    """

    def __init__(self, rules: KoiKoiRules, month: int | None = None) -> None:
        self.rules = rules
        self.month = month
        self._ways = [_Way(rules, month, cup) for cup in CUPS[rules.sake_cup]]
        # Where the groups do not touch each other at all, nor the field, the tables below are all there is to it.
        self._apart = (
            len(self._ways) == 1 and rules.viewing_needs != "another_yaku" and rules.viewing_spoilt != "field"
        )
        way = self._ways[0]
        self._animals, self._ribbons, self._month_cards = way.animals, way.ribbons, way.month_cards
        self._lights = way.lights(False, 0, False)
        self._lights_called = way.lights(True, 0, False)
        self._light_cards = self._lights.cards
        self._animal_cards, self._ribbon_cards = way.animals.cards, way.ribbons.cards
        self._cards_of_month = way.month_cards.cards
        self._chaff, self._chaff_cards = way.chaff, way.chaff_cards
        self._light_points, self._called_points = self._lights.points, self._lights_called.points
        self._animal_points, self._ribbon_points = way.animals.points, way.ribbons.points
        self._month_points = way.month_cards.points
        self._chaff_points = way.chaff_points
        self._totals = _Totals(rules)

    def base(self, pile: int, field: int | None = None, called: bool = False) -> int:
        """Return the sum of the yaku of a pile, `called` where its holder has called koi-koi."""
        if not self._apart:
            on_field = self._seen(field)
            return max([way.base(pile, called, on_field) for way in self._ways_of(pile)])
        base = (
            (self._called_points if called else self._light_points)[pile & self._light_cards]
            + self._animal_points[pile & self._animal_cards]
            + self._ribbon_points[pile & self._ribbon_cards]
            + self._chaff_points[(pile & self._chaff_cards).bit_count()]
        )
        if self._cards_of_month:
            return base + self._month_points[pile & self._cards_of_month]
        return base

    def total(self, pile: int, own_calls: int = 0, opponent_calls: int = 0, field: int | None = None) -> int:
        """Return the points of a pile after everything that multiplies them."""
        return self._totals[self.base(pile, field, own_calls > 0), own_calls, opponent_calls]

    def yaku(self, pile: int, field: int | None = None, called: bool = False) -> YakuPoints:
        """Return the yaku of a pile as slug and points, in the order in which results list them."""
        if not self._apart:
            on_field = self._seen(field)
            ways = self._ways_of(pile)
            return max([way.yaku(pile, called, on_field) for way in ways], key=_worth)
        yaku = (
            (self._lights_called if called else self._lights)[pile & self._light_cards]
            + self._animals[pile & self._animal_cards]
            + self._ribbons[pile & self._ribbon_cards]
            + self._chaff[(pile & self._chaff_cards).bit_count()]
        )
        if self._cards_of_month:
            return yaku + self._month_cards[pile & self._cards_of_month]
        return yaku

    def _ways_of(self, pile: int) -> list[_Way]:
        """Return the ways to count a pile: one, where the cup is not in it."""
        return self._ways if pile & SAKE else self._ways[:1]

    def _seen(self, field: int | None) -> int:
        """Return of a field what spoils viewings: all willows for one of them, likewise paulownias."""
        if self.rules.viewing_spoilt != "field" or field is None:
            return 0
        return (WILLOW if field & WILLOW else 0) | (PAULOWNIA if field & PAULOWNIA else 0)


def _worth(yaku: YakuPoints) -> int:
    return sum(points for _, points in yaku)


@lru_cache(maxsize=256)  # twelve months of the few rules that a program meets
def scorer_for(rules: KoiKoiRules, month: int | None = None) -> Scorer:
    """Return the scorer of some rules and a month, with the tables it has filled so far."""
    return Scorer(rules, month)
