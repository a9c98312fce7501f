"""Where a camera finds the face-up cards of a fishing round."""

from __future__ import annotations

from typing import Any

from ..description import Camera
from ..zones import FIELD, captured_zone
from .round import FishingRound

__all__ = ["CAMERA"]


def _zones(played: FishingRound[Any, Any]) -> dict[str, str]:
    piles = {card: captured_zone(seat) for seat in (1, 2) for card in played.captured(seat)}
    return {**dict.fromkeys(played.field, FIELD), **piles}


CAMERA = Camera(
    layout="beside-field",
    scanned="field",
    zones=_zones,
    referee="companion.referee.fishing_referee:FishingReferee",
)
