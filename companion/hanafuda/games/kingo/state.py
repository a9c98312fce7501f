"""How a round of Kingo stands: one immutable value, made anew by each move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["BankTable", "Seat", "Table", "replaced", "seen"]


@dataclass(frozen=True, slots=True)
class Seat:
    """One player's hand.

    `cards` are in the order in which they came, None for a hidden one; `shown` are those laid open later in
    place of hidden ones, nobody knows in place of which.
    """

    cards: tuple[str | None, ...]
    shown: tuple[str, ...] = ()
    done: Literal["", "pass", "bareta"] = ""
    """How the turn ended; empty before its end."""

    @property
    def hidden(self) -> int:
        """How many of the cards nobody has told."""
        return self.cards.count(None) - len(self.shown)

    @property
    def known(self) -> tuple[str, ...]:
        """The cards that are told."""
        return (*(card for card in self.cards if card is not None), *self.shown)


@dataclass(frozen=True, slots=True)
class Table:
    """The state of a round: a seat a player, the draw pile with its top first, and whose turn it is."""

    seats: tuple[Seat, ...]
    stock: tuple[str | None, ...]
    turn: int
    """0 once all have played."""


@dataclass(frozen=True, slots=True)
class BankTable(Table):
    """The state of a round of the banking form."""

    chosen: tuple[bool, ...]
    """Who has chosen his card; whoever has none to choose has."""
    wagers: tuple[int, ...]
    """What each has placed, 0 before he did; the dealer's stays 0."""
    redealt: bool = False
    """Whether somebody had three cards of October and asked for a new deal."""


def seen(table: Table) -> set[str]:
    """Return the cards of which it is known where they lie."""
    found = {card for card in table.stock if card is not None}
    for seat in table.seats:
        found.update(seat.known)
    return found


def replaced(seats: Sequence[Seat], player: int, seat: Seat) -> tuple[Seat, ...]:
    """Return the seats with one player's exchanged."""
    return (*seats[: player - 1], seat, *seats[player:])
