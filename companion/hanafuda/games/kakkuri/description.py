"""The description of Kakkuri: what a person can report, where a camera finds cards, which cards a seat may know, what pages show."""

from __future__ import annotations

from typing import Any

from ...description import Board, Entry, Game, HiddenCards, SeatLabel
from ...messages import Message
from .camera import CAMERA
from .cards import PACKS
from .how_to_play import how_to_play
from .match import KakkuriMatch
from .moves import Discard, OpenBox, Swap
from .result import RESULT
from .round import KakkuriRound
from .rules import KakkuriRules
from .share import SHARE
from .state import EIGHT, KakkuriState

__all__ = ["GAME"]

# --- manual entry

_ENTRY = Entry(
    one_tap=True,
    rare=("three-pairs", "lucky-hand", "fold"),
    # Dropping out costs a share, so it needs a long press.
    buttons={"koi-koi": (("swap",),), "long stop": (("fold",),), "pass": (("keep",), ("pass",))},
)


# --- hidden cards


def _known_seats(played: KakkuriRound, seat: int | None) -> set[int]:
    """Return the seats whose dealt hands have come to a seat by exchanges."""
    known: set[int] = set()
    if seat is None:
        return known
    holds = {each: each for each in range(1, played.players + 1)}
    for move in played.moves:
        if isinstance(move, Swap) and move.accept and move.player in holds:
            one, other = move.player, played.leader
            holds[one], holds[other] = holds[other], holds[one]
            known |= {holds[seat]} if seat in holds else set()
    return known


def _open_cards(rules: KakkuriRules, players: int) -> frozenset[str]:
    """Return the card whose holder drops out of eight players: it is shown after the deal."""
    if players != EIGHT:
        return frozenset()
    pack = PACKS[rules.deck]
    return frozenset(pack.cards(pack.dropout))


_HIDDEN_CARDS = HiddenCards(known_seats=_known_seats, open_cards=_open_cards)


# --- board


def _view(played: KakkuriRound) -> dict[str, Any]:
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


_BOARD = Board(
    view=_view,
    layout="ring",
    stock=Message("display-box"),
    discards=7,
    labels=(
        SeatLabel(field="three_pairs", text=Message("live-has-three-pairs")),
        SeatLabel(field="passed", text=Message("live-has-passed"), unless="dropped_out", style="quiet"),
    ),
)


# --- description

GAME = Game(
    rules=KakkuriRules,
    share=SHARE,
    round=KakkuriRound,
    match=KakkuriMatch,
    board=_BOARD,
    entry=_ENTRY,
    result=RESULT,
    camera=CAMERA,
    hidden=_HIDDEN_CARDS,
    how_to_play=how_to_play,
    cards=lambda rules: frozenset(PACKS[rules.deck].ids),
    unit=Message("unit-shares"),
    seats=(2, 8),
    usual_seats=7,
)
