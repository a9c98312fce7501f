"""Kekoro: its yaku, and what a pile is worth."""

from companion.kekoro.scorer import Scorer
from companion.kekoro.scoring import Score, score
from companion.kekoro.words import to_dict
from companion.kekoro.yaku import YAKU, YAKU_1921, Yaku

__all__ = ["YAKU", "YAKU_1921", "Score", "Scorer", "Yaku", "score", "to_dict"]
