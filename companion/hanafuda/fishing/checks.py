"""Checks of a card played in a fishing round, and of its deal."""

from __future__ import annotations

from collections.abc import Sequence

from ..cards import HANAFUDA
from ..messages import Message, card_message, player_message
from ..round import Deal, Problem
from .captures import Captures, bit_of, card_names
from .moves import Draw, Play
from .record import FIELD
from .state import FishingState

__all__ = ["card_problems", "deal_problems", "turn_problems", "unknown_player"]


def unknown_player(player: int, players: int) -> Problem:
    """Return the problem of a move by a player who is not in the round."""
    return Problem("no-such-player", Message("no-such-player", {"number": player, "players": players}))


def turn_problems(state: FishingState, move: Play | Draw, pending: Problem | None) -> list[Problem]:
    """Return the problems of who plays and when; ``pending`` is what the turn of a running round still needs."""
    player = player_message(move.player)
    problems = []
    if pending:
        if isinstance(move, Play) or state.phase != "draw":
            return [pending]
    elif isinstance(move, Draw):
        problems.append(Problem("play-missing", Message("fishing-play-missing", {"player": player})))
    if move.player != state.player:
        problems.append(
            Problem(
                "out-of-turn",
                Message("out-of-turn", {"player": player, "turn": player_message(state.player)}),
            )
        )
    return problems


def card_problems(
    state: FishingState, move: Play | Draw, captures: Captures, stock: Sequence[int]
) -> list[Problem]:
    """Return the problems of a played or drawn card and of what it captures; ``stock`` as dealt, 0 for a hidden card."""
    if isinstance(move, Play):
        problems = _hand_problems(state, move.player, move.bit)
    else:
        problems = _draw_problems(state, move.bit, stock)
    return problems + _capture_problems(state, move, captures)


def _hand_problems(state: FishingState, number: int, bit: int) -> list[Problem]:
    hand = state.hands[number - 1]
    if bit & hand:
        return []
    if state.hidden(number):
        return _elsewhere(state, bit, "not-in-hand")
    player, card = player_message(number), card_names(bit)
    if hand:
        message = Message("fishing-not-in-hand", {"player": player, "card": card, "hand": card_names(hand)})
    else:
        message = Message("fishing-not-in-hand-empty", {"player": player, "card": card})
    return [Problem("not-in-hand", message), *_face_up(state, bit)]


def _draw_problems(state: FishingState, bit: int, stock: Sequence[int]) -> list[Problem]:
    card = card_names(bit)
    if state.drawn >= len(stock):
        return [Problem("wrong-draw", Message("fishing-stock-empty", {"card": card}))]
    top = stock[state.drawn]
    if bit == top:
        return []
    if not top:
        return _elsewhere(state, bit, "wrong-draw")
    message = Message("fishing-wrong-draw", {"card": card, "top": card_names(top)})
    return [Problem("wrong-draw", message), *_face_up(state, bit)]


def _elsewhere(state: FishingState, bit: int, code: str) -> list[Problem]:
    """Return the problem of a card that cannot be the hidden one, because it is known to be somewhere else.

    `code` is the problem's code if the card is face down there; a face-up card has its own code.
    """
    card = card_names(bit)
    if bit & state.face_up:
        return _face_up(state, bit)
    if bit & state.known_stock:
        return [Problem(code, Message("fishing-card-in-stock", {"card": card}))]
    for player, hand in enumerate(state.hands, start=1):
        if bit & hand:
            return [
                Problem(
                    code, Message("fishing-card-in-hand", {"card": card, "player": player_message(player)})
                )
            ]
    return []


def _face_up(state: FishingState, bit: int) -> list[Problem]:
    """Return the problem of a card that is face up already, if it is."""
    for player, pile in enumerate(state.piles, start=1):
        if bit & pile:
            return [_captured_before(bit, player)]
    if bit & state.field:
        return [Problem("card-twice", Message("fishing-card-on-field", {"card": card_names(bit)}))]
    return []


def _capture_problems(state: FishingState, move: Play | Draw, captures: Captures) -> list[Problem]:
    problems, takes = [], 0
    for each in move.takes:
        bit, card = bit_of(each), card_message(each)
        owner = next((player for player, pile in enumerate(state.piles, start=1) if bit & pile), 0)
        if bit & takes:
            problems.append(Problem("card-twice", Message("fishing-captured-twice", {"card": card})))
        elif owner:
            problems.append(_captured_before(bit, owner))
        elif not bit & state.field:
            problems.append(Problem("not-on-field", Message("fishing-not-on-field", {"card": card})))
        takes |= bit
    return problems + captures.problems(
        move.bit, takes & state.field, state.field, from_hand=isinstance(move, Play)
    )


def _captured_before(bit: int, player: int) -> Problem:
    return Problem(
        "captured-before",
        Message("fishing-captured-before", {"card": card_names(bit), "player": player_message(player)}),
    )


def deal_problems(deal: Deal, hand_size: int) -> list[Problem]:
    """Return every problem of a deal: duplicate cards, wrong numbers of cards."""
    problems, dealt = [], 0
    for card in (*(each for hand in deal.hands for each in hand), *deal.field, *deal.stock):
        bit = 0 if card is None else bit_of(card)
        if bit & dealt:
            problems.append(Problem("card-twice", Message("dealt-twice", {"card": card_names(bit)})))
        dealt |= bit
    for player, hand in enumerate(deal.hands, start=1):
        if len(hand) != hand_size:
            problems.append(
                Problem(
                    "misdeal",
                    Message(
                        "wrong-hand",
                        {"player": player_message(player), "count": len(hand), "right": hand_size},
                    ),
                )
            )
    if len(deal.field) != FIELD:
        problems.append(
            Problem("misdeal", Message("fishing-wrong-field", {"count": len(deal.field), "right": FIELD}))
        )
    rest = len(HANAFUDA) - FIELD - len(deal.hands) * hand_size
    if len(deal.stock) != rest:
        problems.append(
            Problem("misdeal", Message("fishing-wrong-stock", {"count": len(deal.stock), "right": rest}))
        )
    return problems
