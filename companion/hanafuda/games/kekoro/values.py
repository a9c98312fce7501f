"""What each card is worth by itself in Kekoro."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from companion.hanafuda.cards import HANAFUDA, to_bits

__all__ = ["CARD_VALUES", "CardValue", "values_in_force"]


@dataclass(frozen=True, slots=True)
class CardValue:
    """Cards that are worth the same, and their value by each table."""

    code: str
    """The message that counts them: ``count`` cards at ``value``."""
    cards: int
    """The cards, as a set."""
    values: Mapping[str, int]
    """The value of each card, by the rules' option `values`."""


def _kind(kind: str) -> int:
    return sum(card.bit for card in HANAFUDA if card.kind == kind)


_TEN_BRIGHTS = to_bits(["cherry-curtain", "paulownia-phoenix"])

# The geese and the yellow paulownia serve as ribbons in yaku, but are worth what they are: E12.
CARD_VALUES: tuple[CardValue, ...] = (
    CardValue(
        "kekoro-value-chaff",
        _kind("chaff"), {"printed": 10, "kusaba": 8},
    ),
    CardValue(
        "kekoro-value-curtain-phoenix",
        _TEN_BRIGHTS, {"printed": 10, "kusaba": 5},
    ),
    CardValue(
        "kekoro-value-brights",
        _kind("bright") ^ _TEN_BRIGHTS, {"printed": 5, "kusaba": 5},
    ),
    CardValue(
        "kekoro-value-animals",
        _kind("animal"), {"printed": 5, "kusaba": 5},
    ),
    CardValue(
        "kekoro-value-ribbons",
        _kind("ribbon"), {"printed": 1, "kusaba": 1},
    ),
)  # fmt: skip
"""The table of card values (text, Card Values; E5), in the text's order. Every card is in one row."""


@lru_cache(maxsize=2)
def values_in_force(source: str) -> tuple[tuple[int, int], ...]:
    """Return the cards that share a value, as a set, with that value; `source` is the option `values`."""
    by_value: dict[int, int] = {}
    for row in CARD_VALUES:
        value = row.values[source]
        by_value[value] = by_value.get(value, 0) | row.cards
    return tuple((cards, value) for value, cards in by_value.items())
