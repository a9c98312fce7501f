"""Kingo's banking form's house rules: every option of the rulings (section 5, B1 to B15), its default, what it means and where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from companion.rules.options import Text
from companion.rules.record import Rules

__all__ = ["KingoBankRules"]


@dataclass(frozen=True)
class KingoBankRules(Rules):
    """One table's house rules for Kingo's banking form."""

    game: ClassVar[str] = "kingo-bank"
    sections: ClassVar[Mapping[str, Text]] = {}
    presets: ClassVar[Mapping[str, tuple[Text, Mapping[str, Any]]]] = {
        "kingo-bank": (Text("The text as FudaWiki has it.", "FudaWiki の文面どおり。"), {}),
    }
