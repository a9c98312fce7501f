"""The description of Kakkuri."""

from __future__ import annotations

from companion.hanafuda.description import Game
from companion.hanafuda.games.kakkuri.board import BOARD
from companion.hanafuda.games.kakkuri.camera import CAMERA
from companion.hanafuda.games.kakkuri.cards import PACKS
from companion.hanafuda.games.kakkuri.entry import ENTRY
from companion.hanafuda.games.kakkuri.match import KakkuriMatch
from companion.hanafuda.games.kakkuri.privacy import HIDDEN_CARDS
from companion.hanafuda.games.kakkuri.round import KakkuriRound
from companion.hanafuda.games.kakkuri.rules import KakkuriRules
from companion.hanafuda.games.kakkuri.share import SHARE
from companion.hanafuda.messages import Message

__all__ = ["GAME"]

GAME = Game(
    rules=KakkuriRules,
    share=SHARE,
    round=KakkuriRound,
    match=KakkuriMatch,
    board=BOARD,
    entry=ENTRY,
    camera=CAMERA,
    hidden=HIDDEN_CARDS,
    cards=lambda rules: frozenset(PACKS[rules.deck].ids),
    unit=Message("unit-shares"),
    seats=(2, 8),
    usual_seats=7,
)
