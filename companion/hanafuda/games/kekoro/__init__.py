"""Kekoro: yaku and scoring, rounds and games."""

from .match import KekoroMatch
from .reasons import to_dict
from .round import KekoroRound
from .scorer import Scorer
from .scoring import Score, score
from .yaku import YAKU, YAKU_1921, Yaku

__all__ = [
    "YAKU",
    "YAKU_1921",
    "KekoroMatch",
    "KekoroRound",
    "Score",
    "Scorer",
    "Yaku",
    "score",
    "to_dict",
]
