"""Kekoro: yaku and scoring, rounds and games."""

from .match import KekoroMatch
from .round import KekoroRound
from .scoring import Score, Scorer, score, to_dict
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
