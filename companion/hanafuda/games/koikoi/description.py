"""The description of Koi-Koi."""

from __future__ import annotations

from companion.hanafuda.description import Game
from companion.hanafuda.games.koikoi.match import KoiKoiMatch
from companion.hanafuda.games.koikoi.round import KoiKoiRound
from companion.hanafuda.games.koikoi.rules import KoiKoiRules
from companion.hanafuda.games.koikoi.score_request import SCORER
from companion.hanafuda.games.koikoi.share import SHARE

__all__ = ["GAME"]

GAME = Game(
    rules=KoiKoiRules, share=SHARE, round=KoiKoiRound, match=KoiKoiMatch, scorer=SCORER, has_months=True
)
