"""Koi-Koi's house rules: every option with its default, meaning and source.

The presets `koikoi-guide` and `koikoi-hu` follow one text each. The defaults are the preset `koikoi-standard`, the
rules that most tables use.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from ...messages import Message
from ...rules.options import calls, choice, flag, points, section_texts, whole
from ...rules.record import Rules

__all__ = ["KoiKoiRules"]

# The first three sections determine the value of a pile.

# The differences of each preset from the defaults, which are the standard preset.
_PRESETS: Mapping[str, tuple[Message, Mapping[str, Any]]] = {
    "koikoi-standard": (Message("preset-koikoi-standard-text"), {}),
    "koikoi-guide": (
        Message("preset-koikoi-guide-text"),
        {
            "flower_viewing": 3,
            "moon_viewing": 3,
            "sake_cup": "animal",
            "hand_two_match": "all",
            "own_call": ("x2",),
            "seven": "off",
            "dealer": "alternate",
            "dealer_after_draw": "passes",
            "both_teyaku": "play_on",
        },
    ),
    "koikoi-hu": (
        Message("preset-koikoi-hu-text"),
        {
            "rainy_four_brights": 8,
            "three_brights": 6,
            "boar_deer_butterfly": 6,
            "poetry_ribbons": 6,
            "blue_ribbons": 6,
            "rain_man": "counts",
            "sake_cup": "animal",
            "both_teyaku": "play_on",
        },
    ),
}


@dataclass(frozen=True)
class KoiKoiRules(Rules):
    """One table's house rules for Koi-Koi."""

    game: ClassVar[str] = "koikoi"
    hash_name: ClassVar[str | None] = ""
    title: ClassVar[Message] = Message("game-koikoi")
    endless: ClassVar[Mapping[str, Any]] = {"rounds": 0, "target": 0}
    sections: ClassVar[Mapping[str, Message]] = section_texts(
        "points", "yaku", "paying", "calling", "cards", "game"
    )
    presets: ClassVar[Mapping[str, tuple[Message, Mapping[str, Any]]]] = _PRESETS

    five_brights: int = points(10, "points", "Koi-Koi guide §6, Kangni Hu §4.2")
    four_brights: int = points(8, "points", "Koi-Koi guide §6, Kangni Hu §4.2")
    rainy_four_brights: int = points(7, "points", "Koi-Koi guide §6")
    three_brights: int = points(5, "points", "Koi-Koi guide §6, Kangni Hu §4.2")
    boar_deer_butterfly: int = points(5, "points", "Koi-Koi guide §6, Kangni Hu §4.2")
    poetry_ribbons: int = points(5, "points", "Koi-Koi guide §6, Kangni Hu §4.2")
    blue_ribbons: int = points(5, "points", "Koi-Koi guide §6, Kangni Hu §4.2")
    flower_viewing: int = points(5, "points", "Koi-Koi guide §6, Kangni Hu §4.2")
    moon_viewing: int = points(5, "points", "Koi-Koi guide §6, Kangni Hu §4.2")
    animals: int = points(1, "points", "Koi-Koi guide §6, Kangni Hu §4.2")
    ribbons: int = points(1, "points", "Koi-Koi guide §6, Kangni Hu §4.2")
    chaff: int = points(1, "points", "Koi-Koi guide §6, Kangni Hu §4.2")
    month_cards: int = points(0, "points", "gamedesign.jp")
    poetry_and_blue: int = points(10, "points", "FudaWiki, Nintendo, KoiKoi-Japan")

    poetry_blue: Literal["both", "replace", "add"] = choice(
        "both", "yaku", "both: Koi-Koi guide, Kangni Hu; replace: FudaWiki, Nintendo; add: KoiKoi-Japan"
    )
    animals_special: Literal["stack", "stack_extra", "best_extra"] = choice(
        "stack",
        "yaku",
        "stack: Koi-Koi guide, Kangni Hu, KoiKoi-Japan, Board Game Arena; best_extra: FudaWiki, Nintendo",
    )
    ribbons_special: Literal["stack", "stack_extra", "best_extra"] = choice(
        "stack",
        "yaku",
        "stack: Koi-Koi guide, Kangni Hu, KoiKoi-Japan, Board Game Arena; best_extra: FudaWiki, Nintendo",
    )
    bright_group: Literal["best", "all"] = choice("best", "yaku", "Hanafuda Companion")
    rain_man: Literal["excluded", "counts"] = choice(
        "excluded",
        "yaku",
        "excluded: FudaWiki, Nintendo, KoiKoi-Japan, Board Game Arena, gamedesign.jp; counts: Kangni Hu",
    )
    sake_cup: Literal["animal", "animal_and_chaff", "animal_or_chaff", "uncounted"] = choice(
        "animal_and_chaff",
        "yaku",
        "animal_and_chaff: FudaWiki, Nintendo, KoiKoi-Japan; animal: Koi-Koi guide, Kangni Hu, Board Game Arena",
    )
    viewing_spoilt: Literal["none", "captured_rain", "captured_willow", "field"] = choice(
        "none", "yaku", "field: FudaWiki"
    )
    viewing_needs: Literal["nothing", "month", "another_yaku"] = choice(
        "nothing", "yaku", "Hanafuda Companion"
    )
    viewing_after_call: int = whole(0, "yaku", "KoiKoi-Japan", {0: "koikoi-viewing-after-call-0"}, "points")

    own_call: tuple[str, ...] = calls((), "paying", "x2: Koi-Koi guide; none: Kangni Hu")
    opponent_call: tuple[str, ...] = calls(("x2",), "paying", "x2: Koi-Koi guide, Kangni Hu")
    combine: Literal["multiply", "add"] = choice("multiply", "paying", "Hanafuda Companion")
    seven: Literal["base", "multiplied", "off"] = choice(
        "base", "paying", "base: Kangni Hu, FudaWiki, Nintendo, Board Game Arena; off: Koi-Koi guide"
    )

    offer: Literal["improved", "new_only"] = choice("improved", "calling", "Hanafuda Companion")
    max_calls: int | Literal["once_a_round"] = whole(
        0,
        "calling",
        "once_a_round: Nintendo",
        {0: "no-limit", "once_a_round": "koikoi-max-calls-once-a-round"},
        "times",
        high=8,
    )
    call_min_points: int = whole(0, "calling", "Hanafuda Companion", {0: "nothing"}, "points")
    last_card: Literal["stop", "until_hands_empty", "free"] = choice(
        "stop", "calling", "stop: KoiKoi-Japan, Nintendo"
    )
    judge: Literal["turn", "card"] = choice("turn", "calling", "Koi-Koi guide, FudaWiki")

    hand_size: Literal[8, 10] = choice(8, "cards", "Koi-Koi guide §4, Kangni Hu §2.2")
    hand_two_match: Literal["choose", "all"] = choice(
        "choose",
        "cards",
        "choose: Kangni Hu, FudaWiki, Nintendo, KoiKoi-Japan, Board Game Arena; all: Koi-Koi guide",
    )
    lightning_wild: Literal["off", "on", "summer"] = choice("off", "cards", "Hanafuda Companion")
    field_four: Literal["redeal", "play_on", "dealer_takes"] = choice("redeal", "cards", "Koi-Koi guide")
    field_pairs: Literal["redeal", "play_on"] = choice("play_on", "cards", "FudaWiki")
    field_three: Literal["redeal", "play_on"] = choice("play_on", "cards", "Nintendo")
    four_of_a_kind: int = points(6, "cards", "Kangni Hu §4.1")
    four_pairs: int = points(6, "cards", "Kangni Hu §4.1")
    both_teyaku: Literal["play_on", "draw"] = choice(
        "draw", "cards", "play_on: Kangni Hu; draw: FudaWiki, Board Game Arena"
    )

    exhausted: int = whole(0, "game", "1: KoiKoi-Japan; 6: gamedesign.jp", {0: "nothing"}, "points")
    dealer: Literal["winner", "alternate"] = choice(
        "winner",
        "game",
        "winner: Kangni Hu, FudaWiki, KoiKoi-Japan, Nintendo, Board Game Arena; alternate: Koi-Koi guide",
    )
    dealer_after_draw: Literal["stays", "passes"] = choice(
        "stays", "game", "stays: FudaWiki, KoiKoi-Japan, Board Game Arena; passes: Nintendo"
    )
    rounds: int = whole(12, "game", "Hanafuda Companion", {0: "no-limit"}, "rounds", high=120)
    target: int = whole(0, "game", "Hanafuda Companion", {0: "no-limit"}, "points", high=10_000)
    field_multiplier: Literal["off", "double", "brights_plus_one"] = choice(
        "off", "game", "Hanafuda Companion"
    )
    zero_sum: bool = flag(False, "game", "Koi-Koi guide §8; KoiKoi-Japan")
