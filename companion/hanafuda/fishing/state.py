"""The state of a fishing round between two moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

from .captures import DECK

__all__ = ["FishingState", "Phase"]

Phase = Literal["play", "decide-play", "draw", "decide", "over"]
"""The next thing to happen: a hand card, a decision after it, a stock card, a decision after that, nothing."""


@dataclass(slots=True)
class FishingState:
    """The cards and whose turn it is. Sets of cards are 48-bit integers; tuples have one entry per player.

    A round keeps one state per move and never changes it: a move changes a copy.
    """

    hands: tuple[int, ...]
    """The known cards in each hand."""
    hand_sizes: tuple[int, ...]
    """The number of cards in each hand, known and hidden."""
    played: tuple[int, ...]
    """The cards each player has played from the hand."""
    field: int
    piles: tuple[int, ...]
    """The cards each player has captured."""
    known_stock: int
    """The cards known to be in the stock."""
    drawn: int
    """The number of cards that have left the stock."""
    player: int
    """The player whose turn it is, or was when the round ended."""
    phase: Phase

    def copy(self) -> Self:
        """Return a copy that may be changed."""
        other = object.__new__(type(self))
        other.hands = self.hands
        other.hand_sizes = self.hand_sizes
        other.played = self.played
        other.field = self.field
        other.piles = self.piles
        other.known_stock = self.known_stock
        other.drawn = self.drawn
        other.player = self.player
        other.phase = self.phase
        return other

    def hidden(self, player: int) -> int:
        """Return the number of hidden cards in a hand."""
        return max(0, self.hand_sizes[player - 1] - self.hands[player - 1].bit_count())

    @property
    def face_up(self) -> int:
        """The cards on the field and in the piles."""
        return self.field | self.piles[0] | self.piles[1]

    @property
    def unseen(self) -> int:
        """The cards whose position is unknown."""
        return DECK & ~(self.face_up | self.hands[0] | self.hands[1] | self.known_stock)
