"""Who deals first: every player draws a card, and the earliest month deals."""

from __future__ import annotations

from collections.abc import Iterable

from companion.hanafuda.cards import card

__all__ = ["first_dealer"]

_KINDS = ("bright", "animal", "ribbon", "chaff")


def first_dealer(drawn: Iterable[str], *, higher_card: bool = True) -> int | None:
    """Return which player deals first, by the card that each has drawn, in order; None where they draw again.

    The earliest month deals (H §2.1). Of one month the card of the higher kind does, whatever cards are worth in
    the game (E10, N11); by other games' default all draw again instead (K33: `higher_card` False). In kabufuda the
    number takes the month's place, and cards of one number are alike. Raises `UnknownCardError` for a card that is
    none.

    >>> first_dealer(["plum-warbler", "pine-chaff-1"])
    2
    >>> first_dealer(["plum-ribbon", "plum-warbler"], higher_card=False)
    """
    cards = [card(each) for each in drawn]
    ranks = [(each.month, _KINDS.index(each.kind) if higher_card and each.kind else 0) for each in cards]
    lowest = min(ranks)
    return ranks.index(lowest) + 1 if ranks.count(lowest) == 1 else None
