"""Kekoro: yaku and scoring, rounds and games."""

from companion.hanafuda.games.kekoro.match import KekoroMatch
from companion.hanafuda.games.kekoro.reasons import to_dict
from companion.hanafuda.games.kekoro.round import KekoroRound
from companion.hanafuda.games.kekoro.scorer import Scorer
from companion.hanafuda.games.kekoro.scoring import Score, score
from companion.hanafuda.games.kekoro.yaku import YAKU, YAKU_1921, Yaku

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
