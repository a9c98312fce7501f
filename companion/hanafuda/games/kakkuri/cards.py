"""The three decks of Kakkuri: each card's number, and the cards with a special role.

A set of cards is an ``int`` with one bit per card, by its index in the deck (48 bits); mekurifuda's onifuda is not used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ...cards import DECKS, MONTH_ORDERS, card
from ...errors import BadRequestError, quote
from ...messages import Message, card_message

__all__ = ["HAND", "PACKS", "RANKS", "Pack", "follows", "places"]

HAND = 6
"""The number of cards dealt to each player."""
RANKS = range(1, 13)


def follows(lead: int) -> tuple[int, ...]:
    """Return the numbers that may be discarded on a number: the next one, on 1 and 2 also the same, on 12 any.

    `lead` 0 is a wild card that lets any number follow.
    """
    if lead in (0, 12):
        return tuple(RANKS)
    return (lead, lead + 1) if lead in (1, 2) else (lead + 1,)


def places(bits: int) -> Iterator[int]:
    """Yield the deck indexes of the cards in a set, in ascending order."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


@dataclass(frozen=True)
class Pack:
    """One deck's 48 cards with their roles in Kakkuri."""

    name: str
    ids: tuple[str, ...]
    ranks: tuple[int, ...]
    """The number of each card, 1 to 12."""
    wild: int
    """1 of clubs and 2 of coins."""
    lucky: int
    """1 of swords, of cups and of coins."""
    dropout: int
    """3 of clubs: with eight players, the player who is dealt it drops out."""

    @cached_property
    def all(self) -> int:
        """The whole deck."""
        return (1 << len(self.ids)) - 1

    @cached_property
    def index(self) -> Mapping[str, int]:
        """The deck index of each id."""
        return {card_id: place for place, card_id in enumerate(self.ids)}

    @cached_property
    def by_rank(self) -> tuple[int, ...]:
        """The set of the four cards of each number; empty at 0."""
        return tuple(
            sum(1 << place for place, rank in enumerate(self.ranks) if rank == number) for number in range(13)
        )

    @cached_property
    def following(self) -> tuple[int, ...]:
        """For each number, the set of cards whose own number may be discarded on it."""
        return tuple(sum(self.by_rank[rank] for rank in follows(lead)) for lead in range(13))

    def place(self, card_id: object) -> int:
        """Return a card's deck index; raise `BadRequestError` if it is not in the deck."""
        try:
            return self.index[card_id]  # type: ignore[index]  # anything that is not an id raises KeyError or TypeError
        except (KeyError, TypeError):
            decks = " or ".join(name for name, pack in PACKS.items() if card_id in pack.ids)
            hint = f"; the option deck may be {decks}" if decks else f", {self.ids[0]} to {self.ids[-1]}"
            raise BadRequestError(
                f"there is no card {quote(card_id)} among the 48 {self.name} cards of these rules{hint}"
            ) from None

    def bits(self, ids: Iterable[str | None]) -> int:
        """Return cards as a set; None (an unknown card) is ignored, and duplicates count once."""
        bits = 0
        for card_id in ids:
            if card_id is not None:
                bits |= 1 << self.place(card_id)
        return bits

    def cards(self, bits: int) -> tuple[str, ...]:
        """Return the ids of the cards in a set, in deck order."""
        return tuple(self.ids[place] for place in places(bits))

    def names(self, bits: int) -> tuple[Message, ...]:
        """Return the names of the cards in a set, for a message."""
        return tuple(map(card_message, self.cards(bits)))


def _pack(name: str, wild: str, lucky: str, dropout: str, order: Mapping[str, int] | None = None) -> Pack:
    # Only mekurifuda has a card without a number, the onifuda.
    deck = [each for each in DECKS[name] if each.month]

    def some(ids: str) -> int:
        return sum(card(card_id).bit for card_id in ids.split())

    return Pack(
        name,
        tuple(each.id for each in deck),
        tuple(order[each.flower] if order else each.month for each in deck),
        some(wild),
        some(lucky),
        some(dropout),
    )


PACKS: Mapping[str, Pack] = {
    "mekurifuda": _pack("mekurifuda", "clubs-1 coins-2", "swords-1 cups-1 coins-1", "clubs-3"),
    "hanafuda": _pack(
        "hanafuda",
        "pine-crane willow-lightning",
        "pine-ribbon pine-chaff-1 pine-chaff-2",
        "cherry-curtain",
        MONTH_ORDERS["nagoya"],
    ),
    "western": _pack("western", "C1 D2", "S1 H1 D1", "C3"),
}
"""The decks by the value of the option `deck`; hanafuda are in the Nagoya order."""
