"""Kekoro: its yaku, what a pile is worth, rounds and games."""

from companion.kekoro.game import KekoroGame
from companion.kekoro.round import KekoroRound
from companion.kekoro.scorer import Scorer
from companion.kekoro.scoring import Score, score
from companion.kekoro.words import to_dict
from companion.kekoro.yaku import YAKU, YAKU_1921, Yaku

__all__ = [
    "YAKU",
    "YAKU_1921",
    "KekoroGame",
    "KekoroRound",
    "Score",
    "Scorer",
    "Yaku",
    "score",
    "to_dict",
]
