"""The descriptions of Kingo for the pot and of Kingo against a banker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...description import Board, Camera, CardScorer, Entry, Game, HiddenCards, SeatLabel, yaku_names
from ...errors import BadRequestError, quote
from ...messages import Message
from ...round import HIDDEN
from .bank import KingoBankRound
from .camera import KingoTable
from .hands import POT_RANKS, TEYAKU, AnyKingoRules, Role, deck_of
from .how_to_play import how_to_play, how_to_play_bank
from .match import KingoBankMatch, KingoMatch
from .moves import Draw
from .record import MAX_PLAYERS
from .result import BANK_RESULT, RESULT
from .round import KingoRound
from .rules import KingoBankRules, KingoRules
from .scoring import score_hand
from .share import BANK_SHARE, SHARE
from .state import BankState, KingoState, Seat

__all__ = ["BANK_GAME", "GAME"]

# --- manual entry

_ENTRY = Entry(
    hand=1,
    one_tap=True,
    rare=("bareta", "show", "redeal"),
    words={"draw": Message("live-word-draw-to-hand")},
    buttons={
        "koi-koi": (("draw", HIDDEN),),
        "stop": (("pass",),),
        "long stop": (("bareta",),),
        "pass": (("pass",),),
    },
)
_BANK_ENTRY = replace(_ENTRY, hand=3)


# --- cameras

_CAMERA = Camera(
    layout="around-stock",
    scanned="hand",
    zones=lambda played: {},
    table=KingoTable,
)


# --- hidden cards


def _open_hands(rules: AnyKingoRules) -> bool:
    return rules.hands == "face_up"


def _showdown(played: KingoRound | KingoBankRound) -> bool:
    return played.state.turn == 0


def _known_seats(played: KingoRound | KingoBankRound, seat: int | None) -> set[int]:
    return {number for number, each in enumerate(played.state.seats, start=1) if each.done == "bareta"}


_HIDDEN_CARDS = HiddenCards(
    open_hands=_open_hands,
    showdown=_showdown,
    known_seats=_known_seats,
    hand_words=frozenset({"draw", "choose"}),
)


# --- scoring of cards without a round

_ROLES: tuple[Role, ...] = ("bettor", "dealer")


def _score(request: Mapping[str, Any], rules: AnyKingoRules) -> dict[str, Any]:
    hand, role = request["captured"], request.get("role") or "bettor"
    if not isinstance(hand, list | tuple):
        raise BadRequestError(f"captured must be a list of card ids, not {quote(hand)}")
    if role not in _ROLES:
        raise BadRequestError(f"role must be {' or '.join(_ROLES)}, not {quote(role)}")
    return score_hand(hand, rules, role).to_dict()


_SCORER = CardScorer(cards="hand", yaku=yaku_names(rank for rank in POT_RANKS if rank.teyaku), score=_score)

_BANK_SCORER = CardScorer(cards="hand", inputs=("role",), yaku=yaku_names(TEYAKU.values()), score=_score)


# --- board


def _view(played: KingoRound) -> dict[str, Any]:
    """Return the board of a round for the pot, as `Game.board` describes it."""
    return {
        **_bank_view(played),
        "wager": played.wager,
        "pot": played.wager * len(played.order),
    }


def _bank_view(played: KingoRound | KingoBankRound) -> dict[str, Any]:
    """Return the board of a round against the bank, as `Game.board` describes it."""
    state: KingoState = played.state
    return {
        "phase": _phase(played, state),
        "field": [],
        "stock": len(state.stock),
        "discard": [],
        "seats": [_seat(played, state, player) for player in range(1, played.players + 1)],
    }


def _phase(played: KingoRound | KingoBankRound, state: KingoState) -> str:
    if played.outcome() is not None:
        return "over"
    if isinstance(state, BankState):
        if not all(state.chosen):
            return "choose"
        if isinstance(played, KingoBankRound) and not all(
            state.wagers[player - 1] for player in played.bettors
        ):
            return "wager"
    return "draw" if state.turn else "show"


def _seat(played: KingoRound | KingoBankRound, state: KingoState, player: int) -> dict[str, Any]:
    seat: Seat = state.seats[player - 1]
    score: dict[str, Any] = {
        "yaku": [],
        "base": None,
        "total": None,
        "why": None,
        "near": [],
        "rank": None,
        "times": 1,
    }
    chosen = not isinstance(state, BankState) or state.chosen[player - 1]
    # Of three dealt cards one is kept; a hand in which a card was reported twice cannot be scored.
    if chosen and seat.cards and not seat.hidden and len(set(seat.known)) == len(seat.known):
        result = score_hand(seat.known, played.rules, played.role(player)).to_dict()
        score = {
            "yaku": [{**each, "why": each["reason"]} for each in result["yaku"]],
            "base": result["base"],
            "total": result["total"],
            "why": result["reason"],
            "near": [] if seat.done else result["missing"],
            "rank": result["rank"],
            "times": result["times"],
        }
    return {
        "seat": player,
        "role": played.role(player),
        "hand": len(seat.cards),
        "cards": [*seat.known, *([None] * seat.hidden)],
        "captured": {},
        "draws": sum(isinstance(move, Draw) and move.player == player for move in played.moves),
        "done": seat.done,
        "bareta": seat.done == "bareta",
        "sits_out": not seat.cards,
        "stones": _stones(played, player),
        "wager": state.wagers[player - 1] if isinstance(state, BankState) else None,
        "chosen": state.chosen[player - 1] if isinstance(state, BankState) else None,
        **score,
    }


def _stones(played: KingoRound | KingoBankRound, player: int) -> int | None:
    """Return the stones that a player has now: after the round with what it won or lost; None if they are not counted."""
    if played.stones is None:
        return None
    outcome = played.outcome()
    return played.stones[player - 1] + (0 if outcome is None else outcome.points[player - 1])


_LABELS = (
    SeatLabel(field="bareta", text=Message("live-has-bareta"), style="alert"),
    SeatLabel(field="done", value="pass", text=Message("display-stays"), style="quiet"),
)
_STOCK = Message("display-stock")

_BOARD = Board(view=_view, layout="ring", stock=_STOCK, hand="cards", count="total", labels=_LABELS)
_BANK_BOARD = Board(view=_bank_view, layout="ring", stock=_STOCK, hand="cards", count="total", labels=_LABELS)


# --- description

_STONES = Message("unit-stones")


def _cards(rules: AnyKingoRules) -> frozenset[str]:
    return frozenset(deck_of(rules.deck))


GAME = Game(
    rules=KingoRules,
    share=SHARE,
    round=KingoRound,
    match=KingoMatch,
    scorer=_SCORER,
    board=_BOARD,
    entry=_ENTRY,
    result=RESULT,
    camera=_CAMERA,
    hidden=_HIDDEN_CARDS,
    how_to_play=how_to_play,
    cards=_cards,
    unit=_STONES,
    seats=(2, MAX_PLAYERS),
    usual_seats=3,
)

BANK_GAME = Game(
    rules=KingoBankRules,
    share=BANK_SHARE,
    round=KingoBankRound,
    match=KingoBankMatch,
    scorer=_BANK_SCORER,
    board=_BANK_BOARD,
    entry=_BANK_ENTRY,
    result=BANK_RESULT,
    camera=_CAMERA,
    hidden=_HIDDEN_CARDS,
    how_to_play=how_to_play_bank,
    cards=_cards,
    unit=_STONES,
    seats=(2, MAX_PLAYERS),
    usual_seats=4,
    form_of=KingoRules.game,
)
