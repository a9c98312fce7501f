"""The board of a round of Koi-Koi for displays."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ...description import Board
from ...families.fishing.board import fishing_view, near_yaku, pile_view
from ...messages import Message
from .missing_yaku import missing_yaku
from .reasons import to_dict
from .round import KoiKoiRound
from .rules import KoiKoiRules
from .scoring import Situation, score
from .yaku import PAULOWNIA, WILLOW

__all__ = ["BOARD", "view"]


def view(played: KoiKoiRound) -> dict[str, Any]:
    """Return the board as `Game.board` describes it, with each seat's `calls`."""
    table, rules = played.state, played.rules
    calls, piles = table.calls, table.piles
    field = None
    if rules.viewing_spoilt == "field":
        field = table.field & (WILLOW | PAULOWNIA)  # the only field cards that affect a score

    def pile_of(player: int) -> Mapping[str, Any]:
        own, opponent = calls[player - 1], calls[2 - player]
        situation = Situation(played.month, field, own, opponent)
        return {**_pile(piles[player - 1], rules, situation, piles[2 - player]), "calls": own}

    return fishing_view(played, pile_of)


@lru_cache(maxsize=512)  # a pile does not change during the opponent's turn, and every page needs both
def _pile(pile: int, rules: KoiKoiRules, situation: Situation, opponent: int) -> Mapping[str, Any]:
    """Return yaku, points and near yaku of a pile; a card that the opponent has captured cannot be needed."""
    result = score(pile, rules, situation)
    near = [
        near_yaku(
            near.yaku,
            getattr(rules, near.yaku.option),
            near.needs & ~opponent,
            near.count,
            pile & near.yaku.of,
        )
        for near in missing_yaku(result)
        if (near.needs & ~opponent).bit_count() >= near.count
    ]
    return pile_view(to_dict(result), near)


BOARD = Board(view=view, layout="sides", stock=Message("display-stock"))
