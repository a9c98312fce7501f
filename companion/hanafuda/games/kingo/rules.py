"""Kingo's house rules: every option, its default, what it means and where it comes from.

Sources: the text is FudaWiki's page on Kingo (`kingo`); N1 to N13 are the rulings on its open points; Jw is
ja.wikipedia, So sojudo.net, Ge the geocities page the text names. The defaults are the preset `kingo`.
`KingoTable` holds what both forms of the game have; the banking form's own options are in
`companion.hanafuda.games.kingo.bank_rules`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from companion.hanafuda.messages import Message
from companion.hanafuda.rules.options import Option, Text, choice, whole
from companion.hanafuda.rules.record import Rules

__all__ = ["KingoRules", "KingoTable"]


@dataclass(frozen=True)
class KingoTable(Rules):
    """What the tables of both forms of Kingo agree on before they play."""

    deck: Literal["hanafuda", "kabufuda"] = choice(
        "hanafuda",
        "cards",
        "Which cards are played with.",
        "使う札。",
        "kingo, Equipment",
        {
            "hanafuda": Text(
                "hanafuda without willow and paulownia: 40 cards worth their month",
                "柳と桐を除く花札四十枚、月の数が点数",
            ),
            "kabufuda": Text("kabufuda: 40 cards worth their number", "株札四十枚、札の数が点数"),
        },
    )
    hands: Literal["hidden", "face_up"] = choice(
        "hidden",
        "cards",
        "Who sees the cards that a player holds.",
        "手札を誰が見るか。",
        "kingo, Showdown; N3: hidden Jw; face_up Ge",
        {
            "hidden": Text("only he, until the showdown", "見せ合うまで本人だけ"),
            "face_up": Text("everybody: they lie open", "全員（表にして置く）"),
        },
    )
    stones: int = whole(
        20,
        "stones",
        "Stones that each player starts with.",
        "各人の最初の碁石。",
        "kingo, Equipment gives no number; 20 as in Kakkuri (A20)",
        {},
        Text("stones", "個"),
        low=1,
    )
    debt: Literal["out", "allow"] = choice(
        "out",
        "stones",
        "A player who cannot pay all that he owes.",
        "払いきれない者。",
        "kingo, Setup; N12",
        {
            "out": Text(
                "pays what he has; without a stone he is out of the game", "有るだけ払い、尽きたら抜ける"
            ),
            "allow": Text("goes into debt and plays on", "借りて続ける"),
        },
    )
    rounds: int = whole(
        12,
        "game",
        "Rounds of a game.",
        "局数。",
        "kingo, Setup: 12 is traditional, also 6, 3 or until all but one are out",
        {0: Text("until all but one have run out of stones", "一人を残して碁石が尽きるまで")},
        Text("rounds", "局"),
        high=120,
    )

    @classmethod
    def options(cls) -> Mapping[str, Option]:
        """Return the options section by section: those of both forms come among a form's own."""
        order = list(cls.sections)
        return dict(sorted(super().options().items(), key=lambda item: order.index(item[1].section)))

    def contradictions(self) -> list[str]:
        """Refuse a game without an end."""
        if self.rounds == 0 and self.debt == "allow":
            return [
                "rounds is 0 and debt is allow, so nobody is ever out and the game never ends: change one"
            ]
        return []


@dataclass(frozen=True)
class KingoRules(KingoTable):
    """One table's house rules for Kingo."""

    game: ClassVar[str] = "kingo"
    title: ClassVar[Message] = Text("Kingo", "きんご")
    sections: ClassVar[Mapping[str, Message]] = {
        "cards": Text("Cards and hands", "札と手札"),
        "drawing": Text("Drawing", "札を引く"),
        "pot": Text("Wager and pot", "賭けと場の碁石"),
        "stones": Text("Stones", "碁石"),
        "game": Text("The game", "対局"),
    }
    presets: ClassVar[Mapping[str, tuple[Message, Mapping[str, Any]]]] = {
        "kingo": (Text("The text as FudaWiki has it.", "FudaWiki の文面どおり。"), {}),
    }

    min_draws: Literal[0, 1] = choice(
        1,
        "drawing",
        "Cards that a player must draw before he may pass.",
        "止まる前に引く枚数。",
        "kingo, Gameplay; N1: 1 Jw",
        {1: Text("one at least", "少なくとも一枚"), 0: Text("none: he may pass at once", "引かずに止まれる")},
    )
    draw_at_fifteen: Literal["barred", "allowed"] = choice(
        "barred",
        "drawing",
        "Drawing at 15.",
        "15点で引くこと。",
        "N2: barred Jw, So",
        {
            "barred": Text("nobody draws at 15", "15点では引けない"),
            "allowed": Text("whoever wants to may", "引いてもよい"),
        },
    )
    wager: int = whole(
        1,
        "pot",
        "What each player wagers in a round, where the dealer names no other number.",
        "一局の賭け（親が別に決めないとき）。",
        "kingo, Setup gives no number",
        {},
        Text("stones", "個"),
        low=1,
    )
    remainder: Literal["whole", "one_each"] = choice(
        "whole",
        "pot",
        "Stones left over where winners share the pot.",
        "勝者が分けて割り切れない分。",
        "kingo, Showdown; N6",
        {
            "whole": Text(
                "the winner nearest to the dealer's right takes them all", "親の右に最も近い勝者が全部取る"
            ),
            "one_each": Text(
                "one each to the winners, from the nearest to the dealer's right on",
                "親の右に近い勝者から一個ずつ",
            ),
        },
    )
    dealer_order: Literal["dealer_last", "dealer_first"] = choice(
        "dealer_last",
        "pot",
        "The dealer, where the winner nearest to his right is asked for.",
        "「親の右に最も近い勝者」と親自身。",
        "kingo, Dealing the Cards; N7",
        {
            "dealer_last": Text("is the farthest of all", "親は最も遠い"),
            "dealer_first": Text("is the nearest of all", "親は最も近い"),
        },
    )
    both_teyaku: Literal["winner", "product"] = choice(
        "winner",
        "pot",
        "Kingo and Shigoro in one showdown.",
        "きんごとシゴロが同じ局に出たとき。",
        "kingo, Teyaku; N8",
        {
            "winner": Text("the winner's alone multiplies: the pot is tripled", "勝者の役だけ（3倍）"),
            "product": Text("both multiply: the pot is worth six times", "両方を掛ける（6倍）"),
        },
    )
