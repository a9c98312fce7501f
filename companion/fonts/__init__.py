"""The font that the program prints with."""

from __future__ import annotations

from pathlib import Path
from typing import Final

__all__ = ["MINCHO"]

MINCHO: Final = Path(__file__).parent / "ZenOldMincho-SemiBold-subset.ttf"
"""Latin, kana, and the kanji of cards, yaku and names."""
