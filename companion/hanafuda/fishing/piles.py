"""Captured piles that are reported without the moves: what is impossible about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..cards import HANAFUDA, to_bits
from ..description import RoundReport
from ..errors import BadRequestError
from ..messages import Message, Param, player_message
from .record import FIELD
from .round import FishingRound

__all__ = ["reported_piles"]

_MONTHS = tuple(HANAFUDA[start : start + 4] for start in range(0, len(HANAFUDA), 4))


def reported_piles(played: FishingRound[Any, Any], report: RoundReport) -> list[int] | None:
    """Return the reported piles as 48-bit sets; None if none was reported.

    Raises `BadRequestError` for a number of cards that cannot have been captured.
    """
    reported = [seat.captured for seat in report.seats]
    if all(pile is None for pile in reported):
        return None
    piles = [to_bits(pile or ()) for pile in reported]
    _check_total(played, piles)
    if not played.captures.hand_takes_both and not played.captures.wild:
        for player, pile in enumerate(piles, start=1):
            _check_pairs(player, pile)
    return piles


def _check_total(played: FishingRound[Any, Any], piles: Sequence[int]) -> None:
    """A turn turns up two cards, so only the field and two cards per hand card can be captured."""
    possible = min(len(HANAFUDA), FIELD + 2 * sum(map(len, played.deal.hands)))
    total = sum(pile.bit_count() for pile in piles)
    if total > possible:
        raise BadRequestError(Message("fishing-too-many-captured", {"count": total, "max": possible}))


def _check_pairs(player: int, pile: int) -> None:
    """A card captures one card of its flower, or three, so a pile has none, two or four of each."""
    for month in _MONTHS:
        count = sum(bool(pile & card.bit) for card in month)
        if count % 2:
            params: dict[str, Param] = {
                "player": player_message(player),
                "flower": Message(f"flower-{month[0].flower}"),
                "count": count,
            }
            raise BadRequestError(Message("fishing-odd-captured", params))
