"""Parts of Kingo's messages: problems of moves, hands, cards, players and stones."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from ...card_messages import card_name
from ...messages import Message, Param, player_message, yaku_message
from ...round import HIDDEN, Problem
from .hands import Hand
from .moves import KingoMove

__all__ = [
    "action_problem",
    "card_names",
    "hand_message",
    "player_names",
    "sentences",
    "stone_count",
]


def action_problem(problem: str, move: KingoMove, code: str, **params: Param) -> Problem:
    """Return a problem of a move; its message begins with the move."""
    return Problem(problem, Message(code, {"action": move.line(), **params}))


def stone_count(number: int) -> Message:
    """Return a number of stones."""
    return Message("rule-unit-stones", {"count": number})


def card_names(ids: Iterable[str | None]) -> tuple[Param, ...]:
    """Return the names of cards, a question mark for a hidden one."""
    return tuple(HIDDEN if each is None else card_name(each) for each in ids)


def hand_message(hand: Hand) -> Message:
    """Return a teyaku and a bareta hand by name and value, any other hand by its value."""
    if hand.rank.teyaku:
        return Message("kingo-hand-teyaku", {"yaku": yaku_message(hand.rank.slug), "value": hand.value})
    return Message("kingo-hand-bareta" if hand.bareta else "kingo-hand-value", {"value": hand.value})


def player_names(numbers: Iterable[int]) -> tuple[Message, ...]:
    """Return the names of players."""
    return tuple(map(player_message, numbers))


def sentences(parts: Iterable[Message]) -> Message:
    """Return sentences one after another; at least one."""
    return reduce(lambda first, second: Message("sentences", {"first": first, "second": second}), parts)
