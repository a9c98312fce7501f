"""The house rules of Kingo's banking form: every option, its default, what it means and where it comes from.

Sources: the text is FudaWiki's page on Kingo, its banking variant (`kingo, Banking`); B1 to B15 are the
rulings on its open points; Ge is the geocities page the text names. The defaults are the preset `kingo-bank`.
What both forms have is `companion.hanafuda.games.kingo.rules.KingoTable`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from companion.hanafuda.games.kingo.rules import KingoTable
from companion.hanafuda.messages import Message
from companion.hanafuda.rules.options import Text, choice, flag, whole

__all__ = ["KingoBankRules"]

_FROM_11 = Text("from 11", "11点から")
_FROM_12 = Text("from 12", "12点から")
_FROM_13 = Text("from 13", "13点から")


def _played(en: str, ja: str) -> Any:
    return flag(True, "teyaku", en, ja, "kingo, Banking, Teyaku; B13")


@dataclass(frozen=True)
class KingoBankRules(KingoTable):
    """One table's house rules for Kingo's banking form."""

    game: ClassVar[str] = "kingo-bank"
    title: ClassVar[Message] = Text("Kingo against a banker", "きんご（胴元あり）")
    sections: ClassVar[Mapping[str, Message]] = {
        "cards": Text("Cards and hands", "札と手札"),
        "drawing": Text("Drawing", "札を引く"),
        "teyaku": Text("Which teyaku are played, from the strongest", "採用する手役（強い順）"),
        "paying": Text("What is paid", "支払い"),
        "stones": Text("Stones", "碁石"),
        "game": Text("The game", "対局"),
    }
    presets: ClassVar[Mapping[str, tuple[Message, Mapping[str, Any]]]] = {
        "kingo-bank": (Text("The text as FudaWiki has it.", "FudaWiki の文面どおり。"), {}),
    }

    dealer_discards: bool = flag(
        True,
        "cards",
        "The dealer too keeps one of his three cards and discards two; otherwise he plays on all three.",
        "親も三枚から一枚を選び二枚捨てる（なしなら三枚とも持つ）。",
        "kingo, Banking, Choosing a Card; B1: Ge everybody",
    )
    october_redeal: Literal["own", "all"] = choice(
        "own",
        "cards",
        "What a player dealt three cards of October may ask for.",
        "紅葉（十月）の札が三枚配られた者の求められること。",
        "kingo, Banking, Choosing a Card; B15",
        {
            "own": Text("three new cards for himself", "自分の三枚だけ配り直し"),
            "all": Text("a new deal for everybody", "全員の配り直し"),
        },
    )
    tsun_min: Literal[11, 12, 13] = choice(
        12,
        "drawing",
        "From which value a player may pass (tsun), unless he has a teyaku.",
        "つんできる点数（手役があれば別）。",
        "kingo, Banking, Tsun; B2",
        {11: _FROM_11, 12: _FROM_12, 13: _FROM_13},
    )
    dealer_tsun_min: Literal["same", "none", 11, 12, 13] = choice(
        "same",
        "drawing",
        "The same for the dealer.",
        "親のつんできる点数。",
        "kingo, Banking, Tsun: a player; B2",
        {
            "same": Text("as for the bettors", "子と同じ"),
            "none": Text("any value, with two cards or more", "二枚以上あれば何点でも"),
            11: _FROM_11,
            12: _FROM_12,
            13: _FROM_13,
        },
    )

    kingo: bool = _played(
        "Kingo: three fives; dealer and bettor, 3 times.", "きんご：五が三枚。親と子、3倍。"
    )
    arashi: bool = _played(
        "Arashi: three cards of one month, never bareta; bettor, 2 times.",
        "あらし：同じ月が三枚、ばれたにならない。子、2倍。",
    )
    goshita_gomai: bool = _played(
        "Goshita Gomai: five cards, none above five, never bareta; bettor.",
        "五下五枚：五以下が五枚、ばれたにならない。子。",
    )
    ittan_juuroku: bool = _played(
        "Ittan-juuroku: two cards worth 16, not bareta; dealer and bettor, 3 times.",
        "いったん十六：二枚で16点、ばれたにならない。親と子、3倍。",
    )
    shippin: bool = _played("Shippin: a four and a one; dealer.", "四一：四と一の二枚。親。")
    kuppin: bool = _played("Kuppin: a nine and a one; dealer.", "九一：九と一の二枚。親。")
    shigoro: bool = _played(
        "Shigoro: four, five and six; dealer and bettor, 2 times.", "シゴロ：四五六の三枚。親と子、2倍。"
    )
    goppin: bool = _played("Goppin: a five and a one; dealer.", "五一：五と一の二枚。親。")

    wager_limit: int = whole(
        10,
        "paying",
        "The most that a bettor may wager.",
        "子の賭けの上限。",
        "kingo, Banking, Placing the Wager gives no number",
        {},
        Text("stones", "個"),
        low=1,
    )
    dealer_multiplier: bool = flag(
        False,
        "paying",
        "The dealer's own teyaku multiplies what he takes, as a bettor's multiplies what he gets.",
        "親の手役の倍率で、親の取り分も増やす。",
        "kingo, Banking, Teyaku: multipliers for bettors; B5",
    )
    equal_ittan: Literal["tie", "dealer_wins"] = choice(
        "tie",
        "paying",
        "Dealer and bettor both with Ittan-juuroku.",
        "親と子がともにいったん十六のとき。",
        "kingo, Banking, Showdown; B6",
        {
            "tie": Text("the bettor takes his wager back", "子は賭けを取り戻す"),
            "dealer_wins": Text("the dealer wins", "親の勝ち"),
        },
    )
    tera_zen: int = whole(
        0,
        "paying",
        "What the house keeps of a bettor's winnings, in percent; part of a stone is not taken.",
        "寺銭：子の儲けから引く割合（百分率、端数は切り捨て）。",
        "kingo, Banking, Showdown; B14",
        {0: Text("nothing", "なし")},
        Text("percent", "％"),
        high=100,
    )
    rotate: Literal["stays", "winner", "right"] = choice(
        "stays",
        "game",
        "Who deals next.",
        "次の親。",
        "kingo, Banking, Choosing the Dealer; B12",
        {
            "stays": Text("the same dealer", "同じ親"),
            "winner": Text(
                "the bettor with the strongest hand that beat the dealer's; otherwise the same dealer",
                "親に勝った最も強い子、なければ同じ親",
            ),
            "right": Text("the player to the dealer's right", "親の右隣"),
        },
    )
