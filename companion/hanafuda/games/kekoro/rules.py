"""Kekoro's house rules: every option with its default, meaning and source.

The text is FudaWiki's page on Kekoro. `kusaba` is Kusaba's older table of card values, 1921 the report *Teikei Aru
Hanzai No Chousa* by Shiono. The defaults are the preset `kekoro`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from ...messages import Message
from ...rules.options import choice, section_texts, whole
from ...rules.record import Rules

__all__ = ["KekoroRules"]


@dataclass(frozen=True)
class KekoroRules(Rules):
    """One table's house rules for Kekoro."""

    game: ClassVar[str] = "kekoro"
    title: ClassVar[Message] = Message("game-kekoro")
    sections: ClassVar[Mapping[str, Message]] = section_texts("points", "victory", "game")
    presets: ClassVar[Mapping[str, tuple[Message, Mapping[str, Any]]]] = {
        "kekoro": (Message("preset-kekoro-text"), {}),
    }

    values: Literal["printed", "kusaba"] = choice(
        "printed", "points", "FudaWiki, Kekoro, Card Values; Kusaba"
    )
    yaku_points: int = whole(30, "points", "FudaWiki, Kekoro, Yaku", {}, "points", low=1)
    yaku_source: Literal["fudawiki", "1921"] = choice("fudawiki", "points", "FudaWiki, Kekoro, Yaku")
    lead_to_win: int = whole(
        3, "victory", "FudaWiki, Kekoro, End of Round", {0: "not-played"}, "yaku", high=26
    )
    declare: Literal["automatic", "optional"] = choice(
        "automatic", "victory", "FudaWiki, Kekoro, End of Round"
    )
    judge: Literal["turn", "any_time"] = choice("turn", "victory", "FudaWiki, Kekoro, End of Round")
    field_four: Literal["redeal", "play_on"] = choice("redeal", "game", "Hanafuda Companion")
    dealer_after_tie: Literal["stays", "passes"] = choice(
        "stays", "game", "FudaWiki, Kekoro, Choosing the Dealer"
    )
    lead_points: int = whole(90, "game", "FudaWiki, Kekoro, End of Game", {}, "points", low=1)

    def __post_init__(self) -> None:
        """Accept the year 1921 as a number too."""
        if str(self.yaku_source) == "1921":
            object.__setattr__(self, "yaku_source", "1921")
        super().__post_init__()
