"""The state of a round of Kingo: an immutable value, replaced by each move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["BankState", "KingoState", "Seat", "replaced", "seen"]


@dataclass(frozen=True, slots=True)
class Seat:
    """One player's hand.

    `cards` are in the order in which they came, None for a hidden one. `revealed` are hidden cards shown later; which of
    the hidden ones each was is unknown.
    """

    cards: tuple[str | None, ...]
    revealed: tuple[str, ...] = ()
    done: Literal["", "pass", "bareta"] = ""
    """How the turn ended; empty before its end."""

    @property
    def hidden(self) -> int:
        """The number of cards that are still unknown."""
        return self.cards.count(None) - len(self.revealed)

    @property
    def known(self) -> tuple[str, ...]:
        """The known cards."""
        return (*(card for card in self.cards if card is not None), *self.revealed)


@dataclass(frozen=True, slots=True)
class KingoState:
    """The state of a round: one seat per player, the draw pile from the top, and the player to move."""

    seats: tuple[Seat, ...]
    stock: tuple[str | None, ...]
    turn: int
    """0 once all have played."""


@dataclass(frozen=True, slots=True)
class BankState(KingoState):
    """The state of a round of the banking form."""

    chosen: tuple[bool, ...]
    """Whether each player has chosen a card; True for players who need not choose."""
    wagers: tuple[int, ...]
    """Each player's wager, 0 before it is placed; the dealer's stays 0."""
    redealt: bool = False
    """Whether a player with three cards of October asked for a new deal."""


def seen(table: KingoState) -> set[str]:
    """Return the cards whose position is known."""
    known = {card for card in table.stock if card is not None}
    for seat in table.seats:
        known.update(seat.known)
    return known


def replaced(seats: Sequence[Seat], player: int, seat: Seat) -> tuple[Seat, ...]:
    """Return the seats with one player's seat replaced."""
    return (*seats[: player - 1], seat, *seats[player:])
