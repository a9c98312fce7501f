"""The value of each card in Kekoro."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from ...cards import HANAFUDA, to_bits

__all__ = ["CARD_VALUES", "CardValue", "values_in_force"]


@dataclass(frozen=True, slots=True)
class CardValue:
    """Cards of the same value, with their value in each table."""

    code: str
    """The code of the message that counts them: ``count`` cards at ``value``."""
    cards: int
    """The cards, as a set."""
    values: Mapping[str, int]
    """The value of each card, by the rules' option `values`."""


def _cards_of_type(card_type: str) -> int:
    return sum(card.bit for card in HANAFUDA if card.kind == card_type)


_TEN_BRIGHTS = to_bits(["cherry-curtain", "paulownia-phoenix"])

# The geese and the yellow paulownia count as ribbons in yaku, but keep their own values.
CARD_VALUES: tuple[CardValue, ...] = (
    CardValue(
        "kekoro-value-chaff",
        _cards_of_type("chaff"), {"printed": 10, "kusaba": 8},
    ),
    CardValue(
        "kekoro-value-curtain-phoenix",
        _TEN_BRIGHTS, {"printed": 10, "kusaba": 5},
    ),
    CardValue(
        "kekoro-value-brights",
        _cards_of_type("bright") ^ _TEN_BRIGHTS, {"printed": 5, "kusaba": 5},
    ),
    CardValue(
        "kekoro-value-animals",
        _cards_of_type("animal"), {"printed": 5, "kusaba": 5},
    ),
    CardValue(
        "kekoro-value-ribbons",
        _cards_of_type("ribbon"), {"printed": 1, "kusaba": 1},
    ),
)  # fmt: skip
"""The table of card values in the order of the rules text. Every card is in one row."""


@lru_cache(maxsize=2)
def values_in_force(source: str) -> tuple[tuple[int, int], ...]:
    """Return each value with the set of its cards; `source` is the option `values`."""
    by_value: dict[int, int] = {}
    for row in CARD_VALUES:
        value = row.values[source]
        by_value[value] = by_value.get(value, 0) | row.cards
    return tuple((cards, value) for value, cards in by_value.items())
