"""How simulated players of a fishing game choose their cards: they capture what is worth most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...cards import HANAFUDA
from .captures import FLOWER_OF, Captures
from .moves import Draw, FishingMove, Play

__all__ = ["CARD_VALUES", "best_captures", "best_cards", "move_value"]

_TYPE_VALUES = {"bright": 8, "animal": 4, "ribbon": 3, "chaff": 1}
_SAKE_VALUE = 6
"""The sake cup is part of more yaku than the other animals."""

CARD_VALUES: Mapping[int, int] = {
    card.bit: _SAKE_VALUE if card.id == "chrysanthemum-sake" else _TYPE_VALUES[card.kind or "chaff"]
    for card in HANAFUDA
}
"""What a card is worth to a simulated player, by the card as a set of one."""


def move_value(card: int, taken: int) -> int:
    """Return the value of a card with what it captures, both as sets; negative if it is added to the field."""
    if not taken:
        return -CARD_VALUES[card]
    value = CARD_VALUES[card]
    while taken:
        lowest = taken & -taken
        value += CARD_VALUES[lowest]
        taken ^= lowest
    return value


def best_cards(moves: Sequence[FishingMove]) -> FishingMove:
    """Return the card move of the highest value; of equal ones the first, which is the first in deck order."""
    cards = [move for move in moves if isinstance(move, Play | Draw)]
    return max(cards, key=lambda move: move_value(move.bit, move.taken))


_FIELDS = 16
"""The sets of the four cards of a flower."""


def best_captures(captures: Captures) -> tuple[list[int], list[int]]:
    """Return what `best_cards` lets each card capture, as a set: of a hand card, and of a drawn card.

    The index is 16 times the card's index and the cards of its flower on the field, 1, 2, 4 and 8 for the first to the
    fourth.
    """
    return _best(captures, from_hand=True), _best(captures, from_hand=False)


def _best(captures: Captures, *, from_hand: bool) -> list[int]:
    found = []
    for card in HANAFUDA:
        for field in range(_FIELDS):
            on_field = field << (card.index & ~3) & FLOWER_OF[card.bit] & ~card.bit
            options = captures.options(card.bit, on_field, from_hand=from_hand)
            found.append(max(options, key=lambda taken: move_value(card.bit, taken)))
    return found
