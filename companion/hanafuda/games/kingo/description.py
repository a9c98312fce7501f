"""The descriptions of Kingo for the pot and of Kingo against a banker."""

from __future__ import annotations

from companion.hanafuda.description import Game
from companion.hanafuda.games.kingo.bank import KingoBankRound
from companion.hanafuda.games.kingo.bank_rules import KingoBankRules
from companion.hanafuda.games.kingo.board import BANK_BOARD, BOARD
from companion.hanafuda.games.kingo.camera import CAMERA
from companion.hanafuda.games.kingo.entry import ENTRY
from companion.hanafuda.games.kingo.hands import AnyKingoRules, deck_of
from companion.hanafuda.games.kingo.match import KingoBankMatch, KingoMatch
from companion.hanafuda.games.kingo.privacy import HIDDEN_CARDS
from companion.hanafuda.games.kingo.round import KingoRound
from companion.hanafuda.games.kingo.rules import KingoRules
from companion.hanafuda.games.kingo.score_request import BANK_SCORER, SCORER
from companion.hanafuda.games.kingo.share import BANK_SHARE, SHARE
from companion.hanafuda.messages import Message

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
    camera=CAMERA,
    hidden=HIDDEN_CARDS,
    cards=_cards,
    unit=_STONES,
    seats=(2, 8),
    usual_seats=4,
    form_of=KingoRules.game,
)
