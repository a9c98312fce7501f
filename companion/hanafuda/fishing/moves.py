"""The moves of the fishing games: a card from the hand, a card from the stock, a call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal, TypeAlias

from ..cards import HANAFUDA, UnknownCardError
from ..errors import BadRequestError, quote
from ..round import Move
from .captures import FLOWER_OF, choices, ids_of

__all__ = [
    "CALLS",
    "PLAY_ON",
    "Call",
    "CallName",
    "Draw",
    "FishingMove",
    "Play",
    "call_of",
    "card_moves",
    "deck_order",
    "read_move",
]

CallName = Literal["koikoi", "stop", "win"]
CALLS: tuple[CallName, ...] = ("koikoi", "stop", "win")
PLAY_ON: CallName = "koikoi"
"""The call by which a player with a yaku plays on."""

_INDEX = {each.id: each.index for each in HANAFUDA}
_BIT = {each.id: each.bit for each in HANAFUDA}


def deck_order(ids: Sequence[str]) -> tuple[str, ...]:
    """Return cards in deck order. Raises `UnknownCardError` for an id that is not a hanafuda card."""
    for each in ids:
        if not isinstance(each, str) or each not in _INDEX:
            raise UnknownCardError(each, _INDEX)
    return tuple(sorted(ids, key=_INDEX.__getitem__))


@dataclass(frozen=True, slots=True)
class _CardMove(Move):
    """A card played and the field cards it captures, in deck order; none if it is added to the field."""

    card: str
    takes: tuple[str, ...] = ()
    bit: int = field(init=False, repr=False, compare=False)
    """The card as a set of one; 0 for an unknown id."""
    taken: int = field(init=False, repr=False, compare=False)
    """The captured cards as a set, without unknown ids."""

    def __post_init__(self) -> None:
        if len(self.takes) > 1 or not isinstance(self.takes, tuple):
            object.__setattr__(self, "takes", deck_order(self.takes))
        taken = 0
        for each in self.takes:
            taken |= _BIT.get(each, 0)
        object.__setattr__(self, "bit", _BIT.get(self.card, 0))
        object.__setattr__(self, "taken", taken)

    def check_ids(self) -> None:
        """Raise `UnknownCardError` for an id that is not a hanafuda card."""
        for each in (self.card, *self.takes):
            if each not in _BIT:
                raise UnknownCardError(each, _BIT)


@dataclass(frozen=True, slots=True)
class Play(_CardMove):
    """A card from the hand."""

    def words(self) -> tuple[str, ...]:
        """Return `play`, the card, then the captured cards."""
        return ("play", self.card, *self.takes)


@dataclass(frozen=True, slots=True)
class Draw(_CardMove):
    """The top card of the stock."""

    def words(self) -> tuple[str, ...]:
        """Return `draw`, the card, then the captured cards."""
        return ("draw", self.card, *self.takes)


@dataclass(frozen=True, slots=True)
class Call(Move):
    """A call: koi-koi, stop, or (Kekoro) the victory by yaku."""

    name: CallName

    def words(self) -> tuple[str, ...]:
        """Return `call` and its name."""
        return ("call", self.name)


FishingMove: TypeAlias = Play | Draw | Call


@cache
def card_moves(
    make: type[Play] | type[Draw], player: int, takes_both: bool
) -> Mapping[int, tuple[int, Mapping[int, Sequence[Play | Draw]]]]:
    """Return the moves of every card, built once because legal moves are listed often.

    The key is the card as a set of one. The value is the cards of its flower, and its moves by those on the field.
    """
    return {
        card.bit: (
            FLOWER_OF[card.bit],
            {
                matches: tuple(make(player, card.id, ids_of(takes)) for takes in choices(matches, takes_both))
                for matches in _subsets(FLOWER_OF[card.bit] & ~card.bit)
            },
        )
        for card in HANAFUDA
    }


def _subsets(cards: int) -> Iterator[int]:
    """Yield every subset of a set, the empty one last."""
    subset = cards
    while subset:
        yield subset
        subset = (subset - 1) & cards
    yield 0


@cache
def call_of(player: int, name: CallName) -> Call:
    """Return a player's call."""
    return Call(player, name)


def read_move(player: int, words: Sequence[str]) -> FishingMove:
    """Return the move that `Move.words` wrote. Raises `BadRequestError` for anything else."""
    match words:
        case ["play", card, *takes]:
            return Play(player, *_cards(card, takes))
        case ["draw", card, *takes]:
            return Draw(player, *_cards(card, takes))
        case ["call", "koikoi" | "stop" | "win" as name]:
            return Call(player, name)
    raise BadRequestError(
        f"{quote(' '.join(words))} is not a move: a move is play or draw with cards, or call with one of {', '.join(CALLS)}"
    )


def _cards(card: str, takes: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    return deck_order([card])[0], deck_order(takes)
