"""Koi-Koi in the words of a player."""

from __future__ import annotations

from ...cards import ids_of
from ...description import Chapter, Example
from ...fishing.how_to_play import deal, turn
from ...messages import Message, yaku_message
from .rules import KoiKoiRules
from .scoring import CUPS
from .yaku import Yaku, in_force

__all__ = ["how_to_play"]


def how_to_play(rules: KoiKoiRules) -> tuple[Chapter, ...]:
    """Return the game's rules under a table's house rules."""
    cups = CUPS[rules.sake_cup]
    yaku = in_force(rules, None, cups[0] if len(cups) == 1 else "both")
    return (
        Chapter(Message("how-goal"), (Message("how-koikoi-goal"),)),
        deal(rules.hand_size, ("four_of_a_kind", "four_pairs")),
        turn(captures_both=rules.hand_two_match == "all"),
        Chapter(
            Message("how-yaku"),
            (Message("how-koikoi-yaku"),),
            tuple(_example(each, rules) for each in yaku),
            ("sake_cup", "rain_man", "viewing_spoilt"),
        ),
        Chapter(
            Message("how-calling"),
            (Message("how-koikoi-stop"), Message("how-koikoi-call")),
            options=("opponent_call", "own_call", "seven", "last_card"),
        ),
        Chapter(
            Message("how-end"),
            (Message("how-koikoi-end"),),
            options=("exhausted", "dealer", "rounds", "target"),
        ),
    )


def _example(yaku: Yaku, rules: KoiKoiRules) -> Example:
    """Return a yaku with as many of its cards as make it."""
    others = ids_of(yaku.of & ~yaku.must)
    cards = (*ids_of(yaku.must), *others[: yaku.count - yaku.must.bit_count()])
    return Example(
        yaku_message(yaku.slug),
        cards,
        Message("rule-unit-points", {"count": getattr(rules, yaku.option)}),
        rules.options()[yaku.option].text if yaku.counted else yaku.takes,
    )
