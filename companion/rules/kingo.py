"""Kingo's house rules: every option of the rulings (section 4, N1 to N13), its default, what it means and where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from companion.rules.options import Text
from companion.rules.record import Rules

__all__ = ["KingoRules"]


@dataclass(frozen=True)
class KingoRules(Rules):
    """One table's house rules for Kingo."""

    game: ClassVar[str] = "kingo"
    sections: ClassVar[Mapping[str, Text]] = {}
    presets: ClassVar[Mapping[str, tuple[Text, Mapping[str, Any]]]] = {
        "kingo": (Text("The text as FudaWiki has it.", "FudaWiki の文面どおり。"), {}),
    }
