"""The board of a round of Kingo for displays, in both forms."""

from __future__ import annotations

from typing import Any

from ...description import Board, SeatLabel
from ...messages import Message
from .bank import KingoBankRound
from .moves import Draw
from .round import KingoRound
from .scoring import score_hand
from .state import BankState, KingoState, Seat

__all__ = ["BANK_BOARD", "BOARD", "bank_view", "view"]


def view(played: KingoRound) -> dict[str, Any]:
    """Return the board of a round for the pot, as `Game.board` describes it."""
    return {
        **bank_view(played),
        "wager": played.wager,
        "pot": played.wager * len(played.order),
    }


def bank_view(played: KingoRound | KingoBankRound) -> dict[str, Any]:
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
    # A hand in which a card was reported twice cannot be scored.
    if seat.cards and not seat.hidden and len(set(seat.known)) == len(seat.known):
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
        "stones": None if played.stones is None else played.stones[player - 1],
        "wager": state.wagers[player - 1] if isinstance(state, BankState) else None,
        "chosen": state.chosen[player - 1] if isinstance(state, BankState) else None,
        **score,
    }


_LABELS = (
    SeatLabel(field="bareta", text=Message("display-bareta"), style="alert"),
    SeatLabel(field="done", value="pass", text=Message("display-stays"), style="quiet"),
)
_STOCK = Message("display-stock")

BOARD = Board(view=view, layout="ring", stock=_STOCK, hand="cards", count="total", labels=_LABELS)
BANK_BOARD = Board(view=bank_view, layout="ring", stock=_STOCK, hand="cards", count="total", labels=_LABELS)
