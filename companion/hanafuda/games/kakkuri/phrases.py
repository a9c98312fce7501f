"""What the checks of Kakkuri say, in English and Japanese: what was seen, and what the rule is."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from companion.hanafuda.cards import card
from companion.hanafuda.games.kakkuri.cards import Pack, follows
from companion.hanafuda.messages import Message
from companion.hanafuda.round import Problem
from companion.hanafuda.rules import Text

__all__ = ["listed", "named", "numbers", "problem"]


def problem(code: str, en: str, ja: str) -> Problem:
    """Return a problem with both sentences."""
    return Problem(code, Text(en, ja))


@cache
def named(card_id: str) -> Message:
    """Return what people call a card, with its number where the picture does not show it."""
    names = card(card_id).names
    return Text(names.en, names.ja)


def listed(pack: Pack, bits: int) -> Message:
    """Return the names of a set's cards."""
    names = [named(card_id) for card_id in pack.cards(bits)]
    return Text(", ".join(name.en for name in names), "・".join(name.ja for name in names))


def numbers(lead: int) -> Message:
    """Return which numbers may follow."""
    return _or(follows(lead))


def _or(ranks: Iterable[int]) -> Message:
    words = [str(rank) for rank in ranks]
    if len(words) == 12:
        return Text("any number", "どの数でも")
    return Text(" or ".join(words), "か".join(words))
