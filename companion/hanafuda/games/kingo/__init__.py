"""Kingo in both forms: hand values, rounds for the pot or against the bank, and the game."""

from .bank import KingoBankRound
from .hands import (
    POT_RANKS,
    RANKS,
    TEYAKU,
    Hand,
    NotPlayedError,
    Rank,
    Role,
    ranks_of,
)
from .match import KingoBankMatch, KingoMatch
from .moves import Bareta, Choose, Draw, KingoMove, Pass, Redeal, Show, Wager
from .payment import Settlement
from .round import KingoRound
from .scoring import HandScore, score_hand

__all__ = [
    "POT_RANKS",
    "RANKS",
    "TEYAKU",
    "Bareta",
    "Choose",
    "Draw",
    "Hand",
    "HandScore",
    "KingoBankMatch",
    "KingoBankRound",
    "KingoMatch",
    "KingoMove",
    "KingoRound",
    "NotPlayedError",
    "Pass",
    "Rank",
    "Redeal",
    "Role",
    "Settlement",
    "Show",
    "Wager",
    "ranks_of",
    "score_hand",
]
