"""Where a camera finds the face-up cards of Kakkuri."""

from __future__ import annotations

from companion.hanafuda.description import Camera
from companion.hanafuda.games.kakkuri.cards import PACKS
from companion.hanafuda.games.kakkuri.round import KakkuriRound
from companion.hanafuda.zones import DISCARD

__all__ = ["CAMERA"]


def _zones(played: KakkuriRound) -> dict[str, str]:
    return dict.fromkeys(PACKS[played.rules.deck].cards(played.state.pile), DISCARD)


CAMERA = Camera(
    layout="around-discards",
    scanned="discard",
    zones=_zones,
    referee="companion.referee.kakkuri_referee:KakkuriReferee",
)
