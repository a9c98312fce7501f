"""How a fishing round stands between two moves: one immutable value."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Generic, Literal, NamedTuple, TypeVar

from companion.hanafuda.families.fishing.captures import DECK

__all__ = ["Phase", "Table"]

Phase = Literal["play", "decide-play", "draw", "decide", "over"]
"""What comes next: a hand card, a decision after it, a card of the stock, a decision after that, nothing."""

X = TypeVar("X")


class Table(NamedTuple, Generic[X]):
    """The cards (sets), whose turn it is, and what the game adds (`more`). Per player: the first is player 1."""

    hands: tuple[int, ...]
    """The cards known to be in each hand."""
    held: tuple[int, ...]
    """How many cards each hand has, known or hidden."""
    played: tuple[int, ...]
    """The cards that each player has shown by playing them from the hand."""
    field: int
    piles: tuple[int, ...]
    """What each player has captured."""
    ahead: int
    """The cards known to be in the stock still."""
    drawn: int
    """How many cards have left the stock."""
    player: int
    """Whose turn it is, or was when the round ended."""
    phase: Phase
    more: X

    def hidden(self, player: int) -> int:
        """Return how many cards of a hand nobody told."""
        return max(0, self.held[player - 1] - self.hands[player - 1].bit_count())

    @property
    def open(self) -> int:
        """The cards that lie face up: on the field and in the piles."""
        return reduce(or_, self.piles, self.field)

    @property
    def unseen(self) -> int:
        """The cards of which nobody told where they are."""
        return DECK & ~(reduce(or_, self.hands, self.open) | self.ahead)
