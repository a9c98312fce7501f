"""The board of a round of Koi-Koi for displays."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ...cards import ids_of
from ...description import Board, YakuCards
from ...families.fishing.board import fishing_view, near_yaku, pile_view
from ...messages import Message
from .missing_yaku import missing_yaku
from .reasons import to_dict
from .round import KoiKoiRound
from .rules import KoiKoiRules
from .scoring import CUPS, Situation, score
from .yaku import PAULOWNIA, WILLOW, in_force

__all__ = ["BOARD", "view", "yaku_cards"]


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


def yaku_cards(played: KoiKoiRound) -> tuple[YakuCards, ...]:
    """Return the yaku of a round's rules with their cards, as `Game.yaku_cards` describes them."""
    cups = CUPS[played.rules.sake_cup]
    return tuple(
        YakuCards(yaku.slug, getattr(played.rules, yaku.option), yaku.count, frozenset(ids_of(yaku.of)))
        for yaku in in_force(played.rules, played.month, cups[0] if len(cups) == 1 else "both")
        if yaku.of
    )


BOARD = Board(view=view, layout="sides", stock=Message("display-stock"))
