"""Kakkuri's house rules: every option of the rulings (section 3, A1 to A21), its default, what it means and where it comes from.

Sources: FudaWiki's text, which the preset `kakkuri` follows to the letter; Po, the text it was made from
(games.porg.es), which differs in four places (A2, A11b, A12, A15) and is the preset `kakkuri-porges`; Ku Kusaba,
Gf gamefarm.jp. Payments are counted in shares.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from companion.hanafuda.messages import Message
from companion.hanafuda.rules.options import Text, choice, flag, whole
from companion.hanafuda.rules.record import Rules

__all__ = ["KakkuriRules"]

_SECTIONS = {
    "table": Text("The table and the deal", "卓と配札"),
    "play": Text("Turns and cards", "手番と札の出し方"),
    "sets": Text("Wild cards, triplets and pairs", "万能札・三枚・対"),
    "box": Text("When everybody passes", "全員パスのとき"),
    "paying": Text("What is paid", "支払い"),
}

_SHARES = Text("shares", "口")


def _shares(default: int, en: str, ja: str, source: str, low: int = 0) -> Any:
    words: dict[str | int, Message] = {} if low else {0: Text("nothing", "なし")}
    return whole(default, "paying", en, ja, source, words, _SHARES, high=100, low=low)


@dataclass(frozen=True)
class KakkuriRules(Rules):
    """One table's house rules for Kakkuri."""

    game: ClassVar[str] = "kakkuri"
    title: ClassVar[Message] = Text("Kakkuri", "カックリ")
    sections: ClassVar[Mapping[str, Message]] = _SECTIONS
    presets: ClassVar[Mapping[str, tuple[Message, Mapping[str, Any]]]] = {
        "kakkuri": (
            Text(
                "FudaWiki's text to the letter: an empty turn costs a share, a wild card lets anything follow.",
                "FudaWiki の文面どおり。一枚も出さなければ一口払い、万能札の後は何でも出せる。",
            ),
            {},
        ),
        "kakkuri-porges": (
            Text(
                "Kakkuri's own source (Po): passing is free, a hand may be folded, a wild card is any card.",
                "出典（Po）どおり。パスは無料、降りることができ、万能札はどの札にもなる。",
            ),
            {
                "players": "2_to_8",
                "must_play": "none",
                "fold": "before_first_card",
                "wild": "chosen_rank",
                "wild_in_sets": "joker",
                "reopen": "optional",
                "all_pass": "including_self",
                "pass_penalty": 0,
            },
        ),
    }

    deck: Literal["mekurifuda", "hanafuda", "western"] = choice(
        "mekurifuda",
        "table",
        "Which cards are played with.",
        "使う札。",
        "FudaWiki, Equipment; A21",
        {
            "mekurifuda": Text("mekurifuda, without the onifuda", "めくり札（鬼札を除く）"),
            "hanafuda": Text(
                "hanafuda in the Nagoya order: willow 2, paulownia 6, peony 11, plum 12",
                "花札（名古屋の順：柳2・桐6・牡丹11・梅12）",
            ),
            "western": Text(
                "western cards without tens: J 10, Q 11, K 12", "トランプ（10を除く。J10・Q11・K12）"
            ),
        },
    )
    players: Literal["7_or_8", "5_to_8", "2_to_8"] = choice(
        "7_or_8",
        "table",
        "How many play; the box is what is left of 48 after six cards each.",
        "人数。六枚ずつ配った残りが箱となる。",
        "A1: FudaWiki 7 or 8; Gf 5 to 8; Po 2 to 8",
        {
            "7_or_8": Text("7, or 8 of whom one drops out", "7人（8人なら一人抜ける）"),
            "5_to_8": Text("5 to 8", "5〜8人"),
            "2_to_8": Text("2 to 8", "2〜8人"),
        },
    )
    dropout_dealer: Literal["drops_out", "redeal"] = choice(
        "drops_out",
        "table",
        "Eight play and the dealer is dealt the 3 of clubs.",
        "8人で親にハウの三が来たとき。",
        "A4",
        {
            "drops_out": Text(
                "he drops out like anyone; the player to his right swaps and leads as dealer",
                "親が抜け、右隣が親の役をする",
            ),
            "redeal": Text("the cards are dealt again", "配り直し"),
        },
    )
    swap: bool = flag(
        True,
        "table",
        "Each player may exchange hands with the dealer, unseen, once, from the dealer's right on.",
        "親の右から順に一度ずつ、見ずに親と手札を交換できる。",
        "FudaWiki, Swapping; A5",
    )
    deal_pass: bool = flag(
        False,
        "table",
        "The winner may pass the deal on to the player to his right.",
        "勝者は親を右隣に譲れる。",
        "A20: Gf",
    )
    rounds: int = whole(
        0,
        "table",
        "Rounds of a game.",
        "局数。",
        "house rule: the text has no end",
        {0: Text("until a player's stake is gone", "誰かの持ち点がなくなるまで")},
        Text("rounds", "局"),
        high=120,
    )

    must_play: Literal["first", "none"] = choice(
        "first",
        "play",
        "A player who could discard.",
        "出せる札があるとき。",
        "A7: first FudaWiki; none Po",
        {
            "first": Text(
                "must discard a first card; further ones are free", "一枚目は必ず出す（その後は自由）"
            ),
            "none": Text("may pass all the same", "パスしてもよい"),
        },
    )
    fold: Literal["off", "before_first_card"] = choice(
        "off",
        "play",
        "Dropping out of the round.",
        "途中で降りること。",
        "A2: Po, Ku",
        {
            "off": Text("not allowed", "なし"),
            "before_first_card": Text(
                "allowed on one's turn before one's first card, for a stake to the pot",
                "一枚も出していない者は手番に場代を払って降りられる",
            ),
        },
    )

    wild: Literal["any_follows", "chosen_rank"] = choice(
        "any_follows",
        "sets",
        "The wild cards: 1 of clubs and 2 of coins.",
        "万能札（ハウの一とオウルの二）。",
        "A11b: any_follows FudaWiki; chosen_rank Po",
        {
            "any_follows": Text(
                "go on any card, and any card goes on them", "どの札にも出せ、次に何でも出せる"
            ),
            "chosen_rank": Text(
                "stand for a card that may be discarded now, and its number goes on",
                "いま出せる札の代わりとなり、その数から続く",
            ),
        },
    )
    wild_in_sets: Literal["own_number", "joker"] = choice(
        "own_number",
        "sets",
        "A wild card in a pair or a triplet.",
        "対や三枚の中の万能札。",
        "A12: own_number FudaWiki; joker Po",
        {
            "own_number": Text("counts as the 1 or the 2 that it is", "本来の数（一・二）"),
            "joker": Text("counts as any number", "どの数にもなる"),
        },
    )
    four_is_two_pairs: bool = flag(
        True,
        "sets",
        "Four of a number count as two of the three pairs.",
        "同じ数の四枚は、三足のうちの二対に数える。",
        "A11",
    )

    all_pass: Literal["excluding_self", "including_self"] = choice(
        "excluding_self",
        "box",
        "Who must have passed before a card is drawn from the box.",
        "箱から一枚開けるために、パスしていなければならない者。",
        "A15: including_self Po",
        {
            "excluding_self": Text("everybody but the player who discarded last", "最後に出した者以外の全員"),
            "including_self": Text("everybody, that player as well", "最後に出した者も含む全員"),
        },
    )
    reopen: Literal["forced", "optional"] = choice(
        "forced",
        "box",
        "When all have passed, the player who discarded last draws from the box.",
        "全員パスなら最後に出した者が箱から一枚開ける。",
        "A15: forced FudaWiki; optional Po",
        {
            "forced": Text("he must", "必ず開ける"),
            "optional": Text(
                "he may, or take another turn on the card that lies there", "開けずに続けてもよい"
            ),
        },
    )
    box_empty: Literal["recycle", "void"] = choice(
        "recycle",
        "box",
        "A card has to be drawn and the box is empty.",
        "箱が空のとき。",
        "A16",
        {
            "recycle": Text(
                "the discards but the top one are shuffled into it; when all of them were turned up in vain, the round is void",
                "一番上以外の捨札を切り直す（一巡して誰も出せなければ流局）",
            ),
            "void": Text("the round is void; the pot stays for the next deal", "流局。場代は次の局へ"),
        },
    )

    win_shares: int = _shares(
        1,
        "Each other player still in pays the winner.",
        "勝者への支払い（一人につき）。",
        "FudaWiki, Winning",
        low=1,
    )
    guri_shares: int = _shares(
        2,
        "Each pays for Guri: all six cards in one turn.",
        "グリ（一手番で六枚）の支払い。",
        "FudaWiki, Guri; A19",
        low=1,
    )
    lucky_shares: int = _shares(
        3,
        "Each pays for the lucky hand: the 1 of swords, of cups and of coins.",
        "ウタズ（イス・コップ・オウルの一）の支払い。",
        "FudaWiki, Lucky Hand; A6",
        low=1,
    )
    pass_penalty: int = _shares(
        1,
        "A turn without a discard costs, into the pot.",
        "一枚も出さない手番の罰金（場へ）。",
        "A2: FudaWiki 1, Po 0",
    )
    fold_stake: int = _shares(
        1, "Folding costs, into the pot, where it is allowed.", "降りるときの場代。", "A2: Po 1"
    )
    stakes: int = whole(
        20,
        "paying",
        "Shares that each player starts the game with.",
        "最初の持ち点。",
        "A20: Ku, Gf 20",
        {0: Text("not counted", "数えない")},
        _SHARES,
        high=1000,
    )

    @property
    def fewest_players(self) -> int:
        """How many must play at least; at most it is eight."""
        return int(self.players[0])

    def contradictions(self) -> list[str]:
        """Refuse a game without an end."""
        if self.rounds == 0 and self.stakes == 0:
            return ["rounds and stakes are both 0, so the game would never end: give one of them"]
        return []
