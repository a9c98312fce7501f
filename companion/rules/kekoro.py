"""Kekoro's house rules: every option of the rulings (section 2, E1 to E12), its default, what it means and where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from companion.rules.options import Text
from companion.rules.record import Rules

__all__ = ["KekoroRules"]


@dataclass(frozen=True)
class KekoroRules(Rules):
    """One table's house rules for Kekoro."""

    game: ClassVar[str] = "kekoro"
    sections: ClassVar[Mapping[str, Text]] = {}
    presets: ClassVar[Mapping[str, tuple[Text, Mapping[str, Any]]]] = {
        "kekoro": (Text("The text as FudaWiki has it.", "FudaWiki の文面どおり。"), {}),
    }
