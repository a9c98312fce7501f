"""The description of Koi-Koi: what a person can report, the scoring of cards without a round, what pages show of a round."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ...cards import HANAFUDA, CardTwiceError, from_bits, ids_of
from ...description import Board, CardScorer, Entry, Game, SpokenCall, YakuCards, yaku_names
from ...errors import BadRequestError, quote
from ...fishing.board import fishing_view, near_yaku, pile_view
from ...fishing.camera import CAMERA
from ...messages import Message
from ...validation import card_set, only_keys, whole_number
from .match import KoiKoiMatch
from .policy import POLICY_TEXT, policy
from .reasons import missing_yaku, to_dict
from .result import RESULT
from .round import KoiKoiRound
from .rules import KoiKoiRules
from .scorer import Scorer
from .scoring import CUPS, Situation, score
from .share import SHARE
from .yaku import PAULOWNIA, WILLOW, YAKU, in_force

__all__ = ["GAME"]

# --- manual entry

_ENTRY = Entry(
    field=8,
    buttons={"koi-koi": (("call", "koikoi"),), "stop": (("call", "stop"),)},
    calls=(SpokenCall(word="koikoi", ja="こいこい", goes_on=True), SpokenCall(word="stop", ja="勝負")),
)


# --- scoring of cards without a round


def _score(request: Mapping[str, Any], rules: KoiKoiRules) -> dict[str, Any]:
    pile = card_set(request["captured"], "captured")
    field = request.get("field")
    on_field = None if field is None else card_set(field, "field")
    if on_field and (both := pile & on_field):
        raise CardTwiceError(from_bits(both)[0].id, in_both=True)
    calls = request.get("calls") or {}
    if not isinstance(calls, Mapping):
        raise BadRequestError(f'calls must be an object like {{"own": 1, "opponent": 0}}, not {quote(calls)}')
    only_keys(calls, ("own", "opponent"), "calls")
    situation = Situation(
        month=None if (month := request.get("month")) is None else whole_number(month, "month", 1, 12),
        field=on_field,
        own_calls=_calls(calls, "own"),
        opponent_calls=_calls(calls, "opponent"),
    )
    return to_dict(score(pile, rules, situation))


def _calls(calls: Mapping[str, Any], whose: str) -> int:
    number = calls.get(whose)
    return 0 if number is None else whole_number(number, f"calls.{whose}", 0)


_NOTHING_KNOWN = Situation()

_SCORER = CardScorer(
    cards="pile",
    inputs=("month", "field", "calls"),
    yaku=yaku_names(YAKU.values()),
    score=_score,
    explain=lambda pile, rules: to_dict(score(pile, rules, _NOTHING_KNOWN)),
    prepare=Scorer,
)


# --- board


def _view(played: KoiKoiRound) -> dict[str, Any]:
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


def _yaku_cards(played: KoiKoiRound) -> tuple[YakuCards, ...]:
    """Return the yaku of a round's rules with their cards, as `Game.yaku_cards` describes them."""
    cups = CUPS[played.rules.sake_cup]
    return tuple(
        YakuCards(yaku.slug, getattr(played.rules, yaku.option), yaku.count, frozenset(ids_of(yaku.of)))
        for yaku in in_force(played.rules, played.month, cups[0] if len(cups) == 1 else "both")
        if yaku.of
    )


_BOARD = Board(view=_view, layout="sides", stock=Message("display-stock"))


# --- description

GAME = Game(
    rules=KoiKoiRules,
    share=SHARE,
    round=KoiKoiRound,
    match=KoiKoiMatch,
    scorer=_SCORER,
    board=_BOARD,
    entry=_ENTRY,
    result=RESULT,
    yaku_cards=_yaku_cards,
    policy=policy,
    policy_text=POLICY_TEXT,
    camera=CAMERA,
    cards=lambda rules: frozenset(card.id for card in HANAFUDA),
    unit=Message("unit-points"),
    seats=(2, 2),
    usual_seats=2,
    has_months=True,
)
