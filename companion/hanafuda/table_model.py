"""What a game tells the camera engine (`companion.watch`): which cards must lie where, and which moves may change that.

A set of cards is a 48-bit integer, as in `companion.hanafuda.cards`. Zones are numbered in the order of `TableModel.zones`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from math import inf
from typing import Any, NamedTuple, Protocol, TypeVar

from .messages import Message

__all__ = ["Placement", "Question", "TableClues", "TableModel", "TableProblem", "TableStep"]

S = TypeVar("S", bound=Hashable)


class Placement(NamedTuple):
    """Where the face-up cards of a table must lie."""

    zones: tuple[int, ...]
    """The cards in each zone."""
    late: tuple[int, ...] = ()
    """Cards that may still lie in zone 0 instead, because they were moved last: sets of cards that then lie on each other."""
    unread: tuple[int, ...] = ()
    """The number of further cards in each zone, which cannot be read; empty if there are none in any zone."""
    covered: int = 0
    """Cards of zone 0 that lie under others: that they are not detected says nothing, and they are hardly seen whole."""
    backs: tuple[int, ...] = ()
    """The number of face-down cards in each zone; empty if it means nothing in any zone."""


class TableProblem(NamedTuple):
    """What is wrong with a table, as players see it."""

    code: str
    text: Message
    cards: Sequence[str] = ()
    """The ids of the cards that it is about."""


class Question(NamedTuple):
    """A question to the players."""

    text: Message
    answers: Sequence[Sequence[Message]]
    """The words of its answers, as parts of a list."""


class TableClues(NamedTuple):
    """What an observation suggests, so that a game need not try every card."""

    possible: int
    """The cards that some detection may show (both look-alikes if either may be meant)."""
    absent: int
    """The cards that no detection of zone 0 shows; of two look-alikes of which one detection may show either, the second."""
    illegal: bool = False
    """Whether to yield also moves that the rules forbid and that the cards suggest."""
    twice: int = 0
    """The cards that two detections may show."""
    turned: int = 0
    """The cards that detections may show where the observation before showed a card that nobody could read, face down or not."""
    upper: int = 0
    """The cards that detections may show on top of other cards."""
    unread: bool = False
    """Whether some detection in zone 0 may show any card."""
    acted: Callable[[int, int, int], float] = lambda seat, cards, below: 0.0
    """Returns the log-likelihood of the arms, card directions and times if the player at a seat laid a set of cards onto others since
    the observation before, relative to the player whom they fit best."""
    drawn: Callable[[int, bool], float] = lambda cards, from_stock: 0.0
    """Returns the log-likelihood of what happened at the stock if a set of cards came from there or from a hand, relative to the one
    that it fits best."""
    readings: Callable[[int], Mapping[int, float]] = lambda zone: {0: 0.0}
    """Returns the sets of cards that a zone may show, with their log-likelihoods."""
    backs: tuple[int, ...] = ()
    """The number of face-down cards that each zone shows."""
    unnamed: tuple[float, ...] = ()
    """For each zone, the log-likelihood of one detection if it shows a certain card that its reading does not name; 0 if all are named."""
    faces: tuple[int, ...] = ()
    """The number of face-up cards that each zone shows."""
    least: float = -inf
    """Steps of a smaller log-probability are not needed."""
    inexplicable: float = 0.0
    """Probability that a card is laid that no rule explains: against the rules, or after others that nobody saw."""
    posed: bool = False
    """Whether somebody chose to show the table as it is: nothing is under way."""


class TableStep(NamedTuple):
    """One card, or cards laid at once, and what follows from it."""

    moves: tuple[Any, ...]
    """The move, after the moves that nobody sees and that it implies; none if only a card of the deal was read that nobody could
    read before."""
    state: Any
    log_prior: float
    """Log-probability of this step among all that are possible, whatever the observation shows."""
    ends_turn: bool
    read: int = 0
    """The card of the deal that was read, as a set."""
    history: tuple[tuple[Any, ...], ...] | None = None
    """The moves of all turns of the round so far, where what is seen now tells what happened earlier; `moves` are empty then. The
    last turn is under way unless `ends_turn`."""


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
        """The ids of the cards, 48 at most."""

    @property
    def turn_steps(self) -> int:
        """The number of steps of a turn."""

    @property
    def seats(self) -> int:
        """The number of seats around the table whose arms and cards tell who acted; 0 if the order of turns tells it."""

    @property
    def shows_history(self) -> bool:
        """Whether the table shows at any time what happened in the round so far: its steps bring their `history`."""

    @property
    def dealt(self) -> int:
        """The number of cards dealt face up to zone 0; 0 if a deal shows no card."""

    def deals(self, cards: int, dealer: int, unread: int = 0) -> Sequence[S]:
        """Return the state after a deal with these face-up cards, and a number of further ones that cannot be read; several states,
        which are equally likely, if the deal leaves open something else that nobody can see.

        The attribute ``dealer`` of each state is the player who dealt.
        """

    def dealt_state(self, played: Any) -> S:
        """Return the state after the deal of a round (`companion.hanafuda.round.Round`)."""

    def committed(self, played: Any) -> S:
        """Return the state of a round."""

    def is_over(self, state: S, /) -> bool:
        """Return whether nothing can follow in the round."""

    def placement(self, state: S, /) -> Placement:
        """Return where the cards must lie."""

    def steps(self, state: S, clues: TableClues, /) -> Iterable[TableStep]:
        """Yield the moves that may come next and that the clues suggest."""

    def key(self, moves: Sequence[Any], /) -> Hashable:
        """Return what identifies a turn, whichever of two look-alikes it used and in whatever order its cards came."""

    def turns(self, moves: Sequence[Any], /) -> tuple[list[tuple[Any, ...]], tuple[Any, ...]]:
        """Return the moves of a round as complete turns, without calls, and the moves of the turn under way."""

    def closing(self, played: Any, /) -> Any | None:
        """Return the move that must have ended a round if nothing follows in it, such as a stop; None if there is no such move."""

    def blame(self, move: Any, broken: Any, before: Any, /) -> TableProblem:
        """Return why a move is illegal in the round ``before`` it. ``broken``: the first `Problem` of the move."""

    def deal(self, state: S, /) -> Mapping[str, Any]:
        """Return what is known of a deal, as an event of the log has it, of the state after it: ids of cards and seats by name."""

    def deal_question(self, state: S, /) -> tuple[Message, Message]:
        """Return the question which deal it was, and the deal of a state as one of its answers."""

    def turn_question(self, turns: Sequence[Sequence[Any]], /) -> Question:
        """Return the question which of several turns was made; ``turns``: their moves."""

    def awaited(self, state: S, /) -> TableProblem | None:
        """Return what people must show or enter before a table that shows all history tells more; None if nothing is missing yet."""

    def history_question(self, states: Sequence[S], /) -> Question:
        """Return the question which of several states a table that shows all history is in."""

    def reset(self, zones: Sequence[Sequence[str]], played: Any, /) -> Mapping[str, Any] | None:
        """Return the data of the ``set`` event after which a round goes on with these cards in each zone; None if the game has none."""

    def resume(self, top: str, played: Any, /) -> tuple[Question, Sequence[Sequence[Any]]] | None:
        """Return the question how a round goes on in which a card lies uncovered in zone 0, whatever was missed, and the moves that
        each answer leads to; None if the card was covered according to the log."""

    def unread(self, state: S, /) -> int:
        """Return the number of face-up cards that have not been read."""

    def dealt_by(self, state: S, dealer: int, read: int = 0, /) -> S:
        """Return the state after a deal by another dealer, or with another card ``read``, of the state after a deal."""
