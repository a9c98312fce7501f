"""The round class of each game, until `companion.games` lists them."""

import importlib
from typing import Any

from companion.game import Round
from companion.rules import Rules

_CLASSES = {
    "koikoi": ("companion.koikoi.round", "KoiKoiRound"),
    "kekoro": ("companion.kekoro.round", "KekoroRound"),
    "kakkuri": ("companion.kakkuri.round", "KakkuriRound"),
    "kingo": ("companion.kingo.round", "KingoRound"),
    "kingo-bank": ("companion.kingo.bank_round", "KingoBankRound"),
}


def round_class(rules: Rules) -> type[Round[Any, Any, Any]]:
    """Return the round class of the game that rules are for."""
    module, name = _CLASSES[rules.game]
    found: type[Round[Any, Any, Any]] = getattr(importlib.import_module(module), name)
    return found
