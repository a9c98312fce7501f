"""Where a camera finds the face-up cards of Kakkuri."""

from __future__ import annotations

from ...description import Camera
from ...zones import DISCARD
from .cards import PACKS
from .round import KakkuriRound

__all__ = ["CAMERA"]


def _zones(played: KakkuriRound) -> dict[str, str]:
    return dict.fromkeys(PACKS[played.rules.deck].cards(played.state.pile), DISCARD)


CAMERA = Camera(
    layout="around-discards",
    scanned="discard",
    zones=_zones,
    referee="companion.referee.kakkuri_referee:KakkuriReferee",
)
