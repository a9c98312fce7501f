"""How simulated players of a fishing game choose their cards: they capture what is worth most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..cards import HANAFUDA
from .moves import Draw, FishingMove, Play

__all__ = ["CARD_VALUES", "best_cards", "move_value"]

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
