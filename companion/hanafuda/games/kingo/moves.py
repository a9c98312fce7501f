"""The moves of both forms of Kingo; an unknown card is None."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ...errors import BadRequestError, quote
from ...round import HIDDEN, Move

__all__ = ["Bareta", "Choose", "Draw", "KingoMove", "Pass", "Redeal", "Show", "Wager", "read_move"]


@dataclass(frozen=True, slots=True)
class Draw(Move):
    """Draw the top card of the draw pile."""

    card: str | None

    def words(self) -> tuple[str, ...]:
        """Return `draw` and the card, `?` for a hidden one."""
        return ("draw", self.card or HIDDEN)


@dataclass(frozen=True, slots=True)
class Pass(Move):
    """End the turn without drawing again (in the banking form: tsun)."""

    def words(self) -> tuple[str, ...]:
        """Return `pass`."""
        return ("pass",)


@dataclass(frozen=True, slots=True)
class Bareta(Move):
    """Declare a hand worth 16 or more, which ends the turn."""

    def words(self) -> tuple[str, ...]:
        """Return `bareta`."""
        return ("bareta",)


@dataclass(frozen=True, slots=True)
class Show(Move):
    """Show one hidden card of the hand: of a bareta hand, or at the showdown."""

    card: str

    def words(self) -> tuple[str, ...]:
        """Return `show` and the card."""
        return ("show", self.card)


@dataclass(frozen=True, slots=True)
class Choose(Move):
    """Banking form: choose the one of three cards to keep."""

    card: str | None

    def words(self) -> tuple[str, ...]:
        """Return `choose` and the card, `?` for a hidden one."""
        return ("choose", self.card or HIDDEN)


@dataclass(frozen=True, slots=True)
class Redeal(Move):
    """Banking form: ask for a new deal after being dealt three cards of October."""

    def words(self) -> tuple[str, ...]:
        """Return `redeal`."""
        return ("redeal",)


@dataclass(frozen=True, slots=True)
class Wager(Move):
    """Banking form: place a bettor's wager, in stones."""

    stones: int

    def words(self) -> tuple[str, ...]:
        """Return `wager` and the number of stones."""
        return ("wager", str(self.stones))


KingoMove: TypeAlias = Draw | Pass | Bareta | Show | Choose | Redeal | Wager


def read_move(player: int, words: Sequence[str]) -> KingoMove:
    """Return the move written by `Move.words`; raise `BadRequestError` for anything else."""
    simple: dict[str, type[Pass] | type[Bareta] | type[Redeal]] = {
        "pass": Pass,
        "bareta": Bareta,
        "redeal": Redeal,
    }
    match words:
        case [("draw" | "choose") as done, card]:
            card_id = None if card == HIDDEN else card
            return Draw(player, card_id) if done == "draw" else Choose(player, card_id)
        case ["show", card]:
            return Show(player, card)
        case ["wager", stones] if stones.isdecimal():
            return Wager(player, int(stones))
        case [word] if word in simple:
            return simple[word](player)
    raise BadRequestError(
        f"{quote(' '.join(words))} is not a move of Kingo: a move is draw, show or choose with a card,"
        " wager with a number, pass, bareta or redeal"
    )
