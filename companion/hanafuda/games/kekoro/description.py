"""The description of Kekoro."""

from __future__ import annotations

from companion.hanafuda.description import Game
from companion.hanafuda.games.kekoro.match import KekoroMatch
from companion.hanafuda.games.kekoro.round import KekoroRound
from companion.hanafuda.games.kekoro.rules import KekoroRules
from companion.hanafuda.games.kekoro.score_request import SCORER
from companion.hanafuda.games.kekoro.share import SHARE

__all__ = ["GAME"]

GAME = Game(rules=KekoroRules, share=SHARE, round=KekoroRound, match=KekoroMatch, scorer=SCORER)
