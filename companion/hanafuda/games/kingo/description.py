"""The descriptions of Kingo for the pot and of Kingo against a banker."""

from __future__ import annotations

from companion.hanafuda.description import Game
from companion.hanafuda.games.kingo.bank import KingoBankRound
from companion.hanafuda.games.kingo.bank_rules import KingoBankRules
from companion.hanafuda.games.kingo.match import KingoBankMatch, KingoMatch
from companion.hanafuda.games.kingo.round import KingoRound
from companion.hanafuda.games.kingo.rules import KingoRules
from companion.hanafuda.games.kingo.score_request import BANK_SCORER, SCORER
from companion.hanafuda.games.kingo.share import BANK_SHARE, SHARE

__all__ = ["BANK_GAME", "GAME"]

GAME = Game(rules=KingoRules, share=SHARE, round=KingoRound, match=KingoMatch, scorer=SCORER)

BANK_GAME = Game(
    rules=KingoBankRules,
    share=BANK_SHARE,
    round=KingoBankRound,
    match=KingoBankMatch,
    scorer=BANK_SCORER,
    form_of=KingoRules.game,
)
