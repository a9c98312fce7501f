"""The description of Kakkuri."""

from __future__ import annotations

from companion.hanafuda.description import Game
from companion.hanafuda.games.kakkuri.match import KakkuriMatch
from companion.hanafuda.games.kakkuri.round import KakkuriRound
from companion.hanafuda.games.kakkuri.rules import KakkuriRules
from companion.hanafuda.games.kakkuri.share import SHARE

__all__ = ["GAME"]

GAME = Game(rules=KakkuriRules, share=SHARE, round=KakkuriRound, match=KakkuriMatch)
