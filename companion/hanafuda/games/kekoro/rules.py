"""Kekoro's house rules: every option, its default, what it means and where it comes from.

Sources: the text is FudaWiki's page on Kekoro (`kekoro`); E1 to E12 are the rulings on its open points; Ku is
Kusaba's older table of card values, 1921 the report *Teikei Aru Hanzai No Chousa* by Shiono. The defaults are
the preset `kekoro`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from companion.hanafuda.messages import Message
from companion.hanafuda.rules.options import Text, choice, whole
from companion.hanafuda.rules.record import Rules

__all__ = ["KekoroRules"]

_SECTIONS = {
    "points": Text("What cards and yaku are worth", "札と役の点数"),
    "victory": Text("The victory by yaku", "役による勝ち"),
    "game": Text("The deal and the game", "配札と対局"),
}


@dataclass(frozen=True)
class KekoroRules(Rules):
    """One table's house rules for Kekoro."""

    game: ClassVar[str] = "kekoro"
    title: ClassVar[Message] = Text("Kekoro", "ケコロ")
    sections: ClassVar[Mapping[str, Message]] = _SECTIONS
    presets: ClassVar[Mapping[str, tuple[Message, Mapping[str, Any]]]] = {
        "kekoro": (Text("The text as FudaWiki has it.", "FudaWiki の文面どおり。"), {}),
    }

    values: Literal["printed", "kusaba"] = choice(
        "printed",
        "points",
        "What chaff, the curtain and the phoenix are worth.",
        "カス札・桜に幕・桐に鳳凰の点数。",
        "kekoro, Card Values; Ku; E5",
        {
            "printed": Text(
                "10 each, 330 in the whole deck",
                "どれも10点（全48枚で330点）",
            ),
            "kusaba": Text(
                "chaff 8, the curtain and the phoenix 5, 272 in the whole deck",
                "カス札8点、桜に幕と桐に鳳凰は5点（全48枚で272点）",
            ),
        },
    )
    yaku_points: int = whole(
        30,
        "points",
        "What each yaku is worth; a card serves in all those that it is part of.",
        "役ひとつの点数（一枚の札は何役にでも使える）。",
        "kekoro, Yaku; E4, E7",
        {},
        Text("points", "点"),
        low=1,
    )
    yaku_source: Literal["fudawiki", "1921"] = choice(
        "fudawiki",
        "points",
        "Which cards make Gundari Ribbons and Eight Islands.",
        "短のグンダリと八島の札。",
        "kekoro, Yaku; E6",
        {
            "fudawiki": Text(
                "the maple ribbon in Gundari Ribbons, the warbler in Eight Islands",
                "短のグンダリは紅葉の短冊、八島は梅に鶯",
            ),
            "1921": Text(
                "the wisteria ribbon in Gundari Ribbons, the Rain Man in Eight Islands",
                "短のグンダリは藤の短冊、八島は柳に小野道風",
            ),
        },
    )
    lead_to_win: int = whole(
        3,
        "victory",
        "Who has so many yaku more than the opponent wins the game on the spot.",
        "相手より役がこれだけ多ければ、その場で対局に勝つ。",
        "kekoro, End of Round; E1, E11",
        {0: Text("not played", "採用しない")},
        Text("yaku", "役"),
        high=26,
    )
    declare: Literal["automatic", "optional"] = choice(
        "automatic",
        "victory",
        "Whether the victory by yaku must be declared.",
        "役による勝ちの宣言。",
        "kekoro, End of Round; E1",
        {
            "automatic": Text("it comes by itself", "自動で成立する"),
            "optional": Text("the player may declare it, or play on", "宣言してもよいし、続けてもよい"),
        },
    )
    judge: Literal["turn", "any_time"] = choice(
        "turn",
        "victory",
        "When the victory by yaku is judged.",
        "役による勝ちを判定するとき。",
        "kekoro, End of Round; E1",
        {
            "turn": Text("after the player's own turn, both cards played", "自分の番で二枚とも出した後"),
            "any_time": Text(
                "after each card, also after the hand card alone and on the opponent's turn",
                "一枚ごと（手札の後や相手の番でも）",
            ),
        },
    )
    field_four: Literal["redeal", "play_on"] = choice(
        "redeal",
        "game",
        "When all four cards of a month are dealt to the field.",
        "場札に同じ月の札が四枚そろったとき。",
        "E8",
        {
            "redeal": Text("the cards are dealt again", "配り直し"),
            "play_on": Text(
                "play goes on; nobody can capture the four", "そのまま続ける（その四枚は取れない）"
            ),
        },
    )
    dealer_after_tie: Literal["stays", "passes"] = choice(
        "stays",
        "game",
        "Who deals after a round with equal scores; after others the winner does.",
        "同点の局の次の親。ほかは勝者が親。",
        "kekoro, Choosing the Dealer; E3",
        {"stays": Text("the same dealer", "親は同じ"), "passes": Text("the other player", "親は交代する")},
    )
    lead_points: int = whole(
        90,
        "game",
        "The game ends when a player is at least so many points ahead.",
        "これだけの点差がつけば対局が終わる。",
        "kekoro, End of Game; E2",
        {},
        Text("points", "点"),
        low=1,
    )

    def __post_init__(self) -> None:
        """Read the year 1921 also where it is written as a number."""
        if str(self.yaku_source) == "1921":
            object.__setattr__(self, "yaku_source", "1921")
        super().__post_init__()
