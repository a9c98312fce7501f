"""The interface of a round that all games share: it checks, makes and undoes moves and reports the state of play.

`Round` corresponds to the board of a chess library: `check` returns every problem of a move, `push` makes it, `pop`
undoes it, `legal_moves` lists the legal moves, `outcome` returns the result. `companion.hanafuda.match.Match` is a
sequence of rounds. Players are numbered from 1; the next number sits to the right, so play passes from n to n + 1,
counterclockwise, and from the last to 1.

Cards may be hidden: hands and stock then contain None for an unknown card. A move is legal if some assignment of the
hidden cards allows it; if a later card contradicts that, the later move has a problem that says so.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, ClassVar, Generic, Self, TypeVar

from .card_messages import card_list
from .errors import BadRequestError, MessageError, quote
from .messages import Message, joined, player_message
from .rules.record import Rules
from .text_board import aligned

__all__ = ["HIDDEN", "Deal", "IllegalMoveError", "Move", "Outcome", "Problem", "Round"]

HIDDEN = "?"
"""The text form of an unknown card in a move."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of a move or a deal: a stable code, and a message with what happened and what the rule is."""

    code: str
    text: Message

    def to_dict(self) -> dict[str, Any]:
        """Return the problem as JSON, as in the answer of `replay`; `companion.messages.with_texts` adds its text."""
        return {"code": self.code, "reason": self.text.to_dict()}


class IllegalMoveError(MessageError, ValueError):
    """Raised when an illegal move is pushed; `problems` are all its problems."""

    code = "illegal-move"

    def __init__(self, move: Move, problems: Sequence[Problem]) -> None:
        self.move = move
        self.problems = tuple(problems)
        super().__init__(joined([problem.text for problem in problems]))


@dataclass(frozen=True, slots=True)
class Move:
    """An action of a player; each game's moves are subclasses."""

    player: int

    def words(self) -> tuple[str, ...]:
        """Return the move in text form without the player: the action, then cards or numbers."""
        raise NotImplementedError

    def message(self) -> Message:
        """Return the move as a sentence without its subject; a game whose words the catalogs lack overrides it."""
        verb, *rest = self.words()
        if verb == "call":
            return Message(f"move-call-{rest[0]}")
        if verb == "wager":
            return Message("move-wager", {"stones": int(rest[0])})
        if not rest or verb in _WITHOUT_CARDS:
            return Message(f"move-{verb}")
        return _card_move(verb, rest)

    def line(self) -> Message:
        """Return the move as a sentence."""
        return Message("turn-line", {"player": player_message(self.player), "moves": self.message()})

    def __str__(self) -> str:
        return " ".join((str(self.player), *self.words()))


_WITHOUT_CARDS = frozenset({"laid", "lucky-hand", "three-pairs", "redeal"})


def _card_move(verb: str, rest: Sequence[str]) -> Message:
    """Return a move with cards; ``rest`` are the words after the verb."""
    if rest == [HIDDEN]:
        return Message(f"move-{verb}", {"cards": (Message("hidden-card"),)})
    if verb == "discard" and "as" in rest:
        return Message("move-discard-as", {"cards": card_list(rest[: rest.index("as")]), "rank": rest[-1]})
    if verb not in {"play", "draw"}:
        return Message(f"move-{verb}", {"cards": card_list(rest)})
    card, *takes = card_list(rest)
    if takes:
        return Message(f"move-{verb}-takes", {"card": card, "takes": tuple(takes)})
    return Message(f"move-{verb}-lays", {"card": card})


@dataclass(frozen=True, slots=True)
class Deal:
    """The cards as dealt, by id; None is an unknown card.

    `hands` are in the order of the players; `field` is face up; `stock` is face down, its first card on top (or a box).
    A hand or stock that is completely hidden still has one None per card.
    """

    hands: tuple[tuple[str | None, ...], ...]
    field: tuple[str, ...] = ()
    stock: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """The result of a round: `how` is a slug, `points` are the points each player wins or (negative) loses.

    `reason` is the explanation, or a function that returns it, because many callers do not need it. Read it as `why`.
    """

    how: str
    winners: tuple[int, ...]
    points: tuple[int, ...]
    next_dealer: int
    reason: Message | Callable[[], Message] = field(repr=False)
    pot: int = 0
    """The stones that stay in the pot for the next round."""
    ends_game: bool = False
    """Whether the round decides the whole game (a victory by yaku, in some games)."""
    counts: bool = True
    """Whether it counts as a round of the game; a redeal does not."""

    @classmethod
    def no_round(cls, how: str, players: int, dealer: int, why: Message) -> Outcome:
        """Return the outcome of a deal that was not played: no points, and the same dealer deals again."""
        return cls(how, (), (0,) * players, dealer, why, counts=False)

    @property
    def why(self) -> Message:
        """The explanation of the outcome."""
        return self.reason if isinstance(self.reason, Message) else self.reason()

    def _values(self) -> tuple[Any, ...]:
        return (
            self.how, self.winners, self.points, self.next_dealer, self.why, self.pot, self.ends_game, self.counts
        )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        return self._values() == other._values() if isinstance(other, Outcome) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.how, self.winners, self.points))


M = TypeVar("M", bound=Move)
R = TypeVar("R", bound=Rules)
S = TypeVar("S")


class Round(ABC, Generic[M, R, S]):
    """One round of a game, from the deal to the outcome.

    A subclass keeps everything that moves change in one immutable value (`S`), so that `pop` restores the state exactly.
    """

    situation_keys: ClassVar[Mapping[str, int]] = {}
    """The keys of `situation` that a record may have, besides the month, and the maximum of each number."""
    deal_keys: ClassVar[frozenset[str]] = frozenset({"hands", "field", "stock"})
    """The keys of a record's deal."""
    turn_starts: ClassVar[frozenset[str]] = frozenset()
    """The first words of the moves that begin a turn, even if the same player made the move before."""
    turn_ends: ClassVar[frozenset[str]] = frozenset()
    """The first words of the moves that end a turn."""

    def __init__(self, rules: R, deal: Deal, *, dealer: int) -> None:
        self.rules = rules
        self.deal = deal
        self.dealer = dealer
        self.players = len(deal.hands)
        self._moves: list[M] = []
        self._states: list[S] = [self._start()]
        self._listed: tuple[S | None, tuple[M, ...]] = (None, ())
        """The last list of legal moves, and the state it belongs to."""

    # --- what each game defines

    @abstractmethod
    def _start(self) -> S:
        """Return the state after the deal."""

    @abstractmethod
    def _check(self, state: S, move: M) -> list[Problem]:
        """Return every problem of a move."""

    @abstractmethod
    def _after(self, state: S, move: M) -> S:
        """Return the state after a move; the effect of an illegal one is followed as far as possible."""

    @abstractmethod
    def _legal(self, state: S) -> list[M]:
        """Return the legal moves; with hidden cards, the moves that some assignment of them allows."""

    def _is_legal(self, state: S, move: M) -> bool:
        """Return whether a move has no problem; a game may override it with a faster test."""
        return not self._check(state, move)

    def _is_over(self, state: S) -> bool:
        """Return whether the round is over; a game may override it with a faster test."""
        return self._outcome(state) is not None

    @abstractmethod
    def _outcome(self, state: S) -> Outcome | None:
        """Return the outcome, None while the round goes on."""

    @abstractmethod
    def _to_move(self, state: S) -> int:
        """Return the player to move while the round goes on."""

    @abstractmethod
    def status(self) -> list[Problem]:
        """Return every problem of the deal, such as duplicate cards or a wrong number of cards."""

    @abstractmethod
    def pending_decision(self) -> Problem | None:
        """Return what the current turn still needs (a card to draw, a decision); None between turns."""

    @abstractmethod
    def score(self, player: int) -> Any:
        """Return a player's current score."""

    def calls(self) -> list[M]:
        """Return the calls (koi-koi, stop) that one player may make now."""
        return []

    def hand(self, player: int) -> tuple[str | None, ...] | None:
        """Return the cards that a player holds now, None for an unknown card; None if the game does not follow them."""
        return None

    def reset_table(self, field: Sequence[str], captured: Sequence[Sequence[str]], to_move: int) -> None:
        """Reset the table to the cards that are on it; raises `BadRequestError` in a game without captured piles."""
        raise BadRequestError(Message("table-no-reset", {"game": self.rules.title}))

    @classmethod
    def turn_cards(cls, moves: Sequence[M]) -> dict[str, Any]:
        """Return the cards and the call of one turn with the keys of a fishing record; other games leave them empty."""
        return {"play": None, "captured": [], "draw": None, "draw_captured": [], "call": None}

    @classmethod
    @abstractmethod
    def shuffled(cls, rules: R, rng: Random, *, players: int, dealer: int = 1, **situation: Any) -> Self:
        """Deal a round from a shuffled deck, every card known; deal again if the rules ask for a redeal."""

    @classmethod
    def seats(cls, rules: R) -> Sequence[int]:
        """Return the allowed numbers of players."""
        return (2,)

    @classmethod
    @abstractmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """Return the round that a record deals, before its turns.

        Raises `BadRequestError` if the record cannot be read; a readable but illegal deal is reported by `status`.
        """

    @abstractmethod
    def read_turn(self, turn: Mapping[str, Any]) -> Iterator[M]:
        """Yield the moves of a record's turn; push each one before asking for the next."""

    @abstractmethod
    def turns(self) -> list[dict[str, Any]]:
        """Return the moves so far as turns of a record."""

    @classmethod
    @abstractmethod
    def read_move(cls, player: int, words: Sequence[str]) -> M:
        """Return the move written by `Move.words`."""

    @classmethod
    def parse_move(cls, text: str) -> M:
        """Return the move written by ``str(move)``. Raises `BadRequestError` for anything else."""
        try:
            player, *words = text.split()
            return cls.read_move(int(player), words)
        except BadRequestError:
            raise
        except ValueError as error:
            raise BadRequestError(
                f"{quote(text)} is not a move: write the player's number, then the move ({error})"
            ) from None

    def captured(self, player: int) -> tuple[str, ...]:
        """Return a player's cards that count: a captured pile in deck order, or the known cards of a hand."""
        return ()

    def yaku(self, player: int) -> tuple[tuple[str, int], ...]:
        """Return a player's current yaku as slug and points; for a hand that multiplies, slug and factor."""
        return ()

    def may_be_over(self) -> bool:
        """Return whether the round may already be over because of an unknown hand that wins as dealt."""
        return (
            not self._moves
            and not self._is_over(self.state)
            and any(None in hand for hand in self.deal.hands)
        )

    def may_follow(self, turn: Mapping[str, Any]) -> bool:
        """Return whether a record may have this turn after the end because it changes nothing (hands are shown)."""
        return False

    def situation(self) -> Mapping[str, int | tuple[int, ...]]:
        """Return the parameters of the round besides rules, deal and dealer (a month, a pot).

        A tuple has one number per player (stones).
        """
        return {}

    # --- what all games have in common

    def _place(self, player: int) -> int:
        """Return a player's index in values ordered by player; raise `IndexError` for an unknown player."""
        if not 1 <= player <= self.players:
            raise IndexError(f"there is no player {player}: they are 1 to {self.players}")
        return player - 1

    @property
    def moves(self) -> tuple[M, ...]:
        """The moves made so far."""
        return tuple(self._moves)

    @property
    def to_move(self) -> int | None:
        """The player to move, None when the round is over."""
        state = self._states[-1]
        return None if self._is_over(state) else self._to_move(state)

    @property
    def state(self) -> S:
        """The current state: the game's own immutable value."""
        return self._states[-1]

    def check(self, move: M) -> list[Problem]:
        """Return every problem of a move; an empty list means that it is legal."""
        return self._check(self._states[-1], move)

    def inferred_moves(self, move: M) -> list[M]:
        """Return the implied moves that nobody reported but that must have come before this one.

        For example, koi-koi was called if play goes on, and a turn has ended if the next one begins.
        """
        return []

    def push(self, move: M, *, unchecked: bool = False) -> None:
        """Make a move.

        Raises `IllegalMoveError` for an illegal move; `unchecked` makes it anyway, because it happened at the table.
        """
        state = self._states[-1]
        if not unchecked and not self._was_listed(state, move) and not self._is_legal(state, move):
            raise IllegalMoveError(move, self._check(state, move))
        self._states.append(self._after(state, move))
        self._moves.append(move)

    def pop(self) -> M:
        """Undo the last move and return it; raise `IndexError` if there is none."""
        move = self._moves.pop()
        self._states.pop()
        return move

    def legal_moves(self) -> list[M]:
        """Return the legal moves; empty when the round is over."""
        state = self._states[-1]
        if self._is_over(state):
            return []
        moves = self._legal(state)
        self._listed = (state, tuple(moves))
        return moves

    def _was_listed(self, state: S, move: M) -> bool:
        """Return whether a move is in the last list of `legal_moves`; other moves may be legal too."""
        listed_in, moves = self._listed
        if listed_in is state:
            for each in moves:  # compare identities: `in` compares values, which is slower than the check
                if each is move:
                    return True
        return False

    def outcome(self) -> Outcome | None:
        """Return the outcome, None while the round goes on."""
        return self._outcome(self._states[-1])

    def filled(self, rng: Random) -> Self | None:
        """Return a copy, to be played on, in which the hidden cards are dealt at random and the stock is shuffled.

        Every assignment that no earlier event rules out is equally likely. Earlier moves cannot be undone in the copy.
        None if the game cannot do this, or if there are not enough cards because the events contradict each other.
        """
        return None

    def copy(self) -> Self:
        """Return an independent copy of the round."""
        other = self.__class__.__new__(self.__class__)
        other.__dict__.update(self.__dict__)
        other._moves, other._states = self._moves.copy(), self._states.copy()
        return other

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Round):
            return NotImplemented
        return (
            type(self) is type(other)
            and (self.rules, self.deal, self.dealer) == (other.rules, other.deal, other.dealer)
            and self.situation() == other.situation()
            and self._moves == other._moves
            and self._states[-1] == other._states[-1]
        )

    __hash__ = None  # type: ignore[assignment]  # a round changes

    def _board(self) -> Iterator[tuple[str, str | Sequence[str | None]]]:
        """Yield the lines of the board: a label, and a text or cards (None for a hidden card)."""
        yield "stock", f"{len(self.deal.stock)} cards"

    def __str__(self) -> str:
        turn_text = "over" if self.to_move is None else f"player {self.to_move} to move"
        head = f"{self.rules.name}: dealer {self.dealer}, {turn_text}"
        return f"{head}\n{aligned(self._board())}"

    def __repr__(self) -> str:
        turn_text = "over" if self.to_move is None else f"player {self.to_move} to move"
        return f"<{type(self).__name__} by {self.rules.name}: dealer {self.dealer}, {len(self._moves)} moves, {turn_text}>"

    def to_text(self) -> str:
        """Return the round as text for `companion.hanafuda.simulation.round_of_text`: rules, deal and moves, one per line."""
        lines = [
            f"{self.rules.game} {json.dumps(self.rules.request())}",
            " ".join(
                f"{key} {_numbers(value)}"
                for key, value in {"dealer": self.dealer, **self.situation()}.items()
            ),
            *(_line(f"hand {player}", hand) for player, hand in enumerate(self.deal.hands, start=1)),
            _line("field", self.deal.field),
            _line("stock", self.deal.stock),
            *(str(move) for move in self._moves),
        ]
        return "\n".join(lines) + "\n"


def _numbers(value: int | tuple[int, ...]) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _line(name: str, cards: Sequence[str | None]) -> str:
    return f"{name}: {' '.join(card or '?' for card in cards)}".rstrip()
