"""Koi-Koi: its yaku and what a pile is worth, a round, a game."""

from companion.koikoi.game import KoiKoiGame
from companion.koikoi.playout import Playout, play_out
from companion.koikoi.round import KoiKoiRound
from companion.koikoi.scorer import Scorer, scorer_for
from companion.koikoi.scoring import Score, Situation, score
from companion.koikoi.words import to_dict
from companion.koikoi.yaku import YAKU, Yaku

__all__ = [
    "YAKU",
    "KoiKoiGame",
    "KoiKoiRound",
    "Playout",
    "Score",
    "Scorer",
    "Situation",
    "Yaku",
    "play_out",
    "score",
    "scorer_for",
    "to_dict",
]
