"""The games: the rules record, the round and the game of each, by slug."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from companion.hanafuda.game import Game, Round
from companion.hanafuda.games.kakkuri import KakkuriGame, KakkuriRound
from companion.hanafuda.games.kekoro import KekoroGame, KekoroRound
from companion.hanafuda.games.kingo import KingoBankGame, KingoBankRound, KingoGame, KingoRound
from companion.hanafuda.games.koikoi import KoiKoiGame, KoiKoiRound
from companion.hanafuda.rules import Rules

__all__ = ["GAMES", "Playable", "pack_of"]


@dataclass(frozen=True, slots=True)
class Playable:
    """How one game is played: a round at a time, and rounds until it is over."""

    round: type[Round[Any, Any, Any]]
    game: type[Game[Any]]


GAMES: Mapping[str, Playable] = {
    "koikoi": Playable(KoiKoiRound, KoiKoiGame),
    "kekoro": Playable(KekoroRound, KekoroGame),
    "kakkuri": Playable(KakkuriRound, KakkuriGame),
    "kingo": Playable(KingoRound, KingoGame),
    "kingo-bank": Playable(KingoBankRound, KingoBankGame),
}
"""Every game the program knows the rules of; `companion.hanafuda.rules.RECORDS` has their rules records."""


def pack_of(rules: Rules) -> str | None:
    """Return the pack that rules are for (`companion.hanafuda.cards.DECKS`), None where they leave no choice but hanafuda."""
    pack: str | None = getattr(rules, "deck", None)
    return pack
