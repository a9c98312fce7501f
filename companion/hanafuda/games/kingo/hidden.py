"""Whether the players' moves are consistent with some assignment of the hidden cards.

A player who drew had a hand below 15, a player who passed is not bareta: each move constrains the cards that are
still hidden. `possible` answers whether the unseen cards can be assigned to the hidden cards of all hands at once so
that every move was legal. Only months matter, and each month has four cards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from .hands import Hand, Ranks

__all__ = ["COPIES", "MONTHS", "Passing", "Want", "possible"]

MONTHS = range(1, 11)
COPIES = 4
"""The number of cards of a month."""

_COUNT_BITS = 4
"""The counts of cards per month are packed into one integer, this many bits each; the highest bit is a borrow guard."""
_GUARD = sum(8 << (_COUNT_BITS * month) for month in MONTHS)


class Passing(NamedTuple):
    """The condition for passing with a hand that is not bareta."""

    cards: int
    """The minimum number of cards."""
    value: int = 0
    """The minimum value, unless the hand is a teyaku."""

    def allows(self, hand: Hand) -> bool:
        """Return whether a player may pass with a hand."""
        return (
            not hand.bareta
            and len(hand.months) >= self.cards
            and (hand.value >= self.value or hand.rank.teyaku)
        )


class Want(NamedTuple):
    """The constraints on a hand with hidden cards: its known cards and what the player's moves imply."""

    ranks: Ranks
    known: tuple[int, ...]
    """The months of the cards that were never hidden."""
    revealed: tuple[int, ...]
    """The months of hidden cards shown later; which of the hidden cards each one was is unknown."""
    hidden: int
    """The number of cards still hidden."""
    last: int
    """The month of the card drawn last, 0 if it was hidden."""
    limit: int | None
    """The highest value the hand can have had before its last card; None if no card was drawn."""
    ends: Passing | bool
    """How the turn ended: the condition for a pass, True for bareta, False while the turn goes on."""

    def _before_last(self, filled: tuple[int, ...]) -> int:
        """Return the lowest value that the hand can have had before its last card.

        Values only rise, so it is enough to check the last draw. If the last card was hidden, it may have been
        the highest of the hidden cards.
        """
        total = sum(self.known) + sum(self.revealed) + sum(filled)
        return total - (self.last or max((*self.revealed, *filled), default=0))

    def fills(self, filled: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
        """Yield the possible months of the hidden cards, each in rising order."""
        if self.limit is not None and self._before_last(filled) > self.limit:
            return
        if len(filled) < self.hidden:
            for month in range(filled[-1] if filled else MONTHS[0], MONTHS[-1] + 1):
                yield from self.fills((*filled, month))
        elif self._has_ending((*self.known, *self.revealed, *filled)):
            yield filled

    def _has_ending(self, months: tuple[int, ...]) -> bool:
        if self.ends is False:
            return True
        hand = self.ranks.judge(months)
        return hand.bareta if self.ends is True else self.ends.allows(hand)


@lru_cache(maxsize=1024)
def _packed_fills(hand: Want) -> tuple[int, ...]:
    """Return the possible assignments of a hand's hidden cards, each as packed counts per month."""
    fills = {
        sum(1 << (_COUNT_BITS * month) for month in filled) for filled in hand.fills() if _exists(filled)
    }
    return tuple(sorted(fills))


def _exists(filled: tuple[int, ...]) -> bool:
    return all(filled.count(month) <= COPIES for month in filled)


def possible(hands: Sequence[Want], unseen: Sequence[int]) -> bool:
    """Return whether all hands can be filled at once; `unseen[month]` is the number of unseen cards of a month."""
    left = sum(number << (_COUNT_BITS * month) for month, number in enumerate(unseen)) | _GUARD
    fills = [[fill for fill in _packed_fills(hand) if _fits(left, fill)] for hand in hands]
    # The hand with the fewest assignments first, so that a failure is found early.
    return _assign(sorted(fills, key=len), left, set())


def _fits(left: int, fill: int) -> bool:
    return (left - fill) & _GUARD == _GUARD


def _assign(fills: Sequence[Sequence[int]], left: int, failed: set[tuple[int, int]]) -> bool:
    if not fills:
        return True
    if (len(fills), left) in failed:
        return False
    if any(_fits(left, fill) and _assign(fills[1:], left - fill, failed) for fill in fills[0]):
        return True
    failed.add((len(fills), left))
    return False
