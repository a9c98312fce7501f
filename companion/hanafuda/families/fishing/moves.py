"""The moves of the fishing games: a card from the hand, a card from the stock, a call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from companion.hanafuda.cards import HANAFUDA, UnknownCardError
from companion.hanafuda.errors import BadRequestError, shown
from companion.hanafuda.round import Move

__all__ = ["CALLS", "Call", "Draw", "FishingMove", "Play", "Said", "deck_order", "read_move"]

Said = Literal["koikoi", "stop", "win"]
CALLS: tuple[Said, ...] = ("koikoi", "stop", "win")

_INDEX = {each.id: each.index for each in HANAFUDA}


def deck_order(ids: Sequence[str]) -> tuple[str, ...]:
    """Return cards in deck order; what is no hanafuda card raises `UnknownCardError`."""
    for each in ids:
        if not isinstance(each, str) or each not in _INDEX:
            raise UnknownCardError(each, _INDEX)
    return tuple(sorted(ids, key=_INDEX.__getitem__))


@dataclass(frozen=True, slots=True)
class _Carded(Move):
    """A card played; `takes` are the field cards it captures, none where it is laid down.

    They are kept in deck order, so that the same capture is the same move however it is told.
    """

    card: str
    takes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.takes) > 1 or not isinstance(self.takes, tuple):
            object.__setattr__(self, "takes", deck_order(self.takes))


@dataclass(frozen=True, slots=True)
class Play(_Carded):
    """A card from the hand."""

    def words(self) -> tuple[str, ...]:
        """Return `play`, the card, then the captured ones."""
        return ("play", self.card, *self.takes)


@dataclass(frozen=True, slots=True)
class Draw(_Carded):
    """The top card of the stock."""

    def words(self) -> tuple[str, ...]:
        """Return `draw`, the card, then the captured ones."""
        return ("draw", self.card, *self.takes)


@dataclass(frozen=True, slots=True)
class Call(Move):
    """What a player says about his yaku: koi-koi, stop, or (Kekoro) that he has won."""

    said: Said

    def words(self) -> tuple[str, ...]:
        """Return `call` and what is said."""
        return ("call", self.said)


FishingMove: TypeAlias = Play | Draw | Call


def read_move(player: int, words: Sequence[str]) -> FishingMove:
    """Return the move that `Move.words` wrote; `BadRequestError` where it is none."""
    match words:
        case ["play", card, *takes]:
            return Play(player, *_cards(card, takes))
        case ["draw", card, *takes]:
            return Draw(player, *_cards(card, takes))
        case ["call", "koikoi" | "stop" | "win" as said]:
            return Call(player, said)
    raise BadRequestError(
        f"{shown(' '.join(words))} is no move: it is play or draw with cards, or call with one of {', '.join(CALLS)}"
    )


def _cards(card: str, takes: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    return deck_order([card])[0], deck_order(takes)
