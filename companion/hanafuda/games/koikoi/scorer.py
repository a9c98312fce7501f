"""Fast scoring for one table's rules, with lookup tables, for code that scores millions of piles.

The yaku of different groups have no card in common but the sake cup, and hardly affect each other. So the value of a
pile is the sum of the values of its groups, and each group's value is looked up by the relevant cards of the pile. The
tables are filled on demand by `companion.hanafuda.games.koikoi.scoring`, so that no rule is implemented twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from .rules import KoiKoiRules
from .scoring import CUPS, Situation, judge, pay
from .yaku import PAULOWNIA, RAIN, SAKE, WILLOW, Cup, Group, in_force

__all__ = ["Scorer", "scorer_for"]

YakuPoints = tuple[tuple[str, int], ...]
"""Yaku as slug and points, in the order of results."""

_SPOILERS: Mapping[str, int] = {"none": 0, "captured_rain": RAIN, "captured_willow": WILLOW, "field": 0}


class _YakuPointsTable(dict[int, YakuPoints]):
    """The yaku of some groups by the cards that are relevant to them, computed on demand."""

    def __init__(
        self, rules: KoiKoiRules, situation: Situation, cup: Cup, groups: tuple[Group, ...], spoilers: int = 0
    ) -> None:
        super().__init__()
        self._context = rules, situation, cup
        self._groups = groups
        self.cards = 0
        """The relevant cards."""
        for yaku in in_force(rules, situation.month, cup):
            if yaku.group in groups:
                self.cards |= yaku.of | yaku.pool | spoilers
        self.points = _PointSums(self)

    def __missing__(self, cards: int) -> YakuPoints:
        rules, situation, cup = self._context
        paid = judge(cards, rules, situation, cup).paid.values()
        result = tuple((each.yaku.slug, each.points) for each in paid if each.yaku.group in self._groups)
        self[cards] = result
        return result


class _PointSums(dict[int, int]):
    """The sums of a table's yaku."""

    def __init__(self, table: _YakuPointsTable) -> None:
        super().__init__()
        self._table = table

    def __missing__(self, cards: int) -> int:
        self[cards] = points = sum(points for _, points in self._table[cards])
        return points


class _CupTables:
    """The tables of a pile's groups for one way of counting the sake cup."""

    def __init__(self, rules: KoiKoiRules, month: int | None, cup: Cup) -> None:
        self._rules, self._month, self._cup = rules, month, cup
        self._lights: dict[tuple[bool, int, bool], _YakuPointsTable] = {}
        self.animals = self._table("animals")
        self.ribbons = self._table("ribbons")
        self.month_cards = self._table("month")
        # For chaff only the number of cards matters.
        chaff = self._table("chaff")
        self.chaff_cards = chaff.cards
        first_cards = _first_cards(chaff.cards)
        self.chaff = [chaff[cards] for cards in first_cards]
        self.chaff_points = [chaff.points[cards] for cards in first_cards]

    def _table(self, group: Group) -> _YakuPointsTable:
        return _YakuPointsTable(self._rules, Situation(month=self._month), self._cup, (group,))

    def lights(self, called: bool, on_field: int, beside: bool) -> _YakuPointsTable:
        """Return the table of brights and viewings.

        `called` says whether the player has called koi-koi, `on_field` are the cards on the field that can spoil
        viewings, `beside` whether other groups have a yaku.
        """
        key = called, on_field, beside
        table = self._lights.get(key)
        if table is None:
            rules = self._rules
            situation = Situation(month=self._month, field=on_field, own_calls=int(called))
            if beside and rules.viewing_needs == "another_yaku":
                rules = replace(rules, viewing_needs="nothing")
            spoilers = _SPOILERS[rules.viewing_spoilt]
            table = _YakuPointsTable(rules, situation, self._cup, ("brights", "viewings"), spoilers)
            self._lights[key] = table
        return table

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
    """Return the first 0, 1, 2 … cards of a set, up to all of them, as sets."""
    result = [0]
    while cards:
        lowest = cards & -cards
        result.append(result[-1] | lowest)
        cards ^= lowest
    return result


class _Totals(dict[tuple[int, int, int], int]):
    """The total points by base, own calls and the opponent's calls."""

    def __init__(self, rules: KoiKoiRules) -> None:
        super().__init__()
        self._rules = rules

    def __missing__(self, key: tuple[int, int, int]) -> int:
        base, own, opponent = key
        situation = Situation(own_calls=own, opponent_calls=opponent)
        self[key] = total = pay(base, self._rules, situation).total
        return total


class Scorer:
    """Scores piles under one table's rules in one month (1 to 12; None if unknown).

    The results are those of `companion.hanafuda.games.koikoi.score` without the explanations, about two hundred times as
    fast once the tables are filled. Piles and fields are 48-bit sets of cards; a field of None is unknown.
    """

    def __init__(self, rules: KoiKoiRules, month: int | None = None) -> None:
        self.rules = rules
        self.month = month
        self._cup_tables = [_CupTables(rules, month, cup) for cup in CUPS[rules.sake_cup]]
        # If neither the other groups nor the field affect a group, these tables are sufficient.
        self._independent = (
            len(self._cup_tables) == 1
            and rules.viewing_needs != "another_yaku"
            and rules.viewing_spoilt != "field"
        )
        tables = self._cup_tables[0]
        self._animals, self._ribbons, self._month_cards = tables.animals, tables.ribbons, tables.month_cards
        self._lights = tables.lights(False, 0, False)
        self._lights_called = tables.lights(True, 0, False)
        self._light_cards = self._lights.cards
        self._animal_cards, self._ribbon_cards = tables.animals.cards, tables.ribbons.cards
        self._cards_of_month = tables.month_cards.cards
        self._chaff, self._chaff_cards = tables.chaff, tables.chaff_cards
        self._light_points, self._called_points = self._lights.points, self._lights_called.points
        self._animal_points, self._ribbon_points = tables.animals.points, tables.ribbons.points
        self._month_points = tables.month_cards.points
        self._chaff_points = tables.chaff_points
        self._totals = _Totals(rules)

    def base(self, pile: int, field: int | None = None, called: bool = False) -> int:
        """Return the sum of a pile's yaku; `called` says whether its holder has called koi-koi."""
        if not self._independent:
            on_field = self._spoiling(field)
            return max([tables.base(pile, called, on_field) for tables in self._alternatives(pile)])
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
        """Return the points of a pile after all multipliers."""
        return self._totals[self.base(pile, field, own_calls > 0), own_calls, opponent_calls]

    def yaku(self, pile: int, field: int | None = None, called: bool = False) -> YakuPoints:
        """Return the yaku of a pile as slug and points, in the order of results."""
        if not self._independent:
            on_field = self._spoiling(field)
            candidates = self._alternatives(pile)
            return max([tables.yaku(pile, called, on_field) for tables in candidates], key=_sum)
        yaku = (
            (self._lights_called if called else self._lights)[pile & self._light_cards]
            + self._animals[pile & self._animal_cards]
            + self._ribbons[pile & self._ribbon_cards]
            + self._chaff[(pile & self._chaff_cards).bit_count()]
        )
        if self._cards_of_month:
            return yaku + self._month_cards[pile & self._cards_of_month]
        return yaku

    def _alternatives(self, pile: int) -> list[_CupTables]:
        """Return the tables for each way of counting the cup; one if it is not in the pile."""
        return self._cup_tables if pile & SAKE else self._cup_tables[:1]

    def _spoiling(self, field: int | None) -> int:
        """Return the cards of a field that spoil viewings: all willows if there is one, likewise paulownias."""
        if self.rules.viewing_spoilt != "field" or field is None:
            return 0
        return (WILLOW if field & WILLOW else 0) | (PAULOWNIA if field & PAULOWNIA else 0)


def _sum(yaku: YakuPoints) -> int:
    return sum(points for _, points in yaku)


@lru_cache(maxsize=256)  # twelve months of the few rules that one program uses
def scorer_for(rules: KoiKoiRules, month: int | None = None) -> Scorer:
    """Return the cached scorer for rules and a month."""
    return Scorer(rules, month)
