"""Whether hidden cards can be what the players' moves say of them.

Whoever drew had less than 15 before, whoever passed is not bareta: each move says something of cards that
nobody has told. `possible` answers whether the cards not yet seen can be dealt out to the hidden places of all
hands at once so that every move was legal. Only months matter, and of each there are four.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from companion.hanafuda.games.kingo.hands import Hand, Ranks

__all__ = ["COPIES", "MONTHS", "Passing", "Want", "possible"]

MONTHS = range(1, 11)
COPIES = 4
"""How many cards of a month there are."""

_BITS = 4
"""A number of cards a month is packed into so many bits, the highest of them spare for the subtraction."""
_SPARE = sum(8 << (_BITS * month) for month in MONTHS)


class Passing(NamedTuple):
    """What a hand that is not bareta needs for its player to pass."""

    cards: int
    """The least number of cards."""
    value: int = 0
    """The least value, unless it is a teyaku."""

    def allows(self, hand: Hand) -> bool:
        """Say whether a player may pass with a hand."""
        return (
            not hand.bareta
            and len(hand.months) >= self.cards
            and (hand.value >= self.value or hand.rank.teyaku)
        )


class Want(NamedTuple):
    """What is known of a hand with hidden cards, and what the player's moves say of it."""

    ranks: Ranks
    known: tuple[int, ...]
    """The months of the cards that were never hidden."""
    shown: tuple[int, ...]
    """The months of hidden cards that were laid open: they fill hidden places, nobody knows which."""
    hidden: int
    """How many places are still open."""
    last: int
    """The month of the card drawn last, 0 where it was a hidden one."""
    limit: int | None
    """The most that the hand was worth before the last card came; None where none has been drawn."""
    ends: Passing | bool
    """What the player passed by, True where he said bareta, False while his turn goes on."""

    def _before_last(self, filled: tuple[int, ...]) -> int:
        """Return the least that the hand can have been worth before its last card.

        Values only rise, so it is enough that the hand was low enough then; where the last card was a hidden
        one, it may have been the highest of those.
        """
        total = sum(self.known) + sum(self.shown) + sum(filled)
        return total - (self.last or max((*self.shown, *filled), default=0))

    def fills(self, filled: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
        """Yield the months, in rising order, that can lie in the open places."""
        if self.limit is not None and self._before_last(filled) > self.limit:
            return
        if len(filled) < self.hidden:
            for month in range(filled[-1] if filled else MONTHS[0], MONTHS[-1] + 1):
                yield from self.fills((*filled, month))
        elif self._ended_so((*self.known, *self.shown, *filled)):
            yield filled

    def _ended_so(self, months: tuple[int, ...]) -> bool:
        if self.ends is False:
            return True
        hand = self.ranks.judge(months)
        return hand.bareta if self.ends is True else self.ends.allows(hand)


@lru_cache(maxsize=1024)
def _packed(want: Want) -> tuple[int, ...]:
    """Return the ways to fill a hand, each as a number of cards a month."""
    ways = {sum(1 << (_BITS * month) for month in filled) for filled in want.fills() if _dealt(filled)}
    return tuple(sorted(ways))


def _dealt(filled: tuple[int, ...]) -> bool:
    return all(filled.count(month) <= COPIES for month in filled)


def possible(wants: Sequence[Want], unseen: Sequence[int]) -> bool:
    """Say whether all hands can be filled at once; `unseen[month]` is how many cards of a month are not seen."""
    left = sum(number << (_BITS * month) for month, number in enumerate(unseen)) | _SPARE
    ways = [[way for way in _packed(want) if _fits(left, way)] for want in wants]
    # The hand with the fewest ways first: where it fails, nothing else need be tried.
    return _together(sorted(ways, key=len), left, set())


def _fits(left: int, way: int) -> bool:
    return (left - way) & _SPARE == _SPARE


def _together(ways: Sequence[Sequence[int]], left: int, failed: set[tuple[int, int]]) -> bool:
    if not ways:
        return True
    if (len(ways), left) in failed:
        return False
    if any(_fits(left, way) and _together(ways[1:], left - way, failed) for way in ways[0]):
        return True
    failed.add((len(ways), left))
    return False
