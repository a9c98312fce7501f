"""The moves of both forms of Kingo; a card that nobody told is None."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from companion.hanafuda.errors import BadRequestError, shown
from companion.hanafuda.round import HIDDEN, Move

__all__ = ["Bareta", "Choose", "Draw", "KingoMove", "Pass", "Redeal", "Show", "Wager", "read_move"]


@dataclass(frozen=True, slots=True)
class Draw(Move):
    """The top card of the draw pile goes to the hand."""

    card: str | None

    def words(self) -> tuple[str, ...]:
        """Return `draw` and the card, `?` for a hidden one."""
        return ("draw", self.card or HIDDEN)


@dataclass(frozen=True, slots=True)
class Pass(Move):
    """The player draws no more and passes the turn (in the banking form: tsun)."""

    def words(self) -> tuple[str, ...]:
        """Return `pass`."""
        return ("pass",)


@dataclass(frozen=True, slots=True)
class Bareta(Move):
    """The player says that his hand is worth 16 or more; his turn ends."""

    def words(self) -> tuple[str, ...]:
        """Return `bareta`."""
        return ("bareta",)


@dataclass(frozen=True, slots=True)
class Show(Move):
    """One card that was hidden in the hand is laid open: of a bareta hand, or at the showdown."""

    card: str

    def words(self) -> tuple[str, ...]:
        """Return `show` and the card."""
        return ("show", self.card)


@dataclass(frozen=True, slots=True)
class Choose(Move):
    """Banking form: the one card of three that the player keeps."""

    card: str | None

    def words(self) -> tuple[str, ...]:
        """Return `choose` and the card, `?` for a hidden one."""
        return ("choose", self.card or HIDDEN)


@dataclass(frozen=True, slots=True)
class Redeal(Move):
    """Banking form: the player was dealt three cards of October and asks for a new deal (B15)."""

    def words(self) -> tuple[str, ...]:
        """Return `redeal`."""
        return ("redeal",)


@dataclass(frozen=True, slots=True)
class Wager(Move):
    """Banking form: the stones that a bettor places."""

    stones: int

    def words(self) -> tuple[str, ...]:
        """Return `wager` and the number of stones."""
        return ("wager", str(self.stones))


KingoMove: TypeAlias = Draw | Pass | Bareta | Show | Choose | Redeal | Wager


def read_move(player: int, words: Sequence[str]) -> KingoMove:
    """Return the move that `Move.words` wrote; `BadRequestError` where it is none."""
    simple: dict[str, type[Pass] | type[Bareta] | type[Redeal]] = {
        "pass": Pass,
        "bareta": Bareta,
        "redeal": Redeal,
    }
    match words:
        case [("draw" | "choose") as done, card]:
            told = None if card == HIDDEN else card
            return Draw(player, told) if done == "draw" else Choose(player, told)
        case ["show", card]:
            return Show(player, card)
        case ["wager", stones] if stones.isdecimal():
            return Wager(player, int(stones))
        case [word] if word in simple:
            return simple[word](player)
    raise BadRequestError(
        f"{shown(' '.join(words))} is no move of Kingo: it is draw, show or choose with a card,"
        " wager with a number, pass, bareta or redeal"
    )
