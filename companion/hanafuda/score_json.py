"""The parts of the scorer's JSON results that the games share (the contract's ``score``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .cards import ids_of
from .messages import Message

__all__ = ["NamedYaku", "near_yaku_answer", "yaku_answer"]


@dataclass(frozen=True, slots=True)
class NamedYaku:
    """The names of a yaku: in results (`slug`), in Japanese, in Latin letters, in English."""

    slug: str
    ja: str
    romaji: str
    en: str


def yaku_answer(yaku: NamedYaku, points: int, cards: int, why: Message) -> dict[str, Any]:
    """Return the JSON of a completed yaku; `cards` is the set of cards that make it."""
    return {
        "name": yaku.slug,
        "ja": yaku.ja,
        "romaji": yaku.romaji,
        "en": yaku.en,
        "points": points,
        "cards": list(ids_of(cards)),
        "reason": why.to_dict(),
    }


def near_yaku_answer(yaku: NamedYaku, needs: int, count: int) -> dict[str, Any]:
    """Return the JSON of a yaku that is close: any `count` cards of the set `needs` complete it."""
    return {
        "yaku": yaku.slug,
        "ja": yaku.ja,
        "en": yaku.en,
        "needs": list(ids_of(needs)),
        "count": count,
    }
