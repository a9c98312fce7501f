"""The value of a hand of Kingo given its cards: value, teyaku, and the teyaku that one more card would make.

>>> from companion.hanafuda.rules import resolve
>>> score_hand(["wisteria-cuckoo", "iris-bridge"], resolve("kingo")).to_dict()["missing"][0]["yaku"]
'shigoro'
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ...cards import CardTwiceError
from ...errors import BadRequestError
from ...messages import Message, yaku_message
from .hands import AnyKingoRules, Hand, Rank, Role, deck_of, month_of, ranks_of
from .rules import KingoRules

__all__ = ["HandScore", "NearYaku", "score_hand"]


@dataclass(frozen=True, slots=True)
class NearYaku:
    """A teyaku that one more card would make, and the cards that would make it."""

    rank: Rank
    needs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HandScore:
    """The score of a hand under a table's rules, in a role."""

    cards: tuple[str, ...]
    """In deck order."""
    hand: Hand
    rules: AnyKingoRules
    role: Role
    missing: tuple[NearYaku, ...]

    def why(self) -> Message:
        """Return the explanation of the value and its consequences."""
        months, rank = self.hand.months, self.hand.rank
        total = " + ".join(map(str, months)) + ("" if len(months) == 1 else f" = {self.hand.value}")
        if not self.hand.bareta and not rank.teyaku:
            return Message("kingo-why-value", {"sum": total})
        yaku = yaku_message(rank.slug)
        if rank.times == 1:
            return Message("kingo-why-rank", {"sum": total, "yaku": yaku})
        code = "kingo-why-rank-pot" if isinstance(self.rules, KingoRules) else "kingo-why-rank-bettor"
        return Message(code, {"sum": total, "yaku": yaku, "times": rank.times})

    def to_dict(self) -> dict[str, Any]:
        """Return the score in the shape of the contract's JSON; `base` and `total` are the value.

        `times` is the multiplier of the teyaku, applied to the pot or to a bettor's winnings. `strength` orders hands:
        the greater one wins.
        """
        rank = self.hand.rank
        yaku = {**_names(rank), "points": self.hand.value, "times": rank.times, "cards": list(self.cards)}
        return {
            "yaku": [{**yaku, "reason": rank.takes.to_dict()}] if rank.teyaku else [],
            "base": self.hand.value,
            "total": self.hand.value,
            "rank": _names(rank),
            "bareta": self.hand.bareta,
            "times": rank.times,
            "strength": list(self.hand.strength),
            "role": self.role,
            "reason": self.why().to_dict(),
            "missing": [
                {
                    "yaku": near.rank.slug,
                    "ja": near.rank.ja,
                    "en": near.rank.en,
                    "needs": list(near.needs),
                    "count": 1,
                }
                for near in self.missing
            ],
            "rules": {"name": self.rules.name, "hash": self.rules.hash},
        }


def _names(rank: Rank) -> dict[str, str]:
    return {"name": rank.slug, "ja": rank.ja, "romaji": rank.romaji, "en": rank.en}


def score_hand(cards: Iterable[str], rules: AnyKingoRules, role: Role = "bettor") -> HandScore:
    """Return the score of a hand; `role` matters in the banking form only.

    Raises `BadRequestError` for ids that are not cards, cards outside the table's deck, duplicate cards, and an empty
    hand.
    """
    ids = tuple(cards)
    for index, each in enumerate(ids):
        month_of(each, rules.deck)
        if each in ids[:index]:
            raise CardTwiceError(each)
    if not ids:
        raise BadRequestError("a hand of Kingo needs at least one card")
    deck = deck_of(rules.deck)
    order = list(deck)
    ranks = ranks_of(rules, role)
    hand = ranks.judge(deck[each] for each in ids)
    return HandScore(
        cards=tuple(sorted(ids, key=order.index)),
        hand=hand,
        rules=rules,
        role=role,
        missing=tuple(_missing(ids, hand, rules, role)),
    )


def _missing(ids: tuple[str, ...], hand: Hand, rules: AnyKingoRules, role: Role) -> Iterator[NearYaku]:
    """Yield the teyaku that one more card may make, strongest first; none from 15 on, where nobody draws."""
    if hand.value >= 15:
        return
    ranks = ranks_of(rules, role)
    needs: dict[str, list[str]] = {}
    for each, month in deck_of(rules.deck).items():
        if each not in ids:
            needs.setdefault(ranks.judge((*hand.months, month)).rank.slug, []).append(each)
    for rank in ranks.ranks:
        if rank.teyaku and rank.slug in needs:
            yield NearYaku(rank, tuple(needs[rank.slug]))
