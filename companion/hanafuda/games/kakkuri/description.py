"""The description of Kakkuri."""

from __future__ import annotations

from ...description import Game
from ...messages import Message
from .board import BOARD
from .camera import CAMERA
from .cards import PACKS
from .entry import ENTRY
from .match import KakkuriMatch
from .privacy import HIDDEN_CARDS
from .result import RESULT
from .round import KakkuriRound
from .rules import KakkuriRules
from .share import SHARE

__all__ = ["GAME"]

GAME = Game(
    rules=KakkuriRules,
    share=SHARE,
    round=KakkuriRound,
    match=KakkuriMatch,
    board=BOARD,
    entry=ENTRY,
    result=RESULT,
    camera=CAMERA,
    hidden=HIDDEN_CARDS,
    cards=lambda rules: frozenset(PACKS[rules.deck].ids),
    unit=Message("unit-shares"),
    seats=(2, 8),
    usual_seats=7,
)
