"""Kekoro in the words of a player."""

from __future__ import annotations

from ...cards import ids_of
from ...description import Chapter, Example
from ...fishing.how_to_play import deal, turn
from ...messages import Message, yaku_message
from .round import KekoroRound
from .rules import KekoroRules
from .scoring import CARD_VALUES
from .yaku import in_force

__all__ = ["how_to_play"]


def how_to_play(rules: KekoroRules) -> tuple[Chapter, ...]:
    """Return the game's rules under a table's house rules."""
    worth = Message("rule-unit-points", {"count": rules.yaku_points})
    chaff, great, *_ = (row.values[rules.values] for row in CARD_VALUES)
    return (
        Chapter(Message("how-goal"), (Message("how-kekoro-goal"),)),
        deal(KekoroRound.hand_size(rules)),
        turn(captures_both=False),
        Chapter(
            Message("how-values"),
            (Message("how-kekoro-values", {"chaff": chaff, "great": great}),),
        ),
        Chapter(
            Message("how-end"),
            (Message("how-kekoro-end"),),
            options=("lead_points", "lead_to_win", "dealer_after_tie"),
        ),
        Chapter(
            Message("how-yaku"),
            (Message("how-kekoro-yaku", {"points": worth}),),
            tuple(
                Example(yaku_message(each.slug), ids_of(each.cards)) for each in in_force(rules.yaku_source)
            ),
        ),
    )
