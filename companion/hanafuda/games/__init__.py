"""The games: one package each, with rules, rounds, scorer and the description that the program uses."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["BUILT_IN"]

BUILT_IN: Mapping[str, tuple[str, str]] = {
    "koikoi": ("companion.hanafuda.games.koikoi.description", "GAME"),
    "kekoro": ("companion.hanafuda.games.kekoro.description", "GAME"),
    "kakkuri": ("companion.hanafuda.games.kakkuri.description", "GAME"),
    "kingo": ("companion.hanafuda.games.kingo.description", "GAME"),
    "kingo-bank": ("companion.hanafuda.games.kingo.description", "BANK_GAME"),
}
"""Module and name of each built-in description, in the order in which games are listed; the first is the default."""
