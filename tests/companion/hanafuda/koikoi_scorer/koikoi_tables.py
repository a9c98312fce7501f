"""Random values of every Koi-Koi option that affects the score of a pile."""

from __future__ import annotations

from random import Random
from typing import Any

POINTS = (
    "five_brights", "four_brights", "rainy_four_brights", "three_brights", "boar_deer_butterfly",
    "poetry_ribbons", "blue_ribbons", "flower_viewing", "moon_viewing", "animals", "ribbons", "chaff",
    "month_cards", "poetry_and_blue",
)  # fmt: skip
CHOICES = {
    "poetry_blue": ("both", "replace", "add"),
    "animals_special": ("stack", "stack_extra", "best_extra"),
    "ribbons_special": ("stack", "stack_extra", "best_extra"),
    "bright_group": ("best", "all"),
    "rain_man": ("excluded", "counts"),
    "sake_cup": ("animal", "animal_and_chaff", "animal_or_chaff", "uncounted"),
    "viewing_spoilt": ("none", "captured_rain", "captured_willow", "field"),
    "viewing_needs": ("nothing", "month", "another_yaku"),
    "combine": ("multiply", "add"),
    "seven": ("base", "multiplied", "off"),
}
# Options that affect the course of a round in addition to the pile.
ROUND = {
    "offer": ("improved", "new_only"),
    "max_calls": (0, 0, 1, 2, "once_a_round"),
    "call_min_points": (0, 0, 3, 6),
    "last_card": ("stop", "until_hands_empty", "free"),
    "judge": ("turn", "card"),
    "exhausted": (0, 1, 6),
    "four_of_a_kind": (0, 6, 9),
    "four_pairs": (0, 6, 9),
    "both_teyaku": ("play_on", "draw"),
    "field_four": ("redeal", "play_on", "dealer_takes"),
    "field_pairs": ("redeal", "play_on"),
    "field_three": ("redeal", "play_on"),
    "hand_two_match": ("choose", "all"),
    "lightning_wild": ("off", "on", "summer"),
    "field_multiplier": ("off", "double", "brights_plus_one"),
    "zero_sum": (True, False),
    "hand_size": (8, 10),
}
_EFFECTS = ("x1", "x2", "x3", "x10", "+1", "+5")


def random_rules(random: Random) -> dict[str, Any]:
    """Return random options; one yaku in six is not used."""
    rules: dict[str, Any] = {key: 0 if random.random() < 1 / 6 else random.randint(1, 12) for key in POINTS}
    rules.update((key, random.choice(values)) for key, values in CHOICES.items())
    rules["viewing_after_call"] = random.choice((0, 0, 3, 7))
    for key in ("own_call", "opponent_call"):
        rules[key] = random.choices(_EFFECTS, k=random.randint(0, 3))
    return rules


def random_round_rules(random: Random) -> dict[str, Any]:
    """Return `random_rules` with random options of the round too."""
    return random_rules(random) | {key: random.choice(values) for key, values in ROUND.items()}
