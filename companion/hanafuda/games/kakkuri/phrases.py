"""Messages of the checks of Kakkuri: what happened, and what the rule is."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from ...cards import card
from ...messages import Message
from ...round import Problem
from ...rules import Text
from .cards import Pack, follows

__all__ = ["listed", "named", "numbers", "problem"]


def problem(code: str, en: str, ja: str) -> Problem:
    """Return a problem with its message in both languages."""
    return Problem(code, Text(en, ja))


@cache
def named(card_id: str) -> Message:
    """Return the common name of a card, with its number if the picture does not show it."""
    names = card(card_id).names
    return Text(names.en, names.ja)


def listed(pack: Pack, bits: int) -> Message:
    """Return the names of the cards in a set."""
    names = [named(card_id) for card_id in pack.cards(bits)]
    return Text(", ".join(name.en for name in names), "・".join(name.ja for name in names))


def numbers(lead: int) -> Message:
    """Return the numbers that may follow as text."""
    return _alternatives(follows(lead))


def _alternatives(ranks: Iterable[int]) -> Message:
    words = [str(rank) for rank in ranks]
    if len(words) == 12:
        return Text("any number", "どの数でも")
    return Text(" or ".join(words), "か".join(words))
