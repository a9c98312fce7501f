"""The description of Koi-Koi: what a person can report, the scoring of cards without a round, what pages show, how simulated players call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any

from ...cards import HANAFUDA, CardTwiceError, from_bits, ids_of
from ...description import Board, CardScorer, Entry, Game, SpokenCall, YakuCards, yaku_names
from ...errors import BadRequestError, quote
from ...fishing import Call, FishingMove
from ...fishing.board import fishing_view, near_yaku, pile_view
from ...fishing.camera import camera
from ...fishing.moves import call_of
from ...fishing.policy import best_cards
from ...fishing.round import replaced
from ...messages import Message, player_message
from ...validation import card_set, only_keys, whole_number
from .how_to_play import how_to_play
from .match import KoiKoiMatch
from .reasons import missing_yaku, to_dict
from .result import RESULT
from .round import KoiKoiRound
from .rules import KoiKoiRules
from .scorer import Scorer
from .scoring import CUPS, Payment, Situation, pay, score
from .share import SHARE
from .yaku import PAULOWNIA, WILLOW, YAKU, in_force

__all__ = ["GAME"]

# --- simulated players

_CALL_HAND = 3
"""A simulated player calls koi-koi only with at least this many cards in the hand."""
_CALL_BELOW = 7
"""A simulated player calls koi-koi only with fewer points: most tables double seven or more."""
_POLICY_TEXT = Message("koikoi-policy", {"points": _CALL_BELOW, "cards": _CALL_HAND})


def _calls_koikoi(base: int, hand: int, opponent_calls: int) -> bool:
    """Return whether a player with a new yaku calls koi-koi; `base` is the sum of the yaku, `hand` the cards left."""
    return base < _CALL_BELOW and hand >= _CALL_HAND and not opponent_calls


def _policy(played: KoiKoiRound, moves: Sequence[FishingMove], rng: Random) -> FishingMove:
    """Return the move of a simulated player: the best cards, and koi-koi while there is time and little to lose."""
    if not isinstance(moves[0], Call):
        return best_cards(moves)
    state = played.state
    player = moves[0].player
    base = sum(points for _, points in played.yaku(player))
    goes_on = _calls_koikoi(base, state.hand_sizes[player - 1], state.calls[2 - player])
    return call_of(player, "koikoi" if goes_on else "stop")


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


def _call_effects(played: KoiKoiRound, player: int) -> tuple[Message, ...]:
    """Return what a koi-koi of a player changes, as `Game.call_effects` describes it: what may be lost, and who gets more."""
    before = played.state.calls
    after = replaced(before, player - 1, before[player - 1] + 1)

    def paid(winner: int, calls: tuple[int, ...]) -> Payment:
        return pay(1, played.rules, Situation(own_calls=calls[winner - 1], opponent_calls=calls[2 - winner]))

    effects = [Message("koikoi-call-lost")]
    for winner in (3 - player, player):
        payment, name = paid(winner, after), player_message(winner)
        if payment == paid(winner, before):
            if winner != player:
                effects.append(Message("koikoi-call-same", {"player": name}))
            continue
        if payment.calls_factor > 1:
            effects.append(Message("koikoi-call-times", {"player": name, "factor": payment.calls_factor}))
        if more := sum(points for _, points in payment.added):
            effects.append(
                Message("koikoi-call-plus", {"player": name, "points": Message("points", {"count": more})})
            )
    return tuple(effects)


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
    how_to_play=how_to_play,
    policy=_policy,
    policy_text=_POLICY_TEXT,
    call_effects=_call_effects,
    camera=camera(KoiKoiRound),
    cards=lambda rules: frozenset(card.id for card in HANAFUDA),
    unit=Message("unit-points"),
    seats=(2, 2),
    usual_seats=2,
    has_months=True,
)
