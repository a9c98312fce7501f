"""Koi-Koi: yaku and scoring, rounds, games."""

from .match import KoiKoiMatch
from .reasons import to_dict
from .round import KoiKoiRound
from .scorer import Scorer, scorer_for
from .scoring import Score, Situation, score
from .yaku import YAKU, Yaku

__all__ = [
    "YAKU",
    "KoiKoiMatch",
    "KoiKoiRound",
    "Score",
    "Scorer",
    "Situation",
    "Yaku",
    "score",
    "scorer_for",
    "to_dict",
]
