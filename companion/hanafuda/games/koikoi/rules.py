"""Koi-Koi's house rules: every option with its default, meaning and source.

The presets `koikoi-guide` and `koikoi-hu` follow one text each. The defaults are the preset `koikoi-standard`, the
rules that most tables use.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from ...messages import Message
from ...rules.options import calls, choice, flag, points, whole
from ...rules.record import Contradiction, Rules

__all__ = ["KoiKoiRules"]

_SECTIONS = {
    "points": Message("rule-koikoi-section-points"),
    "yaku": Message("rule-koikoi-section-yaku"),
    "paying": Message("rule-koikoi-section-paying"),
    "calling": Message("rule-koikoi-section-calling"),
    "cards": Message("rule-koikoi-section-cards"),
    "game": Message("rule-koikoi-section-game"),
}
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
    sections: ClassVar[Mapping[str, Message]] = _SECTIONS
    presets: ClassVar[Mapping[str, tuple[Message, Mapping[str, Any]]]] = _PRESETS

    five_brights: int = points(10, "points", "rule-koikoi-five-brights", "Koi-Koi guide §6, Kangni Hu §4.2")
    four_brights: int = points(
        8,
        "points",
        "rule-koikoi-four-brights",
        "Koi-Koi guide §6, Kangni Hu §4.2",
    )
    rainy_four_brights: int = points(7, "points", "rule-koikoi-rainy-four-brights", "Koi-Koi guide §6")
    three_brights: int = points(
        5,
        "points",
        "rule-koikoi-three-brights",
        "Koi-Koi guide §6, Kangni Hu §4.2",
    )
    boar_deer_butterfly: int = points(
        5,
        "points",
        "rule-koikoi-boar-deer-butterfly",
        "Koi-Koi guide §6, Kangni Hu §4.2",
    )
    poetry_ribbons: int = points(
        5,
        "points",
        "rule-koikoi-poetry-ribbons",
        "Koi-Koi guide §6, Kangni Hu §4.2",
    )
    blue_ribbons: int = points(
        5,
        "points",
        "rule-koikoi-blue-ribbons",
        "Koi-Koi guide §6, Kangni Hu §4.2",
    )
    flower_viewing: int = points(
        5, "points", "rule-koikoi-flower-viewing", "Koi-Koi guide §6, Kangni Hu §4.2"
    )
    moon_viewing: int = points(5, "points", "rule-koikoi-moon-viewing", "Koi-Koi guide §6, Kangni Hu §4.2")
    animals: int = points(
        1,
        "points",
        "rule-koikoi-animals",
        "Koi-Koi guide §6, Kangni Hu §4.2",
    )
    ribbons: int = points(
        1,
        "points",
        "rule-koikoi-ribbons",
        "Koi-Koi guide §6, Kangni Hu §4.2",
    )
    chaff: int = points(
        1,
        "points",
        "rule-koikoi-chaff",
        "Koi-Koi guide §6, Kangni Hu §4.2",
    )
    month_cards: int = points(0, "points", "rule-koikoi-month-cards", "gamedesign.jp")
    poetry_and_blue: int = points(
        10,
        "points",
        "rule-koikoi-poetry-and-blue",
        "FudaWiki, Nintendo, KoiKoi-Japan",
    )

    poetry_blue: Literal["both", "replace", "add"] = choice(
        "both",
        "yaku",
        "rule-koikoi-poetry-blue",
        "both: Koi-Koi guide, Kangni Hu; replace: FudaWiki, Nintendo; add: KoiKoi-Japan",
        ("both", "replace", "add"),
    )
    animals_special: Literal["stack", "stack_extra", "best_extra"] = choice(
        "stack",
        "yaku",
        "rule-koikoi-animals-special",
        "stack: Koi-Koi guide, Kangni Hu, KoiKoi-Japan, Board Game Arena; best_extra: FudaWiki, Nintendo",
        ("stack", "stack_extra", "best_extra"),
    )
    ribbons_special: Literal["stack", "stack_extra", "best_extra"] = choice(
        "stack",
        "yaku",
        "rule-koikoi-ribbons-special",
        "stack: Koi-Koi guide, Kangni Hu, KoiKoi-Japan, Board Game Arena; best_extra: FudaWiki, Nintendo",
        ("stack", "stack_extra", "best_extra"),
    )
    bright_group: Literal["best", "all"] = choice(
        "best",
        "yaku",
        "rule-koikoi-bright-group",
        "Hanafuda Companion",
        ("best", "all"),
    )
    rain_man: Literal["excluded", "counts"] = choice(
        "excluded",
        "yaku",
        "rule-koikoi-rain-man",
        "excluded: FudaWiki, Nintendo, KoiKoi-Japan, Board Game Arena, gamedesign.jp; counts: Kangni Hu",
        ("excluded", "counts"),
    )
    sake_cup: Literal["animal", "animal_and_chaff", "animal_or_chaff", "uncounted"] = choice(
        "animal_and_chaff",
        "yaku",
        "rule-koikoi-sake-cup",
        "animal_and_chaff: FudaWiki, Nintendo, KoiKoi-Japan; animal: Koi-Koi guide, Kangni Hu, Board Game Arena",
        ("animal", "animal_and_chaff", "animal_or_chaff", "uncounted"),
    )
    viewing_spoilt: Literal["none", "captured_rain", "captured_willow", "field"] = choice(
        "none",
        "yaku",
        "rule-koikoi-viewing-spoilt",
        "field: FudaWiki",
        ("none", "captured_rain", "captured_willow", "field"),
    )
    viewing_needs: Literal["nothing", "month", "another_yaku"] = choice(
        "nothing",
        "yaku",
        "rule-koikoi-viewing-needs",
        "Hanafuda Companion",
        ("nothing", "month", "another_yaku"),
    )
    viewing_after_call: int = whole(
        0,
        "yaku",
        "rule-koikoi-viewing-after-call",
        "KoiKoi-Japan",
        (0,),
        "points",
    )

    own_call: tuple[str, ...] = calls(
        (),
        "paying",
        "rule-koikoi-own-call",
        "x2: Koi-Koi guide; none: Kangni Hu",
    )
    opponent_call: tuple[str, ...] = calls(
        ("x2",), "paying", "rule-koikoi-opponent-call", "x2: Koi-Koi guide, Kangni Hu"
    )
    combine: Literal["multiply", "add"] = choice(
        "multiply",
        "paying",
        "rule-koikoi-combine",
        "Hanafuda Companion",
        ("multiply", "add"),
    )
    seven: Literal["base", "multiplied", "off"] = choice(
        "base",
        "paying",
        "rule-koikoi-seven",
        "base: Kangni Hu, FudaWiki, Nintendo, Board Game Arena; off: Koi-Koi guide",
        ("base", "multiplied", "off"),
    )

    offer: Literal["improved", "new_only"] = choice(
        "improved",
        "calling",
        "rule-koikoi-offer",
        "Hanafuda Companion",
        ("improved", "new_only"),
    )
    max_calls: int | Literal["once_a_round"] = whole(
        0,
        "calling",
        "rule-koikoi-max-calls",
        "once_a_round: Nintendo",
        (0, "once_a_round"),
        "times",
        high=8,
    )
    call_min_points: int = whole(
        0,
        "calling",
        "rule-koikoi-call-min-points",
        "Hanafuda Companion",
        (0,),
        "points",
    )
    last_card: Literal["stop", "until_hands_empty", "free"] = choice(
        "stop",
        "calling",
        "rule-koikoi-last-card",
        "stop: KoiKoi-Japan, Nintendo",
        ("stop", "until_hands_empty", "free"),
    )
    judge: Literal["turn", "card"] = choice(
        "turn",
        "calling",
        "rule-koikoi-judge",
        "Koi-Koi guide, FudaWiki",
        ("turn", "card"),
    )

    hand_size: Literal[8, 10] = choice(
        8,
        "cards",
        "rule-koikoi-hand-size",
        "Koi-Koi guide §4, Kangni Hu §2.2",
        (8, 10),
    )
    hand_two_match: Literal["choose", "all"] = choice(
        "choose",
        "cards",
        "rule-koikoi-hand-two-match",
        "choose: Kangni Hu, FudaWiki, Nintendo, KoiKoi-Japan, Board Game Arena; all: Koi-Koi guide",
        ("choose", "all"),
    )
    lightning_wild: Literal["off", "on", "summer"] = choice(
        "off",
        "cards",
        "rule-koikoi-lightning-wild",
        "Hanafuda Companion",
        ("off", "on", "summer"),
    )
    field_four: Literal["redeal", "play_on", "dealer_takes"] = choice(
        "redeal",
        "cards",
        "rule-koikoi-field-four",
        "Koi-Koi guide",
        ("redeal", "play_on", "dealer_takes"),
    )
    field_pairs: Literal["redeal", "play_on"] = choice(
        "play_on",
        "cards",
        "rule-koikoi-field-pairs",
        "FudaWiki",
        ("redeal", "play_on"),
    )
    field_three: Literal["redeal", "play_on"] = choice(
        "play_on",
        "cards",
        "rule-koikoi-field-three",
        "Nintendo",
        ("redeal", "play_on"),
    )
    four_of_a_kind: int = points(6, "cards", "rule-koikoi-four-of-a-kind", "Kangni Hu §4.1")
    four_pairs: int = points(6, "cards", "rule-koikoi-four-pairs", "Kangni Hu §4.1")
    both_teyaku: Literal["play_on", "draw"] = choice(
        "draw",
        "cards",
        "rule-koikoi-both-teyaku",
        "play_on: Kangni Hu; draw: FudaWiki, Board Game Arena",
        ("play_on", "draw"),
    )

    exhausted: int = whole(
        0,
        "game",
        "rule-koikoi-exhausted",
        "1: KoiKoi-Japan; 6: gamedesign.jp",
        (0,),
        "points",
    )
    dealer: Literal["winner", "alternate"] = choice(
        "winner",
        "game",
        "rule-koikoi-dealer",
        "winner: Kangni Hu, FudaWiki, KoiKoi-Japan, Nintendo, Board Game Arena; alternate: Koi-Koi guide",
        ("winner", "alternate"),
    )
    dealer_after_draw: Literal["stays", "passes"] = choice(
        "stays",
        "game",
        "rule-koikoi-dealer-after-draw",
        "stays: FudaWiki, KoiKoi-Japan, Board Game Arena; passes: Nintendo",
        ("stays", "passes"),
    )
    rounds: int = whole(
        12,
        "game",
        "rule-koikoi-rounds",
        "Hanafuda Companion",
        (0,),
        "rounds",
        high=120,
    )
    target: int = whole(
        0,
        "game",
        "rule-koikoi-target",
        "Hanafuda Companion",
        (0,),
        "points",
        high=10_000,
    )
    field_multiplier: Literal["off", "double", "brights_plus_one"] = choice(
        "off",
        "game",
        "rule-koikoi-field-multiplier",
        "Hanafuda Companion",
        ("off", "double", "brights_plus_one"),
    )
    zero_sum: bool = flag(False, "game", "rule-koikoi-zero-sum", "Koi-Koi guide §8; KoiKoi-Japan")

    def contradictions(self) -> list[Contradiction]:
        """Reject rules with which a game never ends."""
        if self.rounds == 0 and self.target == 0:
            return [Contradiction(("rounds", "target"), Message("koikoi-rules-endless"))]
        return []
