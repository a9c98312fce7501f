"""Capturing: what a card may take from the field, and the problems of what was taken.

A card matches the cards of its flower. A card with a match must capture: a single match is taken, of two
the player chooses one, three are taken together.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from ..cards import HANAFUDA, UnknownCardError, ids_of, single_bits
from ..messages import Message, Param, card_message
from ..round import Problem

__all__ = [
    "DECK",
    "FLOWER_OF",
    "Captures",
    "bit_of",
    "card_names",
    "choices",
    "flower_of",
    "id_of",
    "ids_of",
    "single_sets",
]

DECK = (1 << 48) - 1
"""All 48 cards."""

_BIT = {each.id: each.bit for each in HANAFUDA}
_BIT_OR_HIDDEN: dict[str | None, int] = {None: 0} | {each.id: each.bit for each in HANAFUDA}
_ID = {each.bit: each.id for each in HANAFUDA}


def single_sets(ids: Iterable[str | None]) -> tuple[int, ...]:
    """Return each card as a set of one, 0 for a hidden card (None).

    Raises `UnknownCardError` for an id that is not a hanafuda card.
    """
    try:
        return tuple([_BIT_OR_HIDDEN[each] for each in ids])
    except KeyError as error:
        raise UnknownCardError(error.args[0], _BIT) from None


def bit_of(card_id: str) -> int:
    """Return a card as a set of one; raise `UnknownCardError` if it is not a hanafuda card."""
    try:
        return _BIT[card_id]
    except KeyError:
        raise UnknownCardError(card_id, _BIT) from None


def id_of(bit: int) -> str:
    """Return the id of the card of a set of one."""
    return _ID[bit]


FLOWER_OF = {each.bit: 0b1111 << (each.index & ~3) for each in HANAFUDA}
"""The four cards of each card's flower, by the card as a set of one."""


def flower_of(bit: int) -> int:
    """Return the four cards of a card's flower."""
    return FLOWER_OF[bit]


@cache
def choices(matches: int, takes_both: bool) -> tuple[int, ...]:
    """Return what a card may take of the field cards of its flower, each a set."""
    if matches.bit_count() == 2 and not takes_both:
        return tuple(single_bits(matches))
    return (matches,)


def card_names(bits: int) -> tuple[Message, ...]:
    """Return the names of a set's cards, for a message."""
    return tuple(map(card_message, ids_of(bits)))


class Captures(NamedTuple):
    """The capturing rules of one table."""

    hand_takes_both: bool = False
    """Whether a hand card takes both of two matches; the drawn card never does."""
    wild: int = 0
    """The cards that match any card on the field, one of the player's choice. On the field they are ordinary."""

    def options(self, card: int, field: int, *, from_hand: bool) -> tuple[int, ...]:
        """Return what a card may take from the field, each a set; only the empty set if nothing matches."""
        matches = field & FLOWER_OF[card]
        options = choices(matches, from_hand and self.hand_takes_both)
        if card & self.wild and (others := field & ~matches):
            return (*options, *single_bits(others)) if matches else tuple(single_bits(others))
        return options

    def problems(self, card: int, takes: int, field: int, *, from_hand: bool) -> list[Problem]:
        """Return every problem of capturing cards that are on the field."""
        field &= ~card
        options = self.options(card, field, from_hand=from_hand)
        if takes in options:
            return []
        name, wild = card_names(card), card & self.wild
        matches = field & (DECK if wild else flower_of(card))
        problems = []
        if others := takes & ~matches:
            problems.append(
                Problem(
                    "wrong-flower",
                    Message("fishing-wrong-flower", {"card": name, "taken": card_names(others)}),
                )
            )
        if matches and not takes & matches:
            problems.append(
                Problem(
                    "capture-refused",
                    Message("fishing-capture-refused", {"card": name, "matches": card_names(matches)}),
                )
            )
        elif takes & matches not in options:
            problems.append(self._wrong_number(card, takes & matches, matches, from_hand))
        return problems

    def _wrong_number(self, card: int, taken: int, matches: int, from_hand: bool) -> Problem:
        """Return the problem of capturing too many or too few of the matching cards."""
        name = card_names(card)
        if card & self.wild:
            return Problem(
                "one-of-many", Message("fishing-one-of-many", {"card": name, "taken": card_names(taken)})
            )
        params: dict[str, Param] = {"card": name, "matches": card_names(matches), "taken": card_names(taken)}
        if matches.bit_count() == 3:
            return Problem("one-of-three", Message("fishing-one-of-three", params))
        if from_hand and self.hand_takes_both:
            return Problem("both-of-two", Message("fishing-both-of-two", params))
        return Problem(
            "one-of-two", Message("fishing-one-of-two", {"card": name, "matches": card_names(matches)})
        )
