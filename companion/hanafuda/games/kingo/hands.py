"""The value of a Kingo hand: its ranks from strongest to weakest, one declaration each.

A rank depends on months only: how many cards, which months, their total. Which ranks a table plays, and which role
may have them, depends on the rules (`ranks_of`).

>>> from companion.hanafuda.rules import resolve
>>> ranks_of(resolve("kingo"), "bettor").judge((4, 5, 6)).rank.slug
'shigoro'
>>> ranks_of(resolve("kingo-bank"), "bettor").judge((1, 4)).rank.slug, ranks_of(resolve("kingo-bank"), "dealer").judge((1, 4)).rank.slug
('below', 'shippin')
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Literal, TypeAlias

from ...cards import HANAFUDA, KABUFUDA, UnknownCardError, card
from ...errors import BadRequestError
from ...messages import Message
from ...score_json import NamedYaku
from .rules import KingoBankRules, KingoRules

__all__ = [
    "BARETA",
    "BELOW",
    "FIFTEEN",
    "GOPPIN",
    "ITTAN",
    "POT_RANKS",
    "RANKS",
    "TEYAKU",
    "AnyKingoRules",
    "Hand",
    "NotPlayedError",
    "Rank",
    "Ranks",
    "Role",
    "deck_of",
    "month_of",
    "ranks_of",
]

AnyKingoRules: TypeAlias = KingoRules | KingoBankRules
Role = Literal["dealer", "bettor"]
"""A player's role in the banking form; in the other form every player counts as a bettor."""

LIMIT = 15
"""The target value of a hand; anything above is bareta."""

_BOTH = ("dealer", "bettor")
_ANY_TOTAL = range(1, 1000)


@dataclass(frozen=True, slots=True)
class Rank(NamedYaku):
    """One rank of hands: its names, the cards it needs, the roles that may have it, and its multiplier.

    `count` 0 means any number of cards, empty `months` mean any months.
    """

    takes: Message
    source: str
    holders: tuple[str, ...] = _BOTH
    times: int = 1
    """The multiplier, applied to a bettor's winnings or to the pot."""
    count: int = 0
    months: tuple[int, ...] = ()
    alike: bool = False
    """Whether all cards are of one month."""
    highest: int = 10
    totals: Container[int] = _ANY_TOTAL
    teyaku: bool = True

    @property
    def option(self) -> str:
        """The option of the banking rules that switches the rank on or off."""
        return self.slug.replace("-", "_")

    def made_by(self, months: tuple[int, ...]) -> bool:
        """Return whether cards of these months, in rising order, make the rank."""
        return (
            len(months) == (self.count or len(months))
            and months == (self.months or months)
            and (not self.alike or months[0] == months[-1])
            and months[-1] <= self.highest
            and sum(months) in self.totals
        )


GOPPIN = Rank(
    "goppin", "五一", "goppin", "Goppin", Message("kingo-takes-goppin"),
    "FudaWiki, Kingo, Banking", holders=("dealer",), count=2, months=(1, 5),
)  # fmt: skip
FIFTEEN = Rank(
    "fifteen", "十五", "juugo", "Fifteen", Message("kingo-takes-fifteen"),
    "FudaWiki, Kingo, Banking", totals=(LIMIT,), teyaku=False,
)  # fmt: skip
BELOW = Rank(
    "below", "十四以下", "juushi ika", "Below fifteen",
    Message("kingo-takes-below"),
    "FudaWiki, Kingo, Banking", totals=range(LIMIT), teyaku=False,
)  # fmt: skip
BARETA = Rank(
    "bareta", "バレタ", "bareta", "Bareta", Message("kingo-takes-bareta"),
    "FudaWiki, Kingo, Bareta", totals=range(LIMIT + 1, 1000), teyaku=False,
)  # fmt: skip
ITTAN = Rank(
    "ittan-juuroku", "いったん十六", "ittan juuroku", "Ittan-juuroku",
    Message("kingo-takes-ittan-juuroku"),
    "FudaWiki, Kingo, Banking", times=3, count=2, totals=(16,),
)  # fmt: skip
_KINGO = Rank(
    "kingo", "きんご", "kingo", "Kingo", Message("kingo-takes-kingo"),
    "FudaWiki, Kingo, Teyaku, Banking", times=3, count=3, months=(5, 5, 5),
)  # fmt: skip
_SHIGORO = Rank(
    "shigoro", "シゴロ", "shigoro", "Shigoro", Message("kingo-takes-shigoro"),
    "FudaWiki, Kingo, Teyaku, Banking", times=2, count=3, months=(4, 5, 6),
)  # fmt: skip

RANKS: tuple[Rank, ...] = (
    _KINGO,
    Rank(
        "arashi", "あらし", "arashi", "Arashi", Message("kingo-takes-arashi"),
        "FudaWiki, Kingo, Banking", holders=("bettor",), times=2, count=3, alike=True,
    ),
    Rank(
        "goshita-gomai", "五下五枚", "goshita gomai", "Goshita Gomai",
        Message("kingo-takes-goshita-gomai"),
        "FudaWiki, Kingo, Banking", holders=("bettor",), count=5, highest=5,
    ),
    ITTAN,
    Rank(
        "shippin", "四一", "shippin", "Shippin", Message("kingo-takes-shippin"),
        "FudaWiki, Kingo, Banking", holders=("dealer",), count=2, months=(1, 4),
    ),
    Rank(
        "kuppin", "九一", "kuppin", "Kuppin", Message("kingo-takes-kuppin"),
        "FudaWiki, Kingo, Banking", holders=("dealer",), count=2, months=(1, 9),
    ),
    _SHIGORO,
    FIFTEEN,
    GOPPIN,
    BELOW,
    BARETA,
)  # fmt: skip
"""The ten ranks of the banking form from strongest to weakest, then bareta."""
POT_RANKS: tuple[Rank, ...] = (_KINGO, _SHIGORO, FIFTEEN, BELOW, BARETA)
"""The ranks of the form played for the pot."""
TEYAKU: Mapping[str, Rank] = {rank.slug: rank for rank in RANKS if rank.teyaku}
"""Every teyaku by slug, strongest first."""

_RANK_INDEX = {rank.slug: place for place, rank in enumerate(RANKS)}


@dataclass(frozen=True, slots=True)
class Hand:
    """The value of cards of some months and the strongest rank they make."""

    months: tuple[int, ...]
    """In rising order."""
    rank: Rank

    @property
    def value(self) -> int:
        """The sum of the months; a teyaku does not change it."""
        return sum(self.months)

    @property
    def bareta(self) -> bool:
        """Whether the hand is worth 16 or more and is not a teyaku."""
        return self.rank is BARETA

    @property
    def strength(self) -> tuple[int, int]:
        """The key that orders hands: the greater wins. The value counts only below 15."""
        return -_RANK_INDEX[self.rank.slug], self.value if self.rank is BELOW else 0


@dataclass(frozen=True, slots=True, eq=False)  # `ranks_of` returns the same one for the same rules
class Ranks:
    """The ranks that a table plays for players of one role, strongest first."""

    ranks: tuple[Rank, ...]
    _hands: dict[tuple[int, ...], Hand] = field(default_factory=dict, repr=False)

    def judge(self, months: Iterable[int]) -> Hand:
        """Return the hand made of cards of these months: the strongest rank counts."""
        rising = tuple(sorted(months))
        if (known := self._hands.get(rising)) is None:
            rank = next(rank for rank in self.ranks if rank.made_by(rising))
            known = self._hands[rising] = Hand(rising, rank)
        return known


@lru_cache(maxsize=256)
def ranks_of(rules: AnyKingoRules, role: Role) -> Ranks:
    """Return the ranks in force at a table for a role; each teyaku of the banking form is an option."""
    if isinstance(rules, KingoRules):
        return Ranks(POT_RANKS)
    return Ranks(
        tuple(
            rank
            for rank in RANKS
            if role in rank.holders and (not rank.teyaku or getattr(rules, rank.option))
        )
    )


class NotPlayedError(BadRequestError):
    """Raised for an existing card that is not in the table's deck."""

    code = "card-not-played"

    def __init__(self, card_id: str, deck: str) -> None:
        plays = (
            "hanafuda without willow and paulownia"
            if deck == "hanafuda"
            else "kabufuda, kabu-1-a to kabu-10-d"
        )
        super().__init__(f"{card_id} is not played with: this table's deck is {plays}")


@cache
def deck_of(deck: Literal["hanafuda", "kabufuda"]) -> Mapping[str, int]:
    """Return the forty cards of a table's deck in deck order, as a mapping from id to value."""
    cards = HANAFUDA if deck == "hanafuda" else KABUFUDA
    return {each.id: each.month for each in cards if each.month <= 10}


def month_of(card_id: str, deck: Literal["hanafuda", "kabufuda"]) -> int:
    """Return the value of a card.

    Raises `UnknownCardError` for an unknown id and `NotPlayedError` for a card of another deck.
    """
    known = deck_of(deck)
    if isinstance(card_id, str) and card_id in known:
        return known[card_id]
    try:
        other = card(card_id)
    except UnknownCardError:
        raise UnknownCardError(card_id, known) from None
    raise NotPlayedError(other.id, deck)
