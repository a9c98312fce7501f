"""The house rules of Kingo's banking form: every option with its default, meaning and source.

The text is FudaWiki's page on Kingo, banking variant. The defaults are the preset `kingo-bank`. Options that both forms have are in
`companion.hanafuda.games.kingo.rules.KingoTable`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from ...messages import Message
from ...rules.options import choice, flag, whole
from .rules import KingoTable

__all__ = ["KingoBankRules"]


def _played(code: str) -> Any:
    return flag(True, "teyaku", code, "FudaWiki, Kingo, Teyaku")


@dataclass(frozen=True)
class KingoBankRules(KingoTable):
    """One table's house rules for Kingo's banking form."""

    game: ClassVar[str] = "kingo-bank"
    title: ClassVar[Message] = Message("game-kingo-bank")
    sections: ClassVar[Mapping[str, Message]] = {
        "cards": Message("rule-kingo-section-cards"),
        "drawing": Message("rule-kingo-section-drawing"),
        "teyaku": Message("rule-kingo-section-teyaku"),
        "paying": Message("rule-kingo-section-paying"),
        "stones": Message("rule-kingo-section-stones"),
        "game": Message("rule-kingo-section-game"),
    }
    presets: ClassVar[Mapping[str, tuple[Message, Mapping[str, Any]]]] = {
        "kingo-bank": (Message("preset-kingo-bank-text"), {}),
    }

    dealer_discards: bool = flag(
        True,
        "cards",
        "rule-kingo-dealer-discards",
        "FudaWiki, Kingo, Choosing a Card; geocities.jp/xmbwq497",
    )
    october_redeal: Literal["own", "all"] = choice(
        "own",
        "cards",
        "rule-kingo-october-redeal",
        "FudaWiki, Kingo, Choosing a Card",
        ("own", "all"),
    )
    tsun_min: Literal[11, 12, 13] = choice(
        12,
        "drawing",
        "rule-kingo-tsun-min",
        "FudaWiki, Kingo, Tsun",
        (11, 12, 13),
    )
    dealer_tsun_min: Literal["same", "none", 11, 12, 13] = choice(
        "same",
        "drawing",
        "rule-kingo-dealer-tsun-min",
        "FudaWiki, Kingo, Tsun",
        ("same", "none", 11, 12, 13),
    )

    kingo: bool = _played("rule-kingo-kingo")
    arashi: bool = _played(
        "rule-kingo-arashi",
    )
    goshita_gomai: bool = _played(
        "rule-kingo-goshita-gomai",
    )
    ittan_juuroku: bool = _played(
        "rule-kingo-ittan-juuroku",
    )
    shippin: bool = _played("rule-kingo-shippin")
    kuppin: bool = _played("rule-kingo-kuppin")
    shigoro: bool = _played("rule-kingo-shigoro")
    goppin: bool = _played("rule-kingo-goppin")

    wager_limit: int = whole(
        10,
        "paying",
        "rule-kingo-wager-limit",
        "FudaWiki, Kingo, Placing the Wager",
        (),
        "stones",
        low=1,
    )
    dealer_multiplier: bool = flag(
        False,
        "paying",
        "rule-kingo-dealer-multiplier",
        "FudaWiki, Kingo, Teyaku",
    )
    equal_ittan: Literal["tie", "dealer_wins"] = choice(
        "tie",
        "paying",
        "rule-kingo-equal-ittan",
        "FudaWiki, Kingo, Showdown",
        ("tie", "dealer_wins"),
    )
    tera_zen: int = whole(
        0,
        "paying",
        "rule-kingo-tera-zen",
        "FudaWiki, Kingo, Showdown",
        (0,),
        "percent",
        high=100,
    )
    rotate: Literal["stays", "winner", "right"] = choice(
        "stays",
        "game",
        "rule-kingo-rotate",
        "FudaWiki, Kingo, Choosing the Dealer",
        ("stays", "winner", "right"),
    )
