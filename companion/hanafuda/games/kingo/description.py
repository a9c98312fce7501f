"""The descriptions of Kingo for the pot and of Kingo against a banker."""

from __future__ import annotations

from ...description import Game
from ...messages import Message
from .bank import KingoBankRound
from .bank_rules import KingoBankRules
from .board import BANK_BOARD, BOARD
from .camera import CAMERA
from .entry import ENTRY
from .hands import AnyKingoRules, deck_of
from .match import KingoBankMatch, KingoMatch
from .privacy import HIDDEN_CARDS
from .result import BANK_RESULT, RESULT
from .round import KingoRound
from .rules import KingoRules
from .score_request import BANK_SCORER, SCORER
from .share import BANK_SHARE, SHARE

__all__ = ["BANK_GAME", "GAME"]

_STONES = Message("unit-stones")


def _cards(rules: AnyKingoRules) -> frozenset[str]:
    return frozenset(deck_of(rules.deck))


GAME = Game(
    rules=KingoRules,
    share=SHARE,
    round=KingoRound,
    match=KingoMatch,
    scorer=SCORER,
    board=BOARD,
    entry=ENTRY,
    result=RESULT,
    camera=CAMERA,
    hidden=HIDDEN_CARDS,
    cards=_cards,
    unit=_STONES,
    seats=(2, 8),
    usual_seats=3,
)

BANK_GAME = Game(
    rules=KingoBankRules,
    share=BANK_SHARE,
    round=KingoBankRound,
    match=KingoBankMatch,
    scorer=BANK_SCORER,
    board=BANK_BOARD,
    entry=ENTRY,
    result=BANK_RESULT,
    camera=CAMERA,
    hidden=HIDDEN_CARDS,
    cards=_cards,
    unit=_STONES,
    seats=(2, 8),
    usual_seats=4,
    form_of=KingoRules.game,
)
