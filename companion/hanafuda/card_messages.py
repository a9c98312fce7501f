"""Names of cards as parameters of messages."""

from __future__ import annotations

from collections.abc import Iterable

from .cards import HANAFUDA, UnknownCardError, card, from_bits
from .messages import Message, Param, Text, card_message

__all__ = ["card_list", "cards_of_bits"]

_HANAFUDA = frozenset(each.id for each in HANAFUDA)


def card_list(ids: Iterable[str]) -> tuple[Param, ...]:
    """Return the names of cards, in order."""
    return tuple(_card_name(each) for each in ids)


def cards_of_bits(bits: int) -> tuple[Param, ...]:
    """Return the names of the hanafuda cards in a set."""
    return tuple(card_message(each.id) for each in from_bits(bits))


def _card_name(card_id: str) -> Message:
    if card_id in _HANAFUDA:
        return card_message(card_id)
    try:
        names = card(card_id).names  # a card of another deck, which has no message
    except UnknownCardError:
        return Text(card_id, card_id)
    return Text(names.en, names.ja)
