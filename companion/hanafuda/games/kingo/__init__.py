"""Kingo in both forms: hand values, rounds for the pot or against the bank, and the game."""

from companion.hanafuda.games.kingo.bank import KingoBankRound
from companion.hanafuda.games.kingo.hands import (
    POT_RANKS,
    RANKS,
    TEYAKU,
    Hand,
    NotPlayedError,
    Rank,
    Role,
    ranks_of,
)
from companion.hanafuda.games.kingo.match import KingoBankMatch, KingoMatch
from companion.hanafuda.games.kingo.moves import Bareta, Choose, Draw, KingoMove, Pass, Redeal, Show, Wager
from companion.hanafuda.games.kingo.payment import Settlement
from companion.hanafuda.games.kingo.round import KingoRound
from companion.hanafuda.games.kingo.scoring import HandScore, score_hand

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
