"""Koi-Koi: yaku and scoring, rounds, games."""

from companion.hanafuda.games.koikoi.match import KoiKoiMatch
from companion.hanafuda.games.koikoi.reasons import to_dict
from companion.hanafuda.games.koikoi.round import KoiKoiRound
from companion.hanafuda.games.koikoi.scorer import Scorer, scorer_for
from companion.hanafuda.games.koikoi.scoring import Score, Situation, score
from companion.hanafuda.games.koikoi.yaku import YAKU, Yaku

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
