"""One way to play all games: a round takes moves, checks them, takes them back, and says how it stands.

`Round` is to these games what a board is to chess: `check` names every problem of a move, `push` makes it,
`pop` takes it back, `legal_moves` lists what may be done, `outcome` tells the end. `companion.hanafuda.match.Match` is a
sequence of rounds. Players are numbered from 1; the next number sits to the right, so play passes from n to
n + 1, counter-clockwise, and from the last to 1.

Cards may be hidden: a hand or stock then holds None where nobody told the card. A move is legal when some
cards that the hidden ones may be allow it; where a later card shows that they were not those, the later move
has a problem that says so.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, ClassVar, Generic, Self, TypeVar

from companion.hanafuda.errors import BadRequestError, shown
from companion.hanafuda.messages import Message
from companion.hanafuda.rules import Rules, resolve
from companion.hanafuda.text_board import aligned

__all__ = ["HIDDEN", "Deal", "IllegalMoveError", "Move", "Outcome", "Problem", "Round"]

HIDDEN = "?"
"""Stands for a card that is not known, in the text form of a move."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a move or a deal: a stable slug, and what was seen and what the rule is."""

    code: str
    text: Message

    def to_dict(self) -> dict[str, str]:
        """Return the problem as `replay` answers it."""
        return {"code": self.code, "message": self.text.en, "ja": self.text.ja}


class IllegalMoveError(ValueError):
    """Raised when a move is pushed that the rules forbid; `problems` holds everything wrong with it."""

    def __init__(self, move: Move, problems: Sequence[Problem]) -> None:
        self.move = move
        self.problems = tuple(problems)
        super().__init__("; ".join(problem.text.en for problem in problems))


@dataclass(frozen=True, slots=True)
class Move:
    """Something a player does; the games' moves are its subclasses."""

    player: int

    def words(self) -> tuple[str, ...]:
        """Return the move as the text form has it, without the player: what is done, then cards or numbers."""
        raise NotImplementedError

    def message(self) -> Message | None:
        """Return the move as a sentence without its subject; None where the catalogs have one for its words."""
        return None

    def __str__(self) -> str:
        return " ".join((str(self.player), *self.words()))


@dataclass(frozen=True, slots=True)
class Deal:
    """The cards as they were dealt, by id; None is a card that nobody told.

    `hands` are in the order of the players; `field` lies open; `stock` is face down, its first card on top
    (or a box). Where a hand or the stock is hidden altogether it still has its number of Nones.
    """

    hands: tuple[tuple[str | None, ...], ...]
    field: tuple[str, ...] = ()
    stock: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """How a round ended: `how` is a slug, `points` what each player gets (below zero: pays), in order.

    `reason` is the explanation, or a function that returns it: many callers never ask for it. Read it as `why`.
    """

    how: str
    winners: tuple[int, ...]
    points: tuple[int, ...]
    next_dealer: int
    reason: Message | Callable[[], Message] = field(repr=False)
    pot: int = 0
    """The stones that stay on the table for the next round."""
    ends_game: bool = False
    """Whether the round decides the whole game (a victory by yaku, in some games)."""
    counts: bool = True
    """Whether it was a round of the game; a redeal is not."""

    @classmethod
    def no_round(cls, how: str, players: int, dealer: int, why: Message) -> Outcome:
        """Return the outcome of a deal that was not played: nobody gets anything, and the same dealer deals again."""
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

    A subclass keeps everything that moves change in one immutable value (`S`), so that `pop` is exact.
    """

    situation_keys: ClassVar[Mapping[str, int]] = {}
    """What a record may tell of `situation`, besides the month, and the greatest number there; of a list, in it."""
    deal_keys: ClassVar[frozenset[str]] = frozenset({"hands", "field", "stock"})
    """The keys of a record's deal."""

    def __init__(self, rules: R, deal: Deal, *, dealer: int) -> None:
        self.rules = rules
        self.deal = deal
        self.dealer = dealer
        self.players = len(deal.hands)
        self._moves: list[M] = []
        self._states: list[S] = [self._start()]
        self._listed: tuple[S | None, tuple[M, ...]] = (None, ())
        """The last legal moves listed, and the state they are legal in."""

    # --- what a game says

    @abstractmethod
    def _start(self) -> S:
        """Return the state after the deal."""

    @abstractmethod
    def _check(self, state: S, move: M) -> list[Problem]:
        """Return everything wrong with a move."""

    @abstractmethod
    def _after(self, state: S, move: M) -> S:
        """Return the state after a move; of an illegal one, as far as it can have happened."""

    @abstractmethod
    def _legal(self, state: S) -> list[M]:
        """Return the legal moves; with hidden cards, those that some hidden cards allow."""

    def _is_legal(self, state: S, move: M) -> bool:
        """Return whether a move has no problem; a game may know a faster way than listing them."""
        return not self._check(state, move)

    def _is_over(self, state: S) -> bool:
        """Return whether the round is over; a game may know a faster way than working out the outcome."""
        return self._outcome(state) is not None

    @abstractmethod
    def _outcome(self, state: S) -> Outcome | None:
        """Return how the round ended, None while it goes on."""

    @abstractmethod
    def _to_move(self, state: S) -> int:
        """Return the player whose move it is while the round goes on."""

    @abstractmethod
    def status(self) -> list[Problem]:
        """Return everything wrong with the deal: a card twice, a wrong number of cards."""

    @abstractmethod
    def owes(self) -> Problem | None:
        """Return what the turn in hand still lacks (a card to draw, a decision); None between turns."""

    @abstractmethod
    def score(self, player: int) -> Any:
        """Return what a player has now."""

    @classmethod
    @abstractmethod
    def shuffled(cls, rules: R, rng: Random, *, players: int, dealer: int = 1, **situation: Any) -> Self:
        """Deal a round from a shuffled deck, with every card known; again where the rules ask for a redeal."""

    @classmethod
    def seats(cls, rules: R) -> Sequence[int]:
        """Return how many players there may be."""
        return (2,)

    @classmethod
    @abstractmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """Return the round that a round record deals, before its turns.

        Raises `BadRequestError` where the record cannot be read at all; what is only illegal is `status`.
        """

    @abstractmethod
    def read_turn(self, turn: Mapping[str, Any]) -> Iterator[M]:
        """Yield the moves of a record's turn; each is pushed before the next is asked for."""

    @abstractmethod
    def turns(self) -> list[dict[str, Any]]:
        """Return the moves so far as a record's turns."""

    @classmethod
    @abstractmethod
    def read_move(cls, player: int, words: Sequence[str]) -> M:
        """Return the move that `Move.words` wrote."""

    @classmethod
    def parse_move(cls, text: str) -> M:
        """Return the move that ``str(move)`` wrote. Raises `BadRequestError` for anything else."""
        try:
            player, *words = text.split()
            return cls.read_move(int(player), words)
        except ValueError as error:
            raise BadRequestError(
                f"{shown(text)} is not a move: write the player's number, then the move ({error})"
            ) from None

    def captured(self, player: int) -> tuple[str, ...]:
        """Return the cards before a player that count: a pile in deck order, or a hand as it is told."""
        return ()

    def yaku(self, player: int) -> tuple[tuple[str, int], ...]:
        """Return the yaku that a player has now, slug and points; of a hand that multiplies, its factor."""
        return ()

    def may_be_over(self) -> bool:
        """Return whether only cards that nobody told keep the round from its end: a hand may win as it was dealt."""
        return (
            not self._moves
            and not self._is_over(self.state)
            and any(None in hand for hand in self.deal.hands)
        )

    def may_follow(self, turn: Mapping[str, Any]) -> bool:
        """Return whether a record may tell a turn after the end, for it changes nothing (hands are shown)."""
        return False

    def situation(self) -> Mapping[str, int | tuple[int, ...]]:
        """Return what the round was started with besides rules, deal and dealer (a month, a pot).

        A tuple holds a number a player (stones).
        """
        return {}

    # --- what all games share

    def _place(self, player: int) -> int:
        """Return a player's place in values told in the order of the players; one who is none is an `IndexError`."""
        if not 1 <= player <= self.players:
            raise IndexError(f"there is no player {player}: they are 1 to {self.players}")
        return player - 1

    @property
    def moves(self) -> tuple[M, ...]:
        """The moves made so far."""
        return tuple(self._moves)

    @property
    def to_move(self) -> int | None:
        """The player whose move it is, None when the round is over."""
        state = self._states[-1]
        return None if self._is_over(state) else self._to_move(state)

    @property
    def state(self) -> S:
        """How the round stands: the game's own immutable value."""
        return self._states[-1]

    def check(self, move: M) -> list[Problem]:
        """Return every problem of a move; none means that it is legal."""
        return self._check(self._states[-1], move)

    def untold(self, move: M) -> list[M]:
        """Return the moves that nobody told, but that must have been made, since this one was.

        A koi-koi that was not said is one where play goes on, a turn ends where the next one begins.
        """
        return []

    def push(self, move: M, *, as_told: bool = False) -> None:
        """Make a move. An illegal one raises `IllegalMoveError`, unless it happened all the same (`as_told`)."""
        state = self._states[-1]
        if not as_told and not self._was_listed(state, move) and not self._is_legal(state, move):
            raise IllegalMoveError(move, self._check(state, move))
        self._states.append(self._after(state, move))
        self._moves.append(move)

    def pop(self) -> M:
        """Take the last move back and return it; without one, `IndexError`."""
        move = self._moves.pop()
        self._states.pop()
        return move

    def legal_moves(self) -> list[M]:
        """Return the legal moves, none when the round is over."""
        state = self._states[-1]
        if self._is_over(state):
            return []
        moves = self._legal(state)
        self._listed = (state, tuple(moves))
        return moves

    def _was_listed(self, state: S, move: M) -> bool:
        """Return whether a move is one of those that `legal_moves` returned last; others may be legal too."""
        listed_in, moves = self._listed
        if listed_in is state:
            for each in moves:  # a loop: `in` would compare equal moves, which takes longer than the check
                if each is move:
                    return True
        return False

    def outcome(self) -> Outcome | None:
        """Return how the round ended, None while it goes on."""
        return self._outcome(self._states[-1])

    def copy(self) -> Self:
        """Return an independent round that stands the same."""
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
        """Yield the lines of the board: a label and a text or cards (None for a hidden card)."""
        yield "stock", f"{len(self.deal.stock)} cards"

    def __str__(self) -> str:
        stands = "over" if self.to_move is None else f"player {self.to_move} to move"
        head = f"{self.rules.name}: dealer {self.dealer}, {stands}"
        return f"{head}\n{aligned(self._board())}"

    def __repr__(self) -> str:
        stands = "over" if self.to_move is None else f"player {self.to_move} to move"
        return f"<{type(self).__name__} by {self.rules.name}: dealer {self.dealer}, {len(self._moves)} moves, {stands}>"

    def to_text(self) -> str:
        """Return the round as text that `from_text` reads: rules, deal and moves, a line each."""
        preset = resolve(self.rules.preset)
        lines = [
            f"{self.rules.game} {json.dumps({'preset': preset.name, **self.rules.changes(preset)})}",
            " ".join(
                f"{key} {_numbers(told)}" for key, told in {"dealer": self.dealer, **self.situation()}.items()
            ),
            *(_line(f"hand {player}", hand) for player, hand in enumerate(self.deal.hands, start=1)),
            _line("field", self.deal.field),
            _line("stock", self.deal.stock),
            *(str(move) for move in self._moves),
        ]
        return "\n".join(lines) + "\n"

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Return the round that `to_text` wrote; moves are made as told, empty lines passed over.

        Raises `BadRequestError` that says what cannot be read.
        """
        lines = [line for line in text.splitlines() if line.strip()]
        try:
            game, _, record = lines[0].partition(" ")
            rules = resolve(json.loads(record), game)
            head = lines[1].split()
            situation = {key: _read_numbers(told) for key, told in zip(head[::2], head[1::2], strict=True)}
            cards: dict[str, tuple[str | None, ...]] = {}
            moves = []
            for line in lines[2:]:
                name, colon, ids = line.partition(":")
                if colon:
                    cards[name] = tuple(None if word == "?" else word for word in ids.split())
                else:
                    moves.append(line.split())
            hands = tuple(cards[name] for name in cards if name.startswith("hand "))
            field = tuple(str(card) for card in cards.get("field", ()))
            dealer = situation.pop("dealer")
            found = cls(rules, Deal(hands, field, cards.get("stock", ())), dealer=dealer, **situation)  # type: ignore[arg-type]  # the subclass's own record
            for player, *words in moves:
                found.push(cls.read_move(int(player), words), as_told=True)
        except (ValueError, IndexError, KeyError, TypeError, RecursionError) as error:
            raise BadRequestError(f"this is no round in text form: {shown(text[:60])} ({error})") from None
        return found


def _numbers(told: int | tuple[int, ...]) -> str:
    return ",".join(map(str, told)) if isinstance(told, tuple) else str(told)


def _read_numbers(text: str) -> Any:
    return tuple(map(int, text.split(","))) if "," in text else int(text)


def _line(name: str, cards: Sequence[str | None]) -> str:
    return f"{name}: {' '.join(card or '?' for card in cards)}".rstrip()
