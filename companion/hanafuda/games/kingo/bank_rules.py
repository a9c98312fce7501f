"""The house rules of Kingo's banking form: every option with its default, meaning and source.

The text is FudaWiki's page on Kingo, banking variant. The defaults are the preset `kingo-bank`. Options that both forms have are in
`companion.hanafuda.games.kingo.rules.KingoTable`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from ...messages import Message
from ...rules.options import choice, flag, section_texts, whole
from .rules import KingoTable

__all__ = ["KingoBankRules"]


def _played() -> Any:
    return flag(True, "teyaku", "FudaWiki, Kingo, Teyaku")


@dataclass(frozen=True)
class KingoBankRules(KingoTable):
    """One table's house rules for Kingo's banking form."""

    game: ClassVar[str] = "kingo-bank"
    title: ClassVar[Message] = Message("game-kingo-bank")
    sections: ClassVar[Mapping[str, Message]] = section_texts(
        "rule-kingo", "cards", "drawing", "teyaku", "paying", "stones", "game"
    )
    presets: ClassVar[Mapping[str, tuple[Message, Mapping[str, Any]]]] = {
        "kingo-bank": (Message("preset-kingo-bank-text"), {}),
    }

    dealer_discards: bool = flag(True, "cards", "FudaWiki, Kingo, Choosing a Card; geocities.jp/xmbwq497")
    october_redeal: Literal["own", "all"] = choice("own", "cards", "FudaWiki, Kingo, Choosing a Card")
    tsun_min: Literal[11, 12, 13] = choice(12, "drawing", "FudaWiki, Kingo, Tsun")
    dealer_tsun_min: Literal["same", "none", 11, 12, 13] = choice("same", "drawing", "FudaWiki, Kingo, Tsun")

    kingo: bool = _played()
    arashi: bool = _played()
    goshita_gomai: bool = _played()
    ittan_juuroku: bool = _played()
    shippin: bool = _played()
    kuppin: bool = _played()
    shigoro: bool = _played()
    goppin: bool = _played()

    wager_limit: int = whole(10, "paying", "FudaWiki, Kingo, Placing the Wager", (), "stones", low=1)
    dealer_multiplier: bool = flag(False, "paying", "FudaWiki, Kingo, Teyaku")
    equal_ittan: Literal["tie", "dealer_wins"] = choice("tie", "paying", "FudaWiki, Kingo, Showdown")
    tera_zen: int = whole(0, "paying", "FudaWiki, Kingo, Showdown", (0,), "percent", high=100)
    rotate: Literal["stays", "winner", "right"] = choice(
        "stays", "game", "FudaWiki, Kingo, Choosing the Dealer"
    )
