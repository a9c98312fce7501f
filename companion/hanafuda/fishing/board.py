"""The board of a round of a fishing game for displays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from ..cards import from_bits
from ..score_json import NamedYaku
from .captures import ids_of
from .round import FishingRound

__all__ = ["fishing_view", "near_yaku", "pile_view"]


def fishing_view(
    played: FishingRound[Any, Any], pile_of: Callable[[int], Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the board as `Game.board` describes it; `pile_of` returns what `pile_view` does for a player."""
    table = played.state
    return {
        "phase": table.phase,
        "field": list(played.field),
        "stock": len(played.deal.stock) - table.drawn,
        "discard": [],
        "seats": [
            {
                "seat": player,
                "hand": table.hand_sizes[player - 1],
                "captured": _by_card_type(table.piles[player - 1]),
                **pile_of(player),
            }
            for player in (1, 2)
        ],
    }


def pile_view(answer: Mapping[str, Any], near: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the seat's part of the board from a scorer's answer and the yaku that are near."""
    yaku = [
        {
            **{key: each[key] for key in ("name", "ja", "romaji", "en", "points", "cards")},
            "why": each["reason"],
        }
        for each in answer["yaku"]
    ]
    return {
        "yaku": yaku,
        "base": answer["base"],
        "total": answer["total"],
        "why": answer["reason"],
        "near": near,
    }


def near_yaku(yaku: NamedYaku, points: int, needs: int, count: int, have: int) -> dict[str, Any]:
    """Return a yaku that `count` cards of the set `needs` would complete; `have` is the set already captured."""
    return {
        "yaku": yaku.slug,
        "ja": yaku.ja,
        "romaji": yaku.romaji,
        "en": yaku.en,
        "points": points,
        "needs": list(ids_of(needs)),
        "count": count,
        "have": list(ids_of(have)),
    }


@lru_cache(maxsize=512)
def _by_card_type(pile: int) -> Mapping[str, list[str]]:
    """Return captured cards by card type, each type in deck order."""
    by_type: dict[str, list[str]] = {"bright": [], "animal": [], "ribbon": [], "chaff": []}
    for card in from_bits(pile):
        assert card.kind is not None  # every hanafuda card has one
        by_type[card.kind].append(card.id)
    return by_type
