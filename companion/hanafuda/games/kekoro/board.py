"""The board of a round of Kekoro for displays."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ...cards import ids_of
from ...description import Board, YakuCards
from ...families.fishing.board import fishing_view, near_yaku, pile_view
from ...messages import Message
from .reasons import to_dict
from .round import KekoroRound
from .rules import KekoroRules
from .scoring import score
from .yaku import in_force

__all__ = ["BOARD", "view", "yaku_cards"]


def view(played: KekoroRound) -> dict[str, Any]:
    """Return the board as `Game.board` describes it, with each seat's `values`."""
    piles = played.state.piles
    return fishing_view(played, lambda player: _pile(piles[player - 1], played.rules, piles[2 - player]))


@lru_cache(maxsize=512)
def _pile(pile: int, rules: KekoroRules, opponent: int) -> Mapping[str, Any]:
    """Return yaku, points and near yaku of a pile; a yaku is out of reach once the opponent has a card of it."""
    result = score(pile, rules)
    near = [
        near_yaku(near.yaku, rules.yaku_points, near.needs, near.count, pile & near.yaku.cards)
        for near in result.missing
        if not near.needs & opponent
    ]
    answer = to_dict(result)
    return {**pile_view(answer, near), "values": answer["values"]}


def yaku_cards(played: KekoroRound) -> tuple[YakuCards, ...]:
    """Return the yaku of a round's rules with their cards, as `Game.yaku_cards` describes them."""
    rules = played.rules
    return tuple(
        YakuCards(yaku.slug, rules.yaku_points, yaku.cards.bit_count(), frozenset(ids_of(yaku.cards)))
        for yaku in in_force(rules.yaku_source)
    )


BOARD = Board(view=view, layout="sides", stock=Message("display-stock"))
