"""Who deals first: every player draws a card, and the earliest month deals."""

from __future__ import annotations

from collections.abc import Iterable

from .cards import card

__all__ = ["first_dealer"]

_CARD_TYPES = ("bright", "animal", "ribbon", "chaff")


def first_dealer(drawn: Iterable[str], *, higher_card: bool = True) -> int | None:
    """Return the player who deals first, given the card each player drew, in order; None if they draw again.

    The player with the earliest month deals. Among cards of one month the higher card type does, whatever cards
    are worth in the game; with `higher_card` False, everybody draws again instead. In kabufuda the number replaces
    the month, and cards of one number are equal. Raises `UnknownCardError` for an unknown id.

    >>> first_dealer(["plum-warbler", "pine-chaff-1"])
    2
    >>> first_dealer(["plum-ribbon", "plum-warbler"], higher_card=False)
    """
    cards = [card(each) for each in drawn]
    ranks = [(each.month, _CARD_TYPES.index(each.kind) if higher_card and each.kind else 0) for each in cards]
    lowest = min(ranks)
    return ranks.index(lowest) + 1 if ranks.count(lowest) == 1 else None
