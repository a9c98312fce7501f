"""A round as pages show it: what lies where, what each player has, what is to be decided. One function a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from companion.hanafuda.families.fishing import FishingRound
from companion.hanafuda.games.kakkuri import KakkuriRound
from companion.hanafuda.games.kakkuri.cards import PACKS
from companion.hanafuda.games.kakkuri.moves import Discard, OpenBox
from companion.hanafuda.games.kakkuri.state import KakkuriState
from companion.hanafuda.games.kekoro import KekoroRound
from companion.hanafuda.games.kingo import Draw, KingoBankRound, KingoRound, score_hand
from companion.hanafuda.games.kingo.state import BankTable, Seat
from companion.hanafuda.games.kingo.state import Table as KingoTable
from companion.hanafuda.games.koikoi import KoiKoiRound, Situation
from companion.table.live_round import AnyRound
from companion.table.near_yaku import by_kind, kekoro_answer, koikoi_answer

__all__ = ["board"]

Board = dict[str, Any]


def board(played: AnyRound) -> Board:
    """Return what a round adds to the view: ``phase``, ``field``, ``stock``, ``seats``, and the game's own.

    Every seat has ``hand`` (cards in it), ``captured``, ``yaku``, ``base``, ``total``, ``why``, ``near``.
    """
    return _BOARDS[played.rules.game](played)


# --- fishing


def _fishing(played: FishingRound[Any, Any], answer: Callable[[int], Mapping[str, Any]]) -> Board:
    table = played.state
    return {
        "phase": table.phase,
        "field": list(played.field),
        "stock": len(played.deal.stock) - table.drawn,
        "discard": [],
        "seats": [
            {
                "seat": player,
                "hand": table.hand_sizes[player - 1],
                "captured": by_kind(table.piles[player - 1]),
                **answer(player),
            }
            for player in (1, 2)
        ],
    }


def _koikoi(played: KoiKoiRound) -> Board:
    table = played.state
    calls, piles = table.calls, table.piles

    def answer(player: int) -> Mapping[str, Any]:
        own, other = calls[player - 1], calls[2 - player]
        situation = Situation(played.month, table.field, own, other)
        scored = koikoi_answer(piles[player - 1], played.rules, situation, piles[2 - player])
        return {**scored, "calls": own}

    return _fishing(played, answer)


def _kekoro(played: KekoroRound) -> Board:
    piles = played.state.piles

    def answer(player: int) -> Mapping[str, Any]:
        return kekoro_answer(piles[player - 1], played.rules, piles[2 - player])

    return _fishing(played, answer)


# --- Kakkuri


def _kakkuri(played: KakkuriRound) -> Board:
    state: KakkuriState = played.state
    pack = PACKS[played.rules.deck]
    return {
        "phase": _kakkuri_phase(state),
        "field": [],
        "stock": len(state.box),
        "discard": _discards(played, pack.cards(state.pile)),
        "lead": state.lead if state.top >= 0 else None,
        "pot": played.pot + sum(state.paid),
        "seats": [_kakkuri_seat(played, state, player) for player in range(1, played.players + 1)],
    }


def _kakkuri_phase(state: KakkuriState) -> str:
    if state.end:
        return "over"
    if state.swaps:
        return "swap"
    return "open" if state.due else "discard"


def _discards(played: KakkuriRound, pile: tuple[str, ...]) -> list[str]:
    """Return the discard pile, its top last: in the order of the moves, as far as the cards still lie there."""
    came: dict[str, None] = {}
    for move in played.moves:
        cards = move.cards if isinstance(move, Discard) else (move.card,) if isinstance(move, OpenBox) else ()
        for card in cards:
            came.pop(card, None)
            came[card] = None
    return [card for card in came if card in pile]


def _kakkuri_seat(played: KakkuriRound, state: KakkuriState, player: int) -> Board:
    paid, bit = state.paid[player - 1], 1 << player
    return {
        "seat": player,
        "hand": state.size(player),
        "captured": {},
        "yaku": [],
        "base": 0,
        "total": -paid,
        "why": {"en": f"{paid} paid into the pot", "ja": f"場代へ{paid}口"},
        "near": [],
        "paid": paid,
        "dropped_out": bool(state.out & bit),
        "passed": bool(state.quiet & bit),
        "three_pairs": bool(state.pairs & bit),
    }


# --- Kingo


def _kingo(played: KingoRound) -> Board:
    return {
        **_drawing(played),
        "wager": played.wager,
        "pot": played.wager * len(played.order),
    }


def _kingo_bank(played: KingoBankRound) -> Board:
    return _drawing(played)


def _drawing(played: KingoRound | KingoBankRound) -> Board:
    state: KingoTable = played.state
    return {
        "phase": _kingo_phase(played, state),
        "field": [],
        "stock": len(state.stock),
        "discard": [],
        "seats": [_kingo_seat(played, state, player) for player in range(1, played.players + 1)],
    }


def _kingo_phase(played: KingoRound | KingoBankRound, state: KingoTable) -> str:
    if played.outcome() is not None:
        return "over"
    if isinstance(state, BankTable):
        if not all(state.chosen):
            return "choose"
        if isinstance(played, KingoBankRound) and not all(
            state.wagers[player - 1] for player in played.bettors
        ):
            return "wager"
    return "draw" if state.turn else "show"


def _kingo_seat(played: KingoRound | KingoBankRound, state: KingoTable, player: int) -> Board:
    seat: Seat = state.seats[player - 1]
    told: Board = {"yaku": [], "base": None, "total": None, "why": None, "near": [], "rank": None, "times": 1}
    # A hand to which a card was told twice is worth nothing that could be said.
    if seat.cards and not seat.hidden and len(set(seat.known)) == len(seat.known):
        answer = score_hand(seat.known, played.rules, played.role(player)).to_dict()
        told = {
            "yaku": [{**each, "why": {"en": each["why"], "ja": each["why_ja"]}} for each in answer["yaku"]],
            "base": answer["base"],
            "total": answer["total"],
            "why": {"en": answer["why"], "ja": answer["why_ja"]},
            "near": [] if seat.done else answer["missing"],
            "rank": answer["rank"],
            "times": answer["times"],
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
        "wager": state.wagers[player - 1] if isinstance(state, BankTable) else None,
        "chosen": state.chosen[player - 1] if isinstance(state, BankTable) else None,
        **told,
    }


_BOARDS: Mapping[str, Callable[[Any], Board]] = {
    "koikoi": _koikoi,
    "kekoro": _kekoro,
    "kakkuri": _kakkuri,
    "kingo": _kingo,
    "kingo-bank": _kingo_bank,
}
