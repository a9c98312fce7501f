"""Kakkuri's house rules: every option of the rulings (section 3, A1 to A21), its default, what it means and where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from companion.rules.options import Text
from companion.rules.record import Rules

__all__ = ["KakkuriRules"]


@dataclass(frozen=True)
class KakkuriRules(Rules):
    """One table's house rules for Kakkuri."""

    game: ClassVar[str] = "kakkuri"
    sections: ClassVar[Mapping[str, Text]] = {}
    presets: ClassVar[Mapping[str, tuple[Text, Mapping[str, Any]]]] = {
        "kakkuri": (Text("The text as FudaWiki has it.", "FudaWiki の文面どおり。"), {}),
        "kakkuri-porges": (Text("Kakkuri's own source (Po).", "出典（Po）どおり。"), {}),
    }
