"""The description of Kekoro: what a person can report, the scoring of cards without a round, what pages show, how simulated players call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any

from ...cards import HANAFUDA, ids_of
from ...description import Board, CardScorer, Entry, Game, YakuCards, yaku_names
from ...fishing import Call, FishingMove
from ...fishing.board import fishing_view, near_yaku, pile_view
from ...fishing.camera import camera
from ...fishing.policy import best_cards
from ...messages import Message
from ...validation import card_set
from .how_to_play import how_to_play
from .match import KekoroMatch
from .result import RESULT
from .round import KekoroRound
from .rules import KekoroRules
from .scoring import Scorer, score, to_dict
from .share import SHARE
from .yaku import YAKU, in_force

__all__ = ["GAME"]

# --- manual entry

_ENTRY = Entry(
    field=8,
    # ("call", "stop") leaves the victory undeclared: the opposite of what the button of that name says.
    buttons={"koi-koi": (("call", "stop"),), "stop": (("call", "win"),), "pass": (("call", "stop"),)},
)


# --- scoring of cards without a round


def _score(request: Mapping[str, Any], rules: KekoroRules) -> dict[str, Any]:
    return to_dict(score(card_set(request["captured"], "captured"), rules))


_SCORER = CardScorer(
    cards="pile",
    yaku=yaku_names(YAKU.values()),
    score=_score,
    explain=lambda pile, rules: to_dict(score(pile, rules)),
    prepare=Scorer,
)


# --- board


def _view(played: KekoroRound) -> dict[str, Any]:
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


def _yaku_cards(played: KekoroRound) -> tuple[YakuCards, ...]:
    """Return the yaku of a round's rules with their cards, as `Game.yaku_cards` describes them."""
    rules = played.rules
    return tuple(
        YakuCards(yaku.slug, rules.yaku_points, yaku.cards.bit_count(), frozenset(ids_of(yaku.cards)))
        for yaku in in_force(rules.yaku_source)
    )


_BOARD = Board(view=_view, layout="sides", stock=Message("display-stock"))


# --- simulated players

_POLICY_TEXT = Message("fishing-policy")


def _policy(played: Any, moves: Sequence[FishingMove], rng: Random) -> FishingMove:
    """Return the move of a simulated player: the victory by yaku if it can be declared, otherwise the best cards."""
    return moves[0] if isinstance(moves[0], Call) else best_cards(moves)


# --- description

GAME = Game(
    rules=KekoroRules,
    share=SHARE,
    round=KekoroRound,
    match=KekoroMatch,
    scorer=_SCORER,
    board=_BOARD,
    entry=_ENTRY,
    result=RESULT,
    yaku_cards=_yaku_cards,
    how_to_play=how_to_play,
    policy=_policy,
    policy_text=_POLICY_TEXT,
    camera=camera(KekoroRound),
    cards=lambda rules: frozenset(card.id for card in HANAFUDA),
    unit=Message("unit-points"),
    seats=(2, 2),
    usual_seats=2,
)
