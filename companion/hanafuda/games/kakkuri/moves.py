"""The moves of Kakkuri."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ...cards import DECKS
from ...round import Move

__all__ = [
    "Discard",
    "DropOut",
    "KakkuriMove",
    "LuckyHand",
    "OpenBox",
    "Pass",
    "Swap",
    "ThreePairs",
    "read_words",
]


_PLACES = {each.id: each.index for deck in DECKS.values() for each in deck}


def _deck_order(card_id: str) -> tuple[int, str]:
    """Return the sort key of a card; unknown ids, which the check reports, come last."""
    return _PLACES.get(card_id, len(_PLACES)), card_id


@dataclass(frozen=True, slots=True)
class KakkuriMove(Move):
    """A move of Kakkuri."""


@dataclass(frozen=True, slots=True)
class Swap(KakkuriMove):
    """Exchange the whole hand with the dealer's, unseen, or (`accept` False) keep it."""

    accept: bool

    def words(self) -> tuple[str, ...]:
        """Return ``swap`` or ``keep``."""
        return ("swap" if self.accept else "keep",)


@dataclass(frozen=True, slots=True)
class LuckyHand(KakkuriMove):
    """Show the 1 of swords, cups and coins; needed only if the hand was hidden, a known one wins without it."""

    def words(self) -> tuple[str, ...]:
        """Return ``lucky-hand``."""
        return ("lucky-hand",)


@dataclass(frozen=True, slots=True)
class OpenBox(KakkuriMove):
    """Turn up a card from the box onto the discard pile."""

    card: str

    def words(self) -> tuple[str, ...]:
        """Return ``box`` and the card."""
        return ("box", self.card)


@dataclass(frozen=True, slots=True)
class ThreePairs(KakkuriMove):
    """Declare three pairs: the hand is then discarded in pairs."""

    def words(self) -> tuple[str, ...]:
        """Return ``three-pairs``."""
        return ("three-pairs",)


@dataclass(frozen=True, slots=True)
class Discard(KakkuriMove):
    """Discard one card, a triplet, or after declaring three pairs a pair; the cards are in deck order.

    `as_rank` is the number a wild card stands for, if the rules let the player choose and nothing else implies it.
    """

    cards: tuple[str, ...]
    as_rank: int | None = None

    def __post_init__(self) -> None:
        """Sort the cards in deck order, so that equal discards compare equal."""
        if len(self.cards) > 1:
            object.__setattr__(self, "cards", tuple(sorted(self.cards, key=_deck_order)))

    def words(self) -> tuple[str, ...]:
        """Return ``discard``, the cards, and ``as`` with a number."""
        return ("discard", *self.cards, *(() if self.as_rank is None else ("as", str(self.as_rank))))


@dataclass(frozen=True, slots=True)
class Pass(KakkuriMove):
    """End the turn."""

    def words(self) -> tuple[str, ...]:
        """Return ``pass``."""
        return ("pass",)


@dataclass(frozen=True, slots=True)
class DropOut(KakkuriMove):
    """Drop out of the round and pay a stake into the pot."""

    def words(self) -> tuple[str, ...]:
        """Return ``fold``."""
        return ("fold",)


_PLAIN: Mapping[str, Callable[[int], KakkuriMove]] = {
    "swap": lambda player: Swap(player, True),
    "keep": lambda player: Swap(player, False),
    "lucky-hand": LuckyHand,
    "three-pairs": ThreePairs,
    "pass": Pass,
    "fold": DropOut,
}


def read_words(player: int, words: Sequence[str]) -> KakkuriMove:
    """Return the move written by `Move.words`; raise `ValueError` for anything else."""
    action, *rest = words
    if action == "box" and len(rest) == 1:
        return OpenBox(player, rest[0])
    if action == "discard":
        if rest[-2:-1] == ["as"]:
            return Discard(player, tuple(rest[:-2]), int(rest[-1]))
        return Discard(player, tuple(rest))
    if action in _PLAIN and not rest:
        return _PLAIN[action](player)
    raise ValueError(f"no move of Kakkuri: {' '.join(words)}")
