"""Kakkuri: the last Yomi game, shedding cards by the next number.

The sources are named in `companion.hanafuda.games.kakkuri.rules`.
"""

from .match import KakkuriMatch
from .moves import (
    Discard,
    DropOut,
    KakkuriMove,
    LuckyHand,
    OpenBox,
    Pass,
    Swap,
    ThreePairs,
)
from .round import KakkuriRound, PlayerState

__all__ = [
    "Discard",
    "DropOut",
    "KakkuriMatch",
    "KakkuriMove",
    "KakkuriRound",
    "LuckyHand",
    "OpenBox",
    "Pass",
    "PlayerState",
    "Swap",
    "ThreePairs",
]
