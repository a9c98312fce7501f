"""Koi-Koi: its yaku, and what a pile is worth."""

from companion.koikoi.scoring import Score, Situation, score
from companion.koikoi.words import to_dict
from companion.koikoi.yaku import YAKU, Yaku

__all__ = ["YAKU", "Score", "Situation", "Yaku", "score", "to_dict"]
