"""Kingo in both forms: what a hand is worth, a round for the pot or against the bank, and the game."""

from companion.kingo.bank import KingoBankRound
from companion.kingo.game import KingoBankGame, KingoGame
from companion.kingo.hands import POT_RANKS, RANKS, TEYAKU, Hand, NotPlayedError, Rank, Role, ranks_of
from companion.kingo.moves import Bareta, Choose, Draw, KingoMove, Pass, Redeal, Show, Wager
from companion.kingo.round import KingoRound
from companion.kingo.scoring import HandScore, score_hand
from companion.kingo.settle import Settlement

__all__ = [
    "POT_RANKS",
    "RANKS",
    "TEYAKU",
    "Bareta",
    "Choose",
    "Draw",
    "Hand",
    "HandScore",
    "KingoBankGame",
    "KingoBankRound",
    "KingoGame",
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
