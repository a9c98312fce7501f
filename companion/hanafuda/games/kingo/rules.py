"""Kingo's house rules: every option with its default, meaning and source.

The text is FudaWiki's page on Kingo, for `KingoBankRules` its banking variant. The defaults are the presets `kingo` and
`kingo-bank`. `KingoTable` has the options of both forms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from ...messages import Message
from ...rules.options import Option, choice, flag, section_texts, whole
from ...rules.record import Rules

__all__ = ["KingoBankRules", "KingoRules", "KingoTable"]


@dataclass(frozen=True)
class KingoTable(Rules):
    """The options that both forms of Kingo have."""

    text_prefix: ClassVar[str | None] = "rule-kingo"
    endless: ClassVar[Mapping[str, Any]] = {"rounds": 0, "debt": "allow"}

    deck: Literal["hanafuda", "kabufuda"] = choice("hanafuda", "cards", "FudaWiki, Kingo, Equipment")
    hands: Literal["hidden", "face_up"] = choice(
        "hidden",
        "cards",
        "FudaWiki, Kingo, Showdown; hidden: ja.wikipedia.org; face_up: geocities.jp/xmbwq497",
    )
    stones: int = whole(20, "stones", "FudaWiki, Kingo, Equipment", {}, "stones", low=1)
    debt: Literal["out", "allow"] = choice("out", "stones", "FudaWiki, Kingo, Setup")
    rounds: int = whole(12, "game", "FudaWiki, Kingo, Setup", {0: "no-limit"}, "rounds", high=120)

    @classmethod
    def options(cls) -> Mapping[str, Option]:
        """Return the options grouped by section, those of both forms together with the form's own."""
        order = list(cls.sections)
        return dict(sorted(super().options().items(), key=lambda item: order.index(item[1].section)))


@dataclass(frozen=True)
class KingoRules(KingoTable):
    """One table's house rules for Kingo."""

    game: ClassVar[str] = "kingo"
    title: ClassVar[Message] = Message("game-kingo")
    sections: ClassVar[Mapping[str, Message]] = section_texts("cards", "drawing", "pot", "stones", "game")
    presets: ClassVar[Mapping[str, tuple[Message, Mapping[str, Any]]]] = {
        "kingo": (Message("preset-kingo-text"), {}),
    }

    min_draws: Literal[1, 0] = choice(1, "drawing", "FudaWiki, Kingo, Gameplay; 1: ja.wikipedia.org")
    draw_at_fifteen: Literal["barred", "allowed"] = choice(
        "barred", "drawing", "barred: ja.wikipedia.org, sojudo.net"
    )
    wager: int = whole(1, "pot", "FudaWiki, Kingo, Setup", {}, "stones", low=1)
    remainder: Literal["whole", "one_each"] = choice("whole", "pot", "FudaWiki, Kingo, Showdown")
    dealer_order: Literal["dealer_last", "dealer_first"] = choice(
        "dealer_last", "pot", "FudaWiki, Kingo, Dealing the Cards"
    )
    both_teyaku: Literal["winner", "product"] = choice("winner", "pot", "FudaWiki, Kingo, Teyaku")


def _played() -> Any:
    return flag(True, "teyaku", "FudaWiki, Kingo, Teyaku")


@dataclass(frozen=True)
class KingoBankRules(KingoTable):
    """One table's house rules for Kingo's banking form."""

    game: ClassVar[str] = "kingo-bank"
    title: ClassVar[Message] = Message("game-kingo-bank")
    sections: ClassVar[Mapping[str, Message]] = section_texts(
        "cards", "drawing", "teyaku", "paying", "stones", "game"
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

    wager_limit: int = whole(10, "paying", "FudaWiki, Kingo, Placing the Wager", {}, "stones", low=1)
    dealer_multiplier: bool = flag(False, "paying", "FudaWiki, Kingo, Teyaku")
    equal_ittan: Literal["tie", "dealer_wins"] = choice("tie", "paying", "FudaWiki, Kingo, Showdown")
    tera_zen: int = whole(0, "paying", "FudaWiki, Kingo, Showdown", {0: "nothing"}, "percent", high=100)
    rotate: Literal["stays", "winner", "right"] = choice(
        "stays", "game", "FudaWiki, Kingo, Choosing the Dealer"
    )
