"""Koi-Koi's house rules: every option of the rulings, its default, what it means and where it comes from.

Sources: G and H are the two rule texts (`koikoi-guide`, `koikoi-hu`), K1 to K34 the rulings on their open
points; W FudaWiki, N Nintendo, J KoiKoi-Japan, B Board Game Arena, Gd gamedesign.jp. The defaults are the
preset `koikoi-standard`: what most tables agree on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from companion.hanafuda.messages import Message
from companion.hanafuda.rules.options import Text, calls, choice, flag, points, whole
from companion.hanafuda.rules.record import Rules

__all__ = ["KoiKoiRules"]

_SECTIONS = {
    "points": Text("What each yaku pays", "役の点数"),
    "yaku": Text("How yaku are made and combine", "役の作り方と重なり"),
    "paying": Text("What multiplies the points", "倍率"),
    "calling": Text("Yaku and koi-koi during play", "役の成立とこいこい"),
    "cards": Text("Dealing and capturing", "配札と取り札"),
    "game": Text("The round and the game", "一局と対局"),
}
# The first three decide what a pile is worth.

# What each preset changes from the standard, which is the defaults themselves.
_PRESETS: Mapping[str, tuple[Message, Mapping[str, Any]]] = {
    "koikoi-standard": (Text("What most tables agree on.", "多くの卓で通じる標準ルール。"), {}),
    "koikoi-guide": (
        Text(
            "The guide (G) to the letter: own koi-koi doubles, a hand card takes both matches.",
            "手引き（G）の文面どおり。自分のこいこいで2倍、手札は場の二枚を取る。",
        ),
        {
            "flower_viewing": 3,
            "moon_viewing": 3,
            "sake_cup": "animal",
            "hand_two_match": "all",
            "own_call": ("x2",),
            "seven": "off",
            "dealer": "alternate",
            "dealer_after_draw": "passes",
            "both_teyaku": "play_on",
        },
    ),
    "koikoi-hu": (
        Text(
            "Kangni Hu's paper of 2014 (H) to the letter: 6 points where others pay 5, the Rain Man counts.",
            "Kangni Hu の文書（H、2014年）の文面どおり。三枚役は6点、小野道風も数える。",
        ),
        {
            "rainy_four_brights": 8,
            "three_brights": 6,
            "boar_deer_butterfly": 6,
            "poetry_ribbons": 6,
            "blue_ribbons": 6,
            "rain_man": "counts",
            "sake_cup": "animal",
            "both_teyaku": "play_on",
        },
    ),
}


def _text(en: str, ja: str) -> Message:
    return Text(en, ja)


_REDEAL = _text("the cards are dealt again", "配り直し")
_PLAY_ON = _text("play goes on", "そのまま続ける")
_NO_LIMIT = _text("no limit", "無制限")


@dataclass(frozen=True)
class KoiKoiRules(Rules):
    """One table's house rules for Koi-Koi."""

    game: ClassVar[str] = "koikoi"
    hash_name: ClassVar[str | None] = ""
    title: ClassVar[Message] = Text("Koi-Koi", "こいこい")
    sections: ClassVar[Mapping[str, Message]] = _SECTIONS
    presets: ClassVar[Mapping[str, tuple[Message, Mapping[str, Any]]]] = _PRESETS

    five_brights: int = points(10, "points", "All five brights.", "光札五枚。", "G §6, H §4.2; K11")
    four_brights: int = points(
        8,
        "points",
        "Four brights; the Rain Man has a rule of his own.",
        "光札四枚（小野道風の扱いは別項）。",
        "G §6, H §4.2; K7",
    )
    rainy_four_brights: int = points(
        7, "points", "Four brights, the Rain Man among them.", "小野道風を含む光札四枚。", "G §6; K7"
    )
    three_brights: int = points(
        5,
        "points",
        "Three brights; the Rain Man has a rule of his own.",
        "光札三枚（小野道風の扱いは別項）。",
        "G §6, H §4.2; K6, K11",
    )
    boar_deer_butterfly: int = points(
        5,
        "points",
        "The boar, the deer and the butterflies.",
        "萩に猪、紅葉に鹿、牡丹に蝶。",
        "G §6, H §4.2; K11",
    )
    poetry_ribbons: int = points(
        5,
        "points",
        "The three red ribbons with writing: pine, plum, cherry.",
        "松・梅・桜の赤短。",
        "G §6, H §4.2; K11",
    )
    blue_ribbons: int = points(
        5,
        "points",
        "The three blue ribbons: peony, chrysanthemum, maple.",
        "牡丹・菊・紅葉の青短。",
        "G §6, H §4.2; K11",
    )
    flower_viewing: int = points(
        5, "points", "The curtain and the sake cup.", "桜に幕と菊に盃。", "G §6, H §4.2; K12"
    )
    moon_viewing: int = points(
        5, "points", "The full moon and the sake cup.", "芒に月と菊に盃。", "G §6, H §4.2; K12"
    )
    animals: int = points(
        1,
        "points",
        "Five animals; each further one pays 1 more.",
        "種札五枚、一枚増すごとに＋1点。",
        "G §6, H §4.2",
    )
    ribbons: int = points(
        1,
        "points",
        "Five ribbons of any colour; each further one pays 1 more.",
        "短冊札五枚、一枚増すごとに＋1点。",
        "G §6, H §4.2; K3",
    )
    chaff: int = points(
        1,
        "points",
        "Ten chaff; each further one pays 1 more.",
        "カス札十枚、一枚増すごとに＋1点。",
        "G §6, H §4.2",
    )
    month_cards: int = points(
        0, "points", "All four cards of the round's month.", "その月の札四枚すべて。", "Gd: 4 points"
    )
    poetry_and_blue: int = points(
        10,
        "points",
        "Poetry and blue ribbons together, where that is a yaku of its own.",
        "赤短と青短の重複（別の役とするとき）。",
        "W, N, J; K10",
    )

    poetry_blue: Literal["both", "replace", "add"] = choice(
        "both",
        "yaku",
        "Poetry and blue ribbons in one pile.",
        "赤短と青短が揃ったとき。",
        "K10: both as G and H; replace W, N; add J",
        {
            "both": _text("each pays for itself", "それぞれの点を得る"),
            "replace": _text("one yaku for both pays instead", "赤短と青短の重複の役一つに置き換える"),
            "add": _text("a yaku for both pays on top", "赤短と青短の重複の役をさらに加える"),
        },
    )
    animals_special: Literal["stack", "stack_extra", "best_extra"] = choice(
        "stack",
        "yaku",
        "Boar, deer and butterflies beside the count of animals.",
        "猪鹿蝶とタネの関係。",
        "K9: stack G, H, J, B; best_extra W, N",
        {
            "stack": _text("both pay", "両方の点を得る"),
            "stack_extra": _text(
                "both pay, and each further animal adds 1 to boar, deer and butterflies too",
                "両方の点を得て、猪鹿蝶も一枚増すごとに＋1点",
            ),
            "best_extra": _text(
                "boar, deer and butterflies alone pays, each further animal adds 1 to it",
                "猪鹿蝶だけが一枚増すごとに＋1点、タネは数えない",
            ),
        },
    )
    ribbons_special: Literal["stack", "stack_extra", "best_extra"] = choice(
        "stack",
        "yaku",
        "Poetry and blue ribbons beside the count of ribbons.",
        "赤短・青短とタンの関係。",
        "K9: stack G, H, J, B; best_extra W, N",
        {
            "stack": _text("both pay", "両方の点を得る"),
            "stack_extra": _text(
                "both pay, and each further ribbon adds 1 to the named yaku too",
                "両方の点を得て、赤短・青短も一枚増すごとに＋1点",
            ),
            "best_extra": _text(
                "the named yaku alone pays, each further ribbon adds 1 to it",
                "赤短・青短だけが一枚増すごとに＋1点、タンは数えない",
            ),
        },
    )
    bright_group: Literal["best", "all"] = choice(
        "best",
        "yaku",
        "Several yaku of brights in one pile.",
        "光札の役が重なるとき。",
        "K8",
        {
            "best": _text("only the one that pays most", "最も高い役だけ"),
            "all": _text("five brights pays four and three as well", "五光に四光と三光も加わる"),
        },
    )
    rain_man: Literal["excluded", "counts"] = choice(
        "excluded",
        "yaku",
        "The Rain Man in three brights and four brights.",
        "三光・四光における小野道風。",
        "K6: excluded W, N, J, B, Gd; counts H as written",
        {
            "excluded": _text("both are made without him", "含めない"),
            "counts": _text("he counts like any other bright", "他の光札と同じに数える"),
        },
    )
    sake_cup: Literal["animal", "animal_and_chaff", "animal_or_chaff", "uncounted"] = choice(
        "animal_and_chaff",
        "yaku",
        "What the sake cup counts as, besides its viewings.",
        "菊に盃の扱い（花見・月見のほか）。",
        "K5: animal_and_chaff W, N, J; animal G, H, B",
        {
            "animal": _text("an animal", "種札"),
            "animal_and_chaff": _text("an animal and a chaff at once", "種札とカス札の両方"),
            "animal_or_chaff": _text("an animal or a chaff, whichever pays more", "種札かカス札の得な方"),
            "uncounted": _text("nothing", "どちらにも数えない"),
        },
    )
    viewing_spoilt: Literal["none", "captured_rain", "captured_willow", "field"] = choice(
        "none",
        "yaku",
        "What spoils flower viewing and moon viewing.",
        "花見・月見が流れる条件。",
        "K12: captured koikoi-scorer; field W",
        {
            "none": _text("nothing", "なし"),
            "captured_rain": _text("the Rain Man or the lightning in the pile", "取り札に小野道風か雷"),
            "captured_willow": _text("any willow in the pile", "取り札に柳の札"),
            "field": _text(
                "a willow on the field spoils the flowers, a paulownia there the moon",
                "場に柳があれば花見、桐があれば月見が流れる",
            ),
        },
    )
    viewing_needs: Literal["nothing", "month", "another_yaku"] = choice(
        "nothing",
        "yaku",
        "What the viewings need besides their two cards.",
        "花見・月見に要る条件。",
        "K12",
        {
            "nothing": _text("nothing", "なし"),
            "month": _text(
                "flowers pay only in March, the moon only in August", "花見は三月、月見は八月だけ"
            ),
            "another_yaku": _text("a yaku that is not a viewing", "花見・月見以外の役"),
        },
    )
    viewing_after_call: int = whole(
        0,
        "yaku",
        "Points of a viewing once its holder has called koi-koi.",
        "こいこい後の花見・月見の点数。",
        "K12: J 1, then 3",
        {0: _text("the same as before", "変わらない")},
        _text("points", "点"),
    )

    own_call: tuple[str, ...] = calls(
        (),
        "paying",
        "What the winner's own koi-koi calls do.",
        "勝者自身のこいこいの効果。",
        "K13: G x2; H nothing",
    )
    opponent_call: tuple[str, ...] = calls(
        ("x2",), "paying", "What the loser's koi-koi calls do.", "相手のこいこいの効果。", "K14: G, H x2"
    )
    combine: Literal["multiply", "add"] = choice(
        "multiply",
        "paying",
        "When both players' calls multiply.",
        "双方のこいこいの倍率の重なり。",
        "K15",
        {
            "multiply": _text("the factors multiply: x2 and x2 make x4", "掛け合わせる（2倍と2倍で4倍）"),
            "add": _text("the factors add up: x2 and x2 make x3", "足し合わせる（2倍と2倍で3倍）"),
        },
    )
    seven: Literal["base", "multiplied", "off"] = choice(
        "base",
        "paying",
        "Seven points or more.",
        "7点以上の倍付け。",
        "K16, K17: base H, W, N, B; off G",
        {
            "base": _text("7 or more before koi-koi calls doubles", "こいこいの前に7点以上で2倍"),
            "multiplied": _text("7 or more after koi-koi calls doubles", "こいこいの後に7点以上で2倍"),
            "off": _text("no doubling", "なし"),
        },
    )

    offer: Literal["improved", "new_only"] = choice(
        "improved",
        "calling",
        "When a player who called koi-koi decides again.",
        "こいこい後に再び選べるとき。",
        "K19, K20",
        {
            "improved": _text("at any rise of the points", "点が増えたとき"),
            "new_only": _text("at a new yaku only", "新しい役ができたときだけ"),
        },
    )
    max_calls: int | Literal["once_a_round"] = whole(
        0,
        "calling",
        "How often a player may call koi-koi in a round.",
        "一局でこいこいできる回数。",
        "K21: N once a round in all",
        {0: _NO_LIMIT, "once_a_round": _text("once in all, whoever calls", "双方合わせて一度だけ")},
        _text("times a player", "回まで"),
        high=8,
    )
    call_min_points: int = whole(
        0,
        "calling",
        "With fewer points than this the round is won at once.",
        "この点数未満なら自動的に勝負。",
        "rulings §0",
        {0: _text("none: any yaku lets its maker choose", "なし")},
        _text("points", "点"),
    )
    last_card: Literal["stop", "until_hands_empty", "free"] = choice(
        "stop",
        "calling",
        "A yaku with no card left in the hand.",
        "手札がなくなってからの役。",
        "K18: stop J, N; until_hands_empty rulings §0",
        {
            "stop": _text("the round is won: no koi-koi", "勝負となる"),
            "until_hands_empty": _text(
                "koi-koi may be called while the opponent has a card left; on the last turn the round is won",
                "相手に手札があればこいこいもできる。最後の手番では勝負となる",
            ),
            "free": _text("koi-koi may still be called", "こいこいもできる"),
        },
    )
    judge: Literal["turn", "card"] = choice(
        "turn",
        "calling",
        "When yaku are judged.",
        "役を判定するとき。",
        "K22: G, W",
        {
            "turn": _text("after both cards of the turn", "手番の二枚の後"),
            "card": _text("after each card", "一枚ごと"),
        },
    )

    hand_size: Literal[8, 10] = choice(
        8,
        "cards",
        "Cards in each hand.",
        "手札の枚数。",
        "G §4, H §2.2",
        {8: _text("8", "8枚"), 10: _text("10", "10枚")},
    )
    hand_two_match: Literal["choose", "all"] = choice(
        "choose",
        "cards",
        "A hand card that matches two cards on the field.",
        "手札が場の二枚と合うとき。",
        "K1: choose H, W, N, J, B; all G as written",
        {
            "choose": _text("takes one of them, the player's choice", "一枚を選んで取る"),
            "all": _text("takes both; the drawn card takes one", "二枚とも取る（めくり札は一枚）"),
        },
    )
    lightning_wild: Literal["off", "on", "summer"] = choice(
        "off",
        "cards",
        "The lightning as a card that matches anything.",
        "柳に雷を鬼札とするか。",
        "rulings §0",
        {
            "off": _text("no", "なし"),
            "on": _text("yes", "あり"),
            "summer": _text("only when a susuki was dealt to the field", "場に芒が配られたときだけ"),
        },
    )
    field_four: Literal["redeal", "play_on", "dealer_takes"] = choice(
        "redeal",
        "cards",
        "Four of a month dealt to the field.",
        "場に同じ月が四枚。",
        "K30: G",
        {
            "redeal": _REDEAL,
            "play_on": _PLAY_ON,
            "dealer_takes": _text("the dealer captures them", "親が取る"),
        },
    )
    field_pairs: Literal["redeal", "play_on"] = choice(
        "play_on",
        "cards",
        "Four pairs dealt to the field.",
        "場がくっつき（二枚四組）。",
        "K30: W",
        {"redeal": _REDEAL, "play_on": _PLAY_ON},
    )
    field_three: Literal["redeal", "play_on"] = choice(
        "play_on",
        "cards",
        "Three of a month dealt to the field.",
        "場に同じ月が三枚。",
        "K30: N",
        {"redeal": _REDEAL, "play_on": _PLAY_ON},
    )
    four_of_a_kind: int = points(
        6, "cards", "Four of a month dealt to a hand.", "手四：手札に同じ月が四枚。", "H §4.1; K26, K28"
    )
    four_pairs: int = points(
        6, "cards", "Four pairs dealt to a hand.", "くっつき：手札が二枚四組。", "H §4.1; K26, K29"
    )
    both_teyaku: Literal["play_on", "draw"] = choice(
        "draw",
        "cards",
        "Both players are dealt such a hand.",
        "双方に手役があるとき。",
        "K27: play_on H; draw W, B",
        {"play_on": _PLAY_ON, "draw": _text("the round is a draw", "引き分け")},
    )

    exhausted: int = whole(
        0,
        "game",
        "Points to the dealer when nobody stopped.",
        "流局の親権の点数。",
        "K25: J 1, Gd 6",
        {0: _text("none", "なし")},
        _text("points", "点"),
    )
    dealer: Literal["winner", "alternate"] = choice(
        "winner",
        "game",
        "Who deals next.",
        "次の親。",
        "K23: winner H, W, J, N, B; alternate G",
        {"winner": _text("the winner", "勝者"), "alternate": _text("the players in turn", "交代")},
    )
    dealer_after_draw: Literal["stays", "passes"] = choice(
        "stays",
        "game",
        "Who deals after a drawn round.",
        "引き分けの後の親。",
        "K24: stays W, J, B; passes N",
        {"stays": _text("the same dealer", "続ける"), "passes": _text("the other player", "交代")},
    )
    rounds: int = whole(
        12,
        "game",
        "Rounds of a game.",
        "局数。",
        "K32",
        {0: _text("until the target is reached", "目標点まで")},
        _text("rounds", "局"),
        high=120,
    )
    target: int = whole(
        0,
        "game",
        "Points that end the game.",
        "対局が終わる点数。",
        "rulings §0",
        {0: _text("none: the rounds end it", "なし（局数で終わる）")},
        _text("points", "点"),
        high=10_000,
    )
    field_multiplier: Literal["off", "double", "brights_plus_one"] = choice(
        "off",
        "game",
        "Brights on the opening field (big fields).",
        "場札の光札による倍場。",
        "rulings §0",
        {
            "off": _text("change nothing", "なし"),
            "double": _text("a bright there doubles the round", "光札があれば2倍"),
            "brights_plus_one": _text("multiply by their number plus one", "光札の数＋1倍"),
        },
    )
    zero_sum: bool = flag(
        False, "game", "The loser pays what the winner gets.", "敗者が勝者の点を支払う。", "G §8; J"
    )

    def contradictions(self) -> list[str]:
        """Refuse a game without an end."""
        if self.rounds == 0 and self.target == 0:
            return ["rounds and target are both 0, so the game would never end: give one of them"]
        return []
