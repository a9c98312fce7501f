"""A second, simple scorer for Koi-Koi, written from the rule texts and rulings, with names of cards.

It imports nothing of `companion` and works differently: sets of names instead of sets of bits, if statements
instead of declarations. If the two disagree, one of them implements a rule wrongly.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Any

FLOWERS = (
    "pine", "plum", "cherry", "wisteria", "iris", "peony",
    "clover", "susuki", "chrysanthemum", "maple", "willow", "paulownia",
)  # fmt: skip
BRIGHTS = {"pine-crane", "cherry-curtain", "susuki-moon", "willow-rainman", "paulownia-phoenix"}
ANIMALS = {
    "plum-warbler", "wisteria-cuckoo", "iris-bridge", "peony-butterflies", "clover-boar",
    "susuki-geese", "chrysanthemum-sake", "maple-deer", "willow-swallow",
}  # fmt: skip
RED_WITH_WRITING = {"pine-ribbon", "plum-ribbon", "cherry-ribbon"}
BLUE = {"peony-ribbon", "chrysanthemum-ribbon", "maple-ribbon"}
# Ten: every flower but susuki and paulownia has one.
RIBBONS = {f"{flower}-ribbon" for flower in FLOWERS if flower not in {"susuki", "paulownia"}}
CUP = "chrysanthemum-sake"
RAIN_MAN = "willow-rainman"
CHAFF = {"willow-lightning", "paulownia-yellow"} | {
    f"{flower}-chaff-{number}" for flower in FLOWERS if flower != "willow" for number in (1, 2)
}

Rules = dict[str, Any]


def plain_score(
    pile: AbstractSet[str],
    rules: Rules,
    month: int | None,
    field: AbstractSet[str],
    own_calls: int,
    opponent_calls: int,
) -> tuple[dict[str, int], int]:
    """Return the yaku with their points, and the total."""
    if rules["sake_cup"] == "animal_or_chaff":
        # Whichever pays more (rulings §0); an animal if it makes no difference.
        as_animal = _yaku(pile, rules, month, field, own_calls, cup_animal=True, cup_chaff=False)
        as_chaff = _yaku(pile, rules, month, field, own_calls, cup_animal=False, cup_chaff=True)
        made = as_chaff if sum(as_chaff.values()) > sum(as_animal.values()) else as_animal
    else:
        made = _yaku(
            pile, rules, month, field, own_calls,
            cup_animal=rules["sake_cup"] in ("animal", "animal_and_chaff"),
            cup_chaff=rules["sake_cup"] == "animal_and_chaff",
        )  # fmt: skip
    return made, _total(sum(made.values()), rules, own_calls, opponent_calls)


def _yaku(
    pile: AbstractSet[str],
    rules: Rules,
    month: int | None,
    field: AbstractSet[str],
    own_calls: int,
    *,
    cup_animal: bool,
    cup_chaff: bool,
) -> dict[str, int]:
    made = _brights(pile, rules)
    made |= _animals(pile, rules, cup_animal)
    made |= _ribbons(pile, rules)
    chaff = len(pile & CHAFF) + (1 if cup_chaff and CUP in pile else 0)
    if rules["chaff"] and chaff >= 10:
        made["chaff"] = rules["chaff"] + (chaff - 10)
    if rules["month_cards"] and month:
        of_month = [card for card in pile if card.startswith(FLOWERS[month - 1] + "-")]
        if len(of_month) == 4:
            made["month-cards"] = rules["month_cards"]
    return made | _viewings(pile, rules, month, field, own_calls, beside=bool(made))


def _brights(pile: AbstractSet[str], rules: Rules) -> dict[str, int]:
    brights = pile & BRIGHTS
    dry = brights - {RAIN_MAN}
    # `rain_man`: the Rain Man is not counted in three and four brights, or counts like any other bright.
    counted = brights if rules["rain_man"] == "counts" else dry
    possible = []  # (points, cards, requires the Rain Man, name)
    if len(brights) == 5:
        possible.append((rules["five_brights"], 5, False, "five-brights"))
    if len(counted) >= 4:
        possible.append((rules["four_brights"], 4, False, "four-brights"))
    if len(brights) >= 4 and RAIN_MAN in brights:
        possible.append((rules["rainy_four_brights"], 4, True, "rainy-four-brights"))
    if len(counted) >= 3:
        possible.append((rules["three_brights"], 3, False, "three-brights"))
    possible = [each for each in possible if each[0] > 0]
    if not possible:
        return {}
    if rules["bright_group"] == "best":
        points, _, _, name = max(possible)
        return {name: points}
    made = {}
    for cards in (5, 4, 3):
        of_so_many = [each for each in possible if each[1] == cards]
        if of_so_many:
            points, _, _, name = max(of_so_many)
            made[name] = points
    return made


def _animals(pile: AbstractSet[str], rules: Rules, cup: bool) -> dict[str, int]:
    animals = {card for card in pile & ANIMALS if cup or card != CUP}
    made = {}
    if rules["animals"] and len(animals) >= 5:
        made["animals"] = rules["animals"] + (len(animals) - 5)
    if rules["boar_deer_butterfly"] and {"clover-boar", "maple-deer", "peony-butterflies"} <= animals:
        made["boar-deer-butterfly"] = rules["boar_deer_butterfly"]
        if rules["animals_special"] != "stack":
            made["boar-deer-butterfly"] += len(animals) - 3
        if rules["animals_special"] == "best_extra":
            made.pop("animals", None)
    return made


def _ribbons(pile: AbstractSet[str], rules: Rules) -> dict[str, int]:
    ribbons = pile & RIBBONS
    named = {}  # name: points, cards
    if rules["poetry_ribbons"] and ribbons >= RED_WITH_WRITING:
        named["poetry-ribbons"] = (rules["poetry_ribbons"], 3)
    if rules["blue_ribbons"] and ribbons >= BLUE:
        named["blue-ribbons"] = (rules["blue_ribbons"], 3)
    if rules["poetry_blue"] != "both" and rules["poetry_and_blue"] and ribbons >= RED_WITH_WRITING | BLUE:
        if rules["poetry_blue"] == "replace":
            named = {}
        named["poetry-and-blue"] = (rules["poetry_and_blue"], 6)
    made = {}
    for name, (points, cards) in named.items():
        further = 0 if rules["ribbons_special"] == "stack" else len(ribbons) - cards
        made[name] = points + further
    if rules["ribbons"] and len(ribbons) >= 5 and not (named and rules["ribbons_special"] == "best_extra"):
        made["ribbons"] = rules["ribbons"] + (len(ribbons) - 5)
    return made


def _viewings(
    pile: AbstractSet[str],
    rules: Rules,
    month: int | None,
    field: AbstractSet[str],
    own_calls: int,
    *,
    beside: bool,
) -> dict[str, int]:
    made: dict[str, int] = {}
    if CUP not in pile:
        return made
    for name, option, partner, season, spoiler in (
        ("flower-viewing", "flower_viewing", "cherry-curtain", 3, "willow-"),
        ("moon-viewing", "moon_viewing", "susuki-moon", 8, "paulownia-"),
    ):
        if not rules[option] or partner not in pile:
            continue
        how = rules["viewing_spoilt"]
        if how == "captured_rain" and (RAIN_MAN in pile or "willow-lightning" in pile):
            continue
        if how == "captured_willow" and any(card.startswith("willow-") for card in pile):
            continue
        if how == "field" and any(card.startswith(spoiler) for card in field):
            continue
        if rules["viewing_needs"] == "month" and month != season:
            continue
        if rules["viewing_needs"] == "another_yaku" and not beside:
            continue
        after_call = rules["viewing_after_call"] if own_calls else 0
        made[name] = after_call or rules[option]
    return made


def _total(base: int, rules: Rules, own_calls: int, opponent_calls: int) -> int:
    if base == 0:
        return 0
    points, factors = base, []
    for effects, calls in ((rules["own_call"], own_calls), (rules["opponent_call"], opponent_calls)):
        if calls and effects:
            effect = effects[calls - 1] if calls <= len(effects) else effects[-1]
            if effect.startswith("+"):
                points += int(effect[1:])
            else:
                factors.append(int(effect[1:]))
    if rules["combine"] == "multiply":
        for factor in factors:
            points *= factor
    else:
        points *= 1 + sum(factor - 1 for factor in factors)
    reached = {"base": base, "multiplied": points, "off": 0}[rules["seven"]]
    return points * 2 if reached >= 7 else points
