"""What a game tells the camera engine (`companion.watch`): which cards must lie where, and which moves may change that.

A set of cards is a 48-bit integer, as in `companion.hanafuda.cards`. Zones are numbered in the order of `TableModel.zones`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

__all__ = ["Clues", "Placement", "Step", "TableModel"]

S = TypeVar("S", bound=Hashable)


class Placement(NamedTuple):
    """Where the face-up cards of a table must lie."""

    zones: tuple[int, ...]
    """The cards in each zone."""
    late: int = 0
    """Cards that may still lie in zone 0 instead, because they were moved last."""
    backs: tuple[int | None, ...] = ()
    """The number of face-down cards in each zone, None if any number may lie there; empty if it means nothing in any zone."""
    covered: int = 0
    """Cards of zone 0 that lie under others: that they are not detected says nothing, and they are hardly seen whole."""


class Clues(NamedTuple):
    """What an observation suggests, so that a game need not try every card."""

    shown: int
    """The cards that some detection may show (both look-alikes if either may be meant)."""
    absent: int
    """The cards that no detection of zone 0 shows."""
    unread: bool = False
    """Whether some detection in zone 0 may show any card."""
    acted: Callable[[int, int], float] = lambda seat, cards: 0.0
    """Returns the log-likelihood of the arms and card directions if the player at a seat laid a set of cards since the observation
    before, relative to nobody laying any."""
    drawn: Callable[[int], float] = lambda cards: 0.0
    """Returns the log-likelihood of what happened at the stock if a set of cards came from there, relative to a hand."""


class Step(NamedTuple):
    """One card, or cards laid at once, and what follows from it."""

    moves: tuple[Any, ...]
    """The move, after the moves that nobody sees and that it implies."""
    state: Any
    log_prior: float
    """Log-probability of this step among all that are possible, whatever the observation shows."""
    ends_turn: bool


class TableModel(Protocol[S]):
    """The table of one game under given rules."""

    @property
    def zones(self) -> Sequence[str]:
        """The names of the zones with face-up cards; zone 0 is the one in which cards are played."""

    @property
    def piled(self) -> Sequence[bool]:
        """Whether cards may cover each other in each zone."""

    @property
    def deck(self) -> Sequence[str]:
        """The ids of the 48 cards."""

    @property
    def turn_steps(self) -> int:
        """The number of steps of a turn."""

    @property
    def seats(self) -> int:
        """The number of seats around the table whose arms and cards tell who acted; 0 if the order of turns tells it."""

    @property
    def dealt(self) -> int:
        """The number of cards dealt face up to zone 0; 0 if a deal shows no card."""

    def start(self, cards: int, dealer: int) -> S:
        """Return the state after a deal with these face-up cards."""

    def committed(self, played: Any) -> S:
        """Return the state of a round (`companion.hanafuda.round.Round`)."""

    def is_over(self, state: S, /) -> bool:
        """Return whether nothing can follow in the round."""

    def placement(self, state: S, /) -> Placement:
        """Return where the cards must lie."""

    def steps(self, state: S, clues: Clues, /) -> Iterable[Step]:
        """Yield the moves that may come next and that the clues suggest."""

    def key(self, moves: Sequence[Any], /) -> Hashable:
        """Return what identifies a turn, whichever of two look-alikes it used and in whatever order its cards came."""
