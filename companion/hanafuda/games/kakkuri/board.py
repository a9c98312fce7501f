"""The board of a round of Kakkuri for displays."""

from __future__ import annotations

from typing import Any

from ...description import Board, SeatLabel
from ...messages import Message
from .cards import PACKS
from .moves import Discard, OpenBox
from .round import KakkuriRound
from .state import KakkuriState

__all__ = ["BOARD", "view"]


def view(played: KakkuriRound) -> dict[str, Any]:
    """Return the board as `Game.board` describes it, with `lead`, `pot` and each seat's status."""
    state: KakkuriState = played.state
    pack = PACKS[played.rules.deck]
    return {
        "phase": _phase(state),
        "field": [],
        "stock": len(state.box),
        "discard": _discards(played, pack.cards(state.pile)),
        "lead": state.lead if state.top >= 0 else None,
        "pot": played.pot + sum(state.paid),
        "seats": [_seat(played, state, player) for player in range(1, played.players + 1)],
    }


def _phase(state: KakkuriState) -> str:
    if state.end:
        return "over"
    if state.swaps:
        return "swap"
    return "open" if state.due else "discard"


def _discards(played: KakkuriRound, pile: tuple[str, ...]) -> list[str]:
    """Return the discard pile in the order of the moves, its top card last."""
    ordered: dict[str, None] = {}
    for move in played.moves:
        cards = move.cards if isinstance(move, Discard) else (move.card,) if isinstance(move, OpenBox) else ()
        for card in cards:
            ordered.pop(card, None)
            ordered[card] = None
    return [card for card in ordered if card in pile]


def _seat(played: KakkuriRound, state: KakkuriState, player: int) -> dict[str, Any]:
    paid, bit = state.paid[player - 1], 1 << player
    return {
        "seat": player,
        "hand": state.size(player),
        "captured": {},
        "yaku": [],
        "base": 0,
        "total": -paid,
        "why": Message("kakkuri-paid", {"count": paid}).to_dict(),
        "near": [],
        "paid": paid,
        "dropped_out": bool(state.out & bit),
        "passed": bool(state.quiet & bit),
        "three_pairs": bool(state.pairs & bit),
    }


BOARD = Board(
    view=view,
    layout="ring",
    stock=Message("display-box"),
    discards=7,
    labels=(
        SeatLabel(field="three_pairs", text=Message("display-three-pairs")),
        SeatLabel(field="passed", text=Message("display-passed"), unless="dropped_out", style="quiet"),
    ),
)
