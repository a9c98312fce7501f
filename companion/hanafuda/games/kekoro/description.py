"""The description of Kekoro."""

from __future__ import annotations

from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.description import Game
from companion.hanafuda.families.fishing.camera import CAMERA
from companion.hanafuda.games.kekoro.board import BOARD
from companion.hanafuda.games.kekoro.entry import ENTRY
from companion.hanafuda.games.kekoro.match import KekoroMatch
from companion.hanafuda.games.kekoro.round import KekoroRound
from companion.hanafuda.games.kekoro.rules import KekoroRules
from companion.hanafuda.games.kekoro.score_request import SCORER
from companion.hanafuda.games.kekoro.share import SHARE
from companion.hanafuda.messages import Message

__all__ = ["GAME"]

GAME = Game(
    rules=KekoroRules,
    share=SHARE,
    round=KekoroRound,
    match=KekoroMatch,
    scorer=SCORER,
    board=BOARD,
    entry=ENTRY,
    camera=CAMERA,
    cards=lambda rules: frozenset(card.id for card in HANAFUDA),
    unit=Message("unit-points"),
    seats=(2, 2),
    usual_seats=2,
)
