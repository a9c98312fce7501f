"""The description of Koi-Koi."""

from __future__ import annotations

from ...cards import HANAFUDA
from ...description import Game
from ...families.fishing.camera import CAMERA
from ...messages import Message
from .board import BOARD, yaku_cards
from .entry import ENTRY
from .match import KoiKoiMatch
from .playout import playouts
from .policy import POLICY_TEXT, policy
from .result import RESULT
from .round import KoiKoiRound
from .rules import KoiKoiRules
from .score_request import SCORER
from .share import SHARE

__all__ = ["GAME"]


GAME = Game(
    rules=KoiKoiRules,
    share=SHARE,
    round=KoiKoiRound,
    match=KoiKoiMatch,
    scorer=SCORER,
    board=BOARD,
    entry=ENTRY,
    result=RESULT,
    yaku_cards=yaku_cards,
    policy=policy,
    policy_text=POLICY_TEXT,
    playouts=playouts,
    camera=CAMERA,
    cards=lambda rules: frozenset(card.id for card in HANAFUDA),
    unit=Message("unit-points"),
    seats=(2, 2),
    usual_seats=2,
    has_months=True,
)
