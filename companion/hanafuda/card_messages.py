"""Names of cards as parameters of messages."""

from __future__ import annotations

from collections.abc import Iterable

from .cards import UnknownCardError, card, from_bits
from .messages import Message, Param, card_message

__all__ = ["card_list", "card_name", "cards_of_bits"]


def card_name(card_id: str) -> Message | str:
    """Return the name of a card, or the id as it is if no deck has such a card."""
    try:
        return card_message(card(card_id).id)
    except UnknownCardError:
        return card_id


def card_list(ids: Iterable[str]) -> tuple[Param, ...]:
    """Return the names of cards, in order."""
    return tuple(map(card_name, ids))


def cards_of_bits(bits: int) -> tuple[Param, ...]:
    """Return the names of the hanafuda cards in a set."""
    return tuple(card_message(each.id) for each in from_bits(bits))
