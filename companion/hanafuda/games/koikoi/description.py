"""The description of Koi-Koi."""

from __future__ import annotations

from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.description import Game
from companion.hanafuda.families.fishing.camera import CAMERA
from companion.hanafuda.games.koikoi.board import BOARD
from companion.hanafuda.games.koikoi.entry import ENTRY
from companion.hanafuda.games.koikoi.match import KoiKoiMatch
from companion.hanafuda.games.koikoi.round import KoiKoiRound
from companion.hanafuda.games.koikoi.rules import KoiKoiRules
from companion.hanafuda.games.koikoi.score_request import SCORER
from companion.hanafuda.games.koikoi.share import SHARE
from companion.hanafuda.messages import Message

__all__ = ["GAME"]


GAME = Game(
    rules=KoiKoiRules,
    share=SHARE,
    round=KoiKoiRound,
    match=KoiKoiMatch,
    scorer=SCORER,
    board=BOARD,
    entry=ENTRY,
    camera=CAMERA,
    cards=lambda rules: frozenset(card.id for card in HANAFUDA),
    unit=Message("unit-points"),
    seats=(2, 2),
    usual_seats=2,
    has_months=True,
)
