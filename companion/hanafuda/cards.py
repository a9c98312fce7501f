"""The cards: hanafuda, mekurifuda, kabufuda and the western cards that replace them; their names, orders and sets.

A set of hanafuda cards is an ``int`` of 48 bits. Bit *i* is the card with index *i* in deck order (`to_bits`,
`from_bits`), so a yaku is a bit mask and a number of bits.

>>> card("susuki-moon").names.ja
'芒に月'
>>> twin("pine-chaff-1")
'pine-chaff-2'
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal

from .errors import BadRequestError, nearest, quote
from .messages import Message, any_of

__all__ = [
    "BACK",
    "CARD_MM",
    "DECKS",
    "FLOWERS",
    "HANAFUDA",
    "KABUFUDA",
    "MEKURIFUDA",
    "MONTH_ORDERS",
    "WESTERN",
    "Card",
    "CardNames",
    "CardTwiceError",
    "Kind",
    "UnknownCardError",
    "card",
    "first_of",
    "from_bits",
    "ids_of",
    "single_bits",
    "to_bits",
    "twin",
    "twin_of",
]

Kind = Literal["bright", "animal", "ribbon", "chaff"]

BACK = "back"
"""The class of a face-down card; not a card id."""
CARD_MM: Final = (33.0, 54.0)
"""The width and length of a hanafuda card."""


class UnknownCardError(BadRequestError):
    """Raised for an id that is not in the deck; `nearest` are the most similar ids."""

    code = "unknown-card"

    def __init__(self, wanted: object, known: Iterable[str]) -> None:
        self.wanted = wanted
        self.nearest: tuple[str, ...] = ()
        if wanted == BACK:
            hint = Message("hint-card-back")
        elif isinstance(wanted, str) and wanted in _BY_ID:
            hint = Message("hint-card-of-other-deck")
        else:
            self.nearest = nearest(wanted, known)
            hint = (
                Message("hint-did-you-mean", {"names": any_of(self.nearest)})
                if self.nearest
                else Message("hint-card-ids")
            )
        super().__init__(Message("problem-unknown-card", {"card": quote(wanted), "hint": hint}))


class CardTwiceError(BadRequestError):
    """Raised if one card is named more than once; `card` is its id."""

    code = "card-twice"

    def __init__(self, card_id: str, *, in_both: bool = False) -> None:
        """`in_both`: it is in the pile and on the field."""
        self.card = card_id
        other = twin(card_id)
        hint: Message | str = Message("hint-twin", {"card": other}) if other else ""
        values = {"card": card_id, "hint": hint}
        super().__init__(Message("problem-card-in-both" if in_both else "problem-card-twice", values))


@dataclass(frozen=True, slots=True)
class CardNames:
    """The common names of a card; `ko` is the hwatu name, None if hwatu has no such card."""

    en: str
    ja: str
    romaji: str
    ko: str | None = None

    def to_dict(self) -> dict[str, str | None]:
        """Return the names by language, as JSON."""
        return {"en": self.en, "ja": self.ja, "romaji": self.romaji, "ko": self.ko}


@dataclass(frozen=True, slots=True)
class Card:
    """One card of one deck.

    In the other decks `month` is the rank (0: the onifuda), `flower` the suit, and `kind` is None.
    """

    id: str
    month: int
    flower: str
    kind: Kind | None
    names: CardNames
    index: int
    """The index in deck order, from 0."""

    @property
    def bit(self) -> int:
        """The set that contains only this card: ``1 << index``."""
        return 1 << self.index

    def to_dict(self) -> dict[str, Any]:
        """Return the card as JSON."""
        return {
            "id": self.id,
            "month": self.month,
            "flower": self.flower,
            "kind": self.kind,
            "names": self.names.to_dict(),
        }


FLOWERS: tuple[str, ...] = (
    "pine", "plum", "cherry", "wisteria", "iris", "peony",
    "clover", "susuki", "chrysanthemum", "maple", "willow", "paulownia",
)  # fmt: skip
"""The flowers in the order of the Japanese months, 1 to 12."""


def _months(order: Iterable[str]) -> Mapping[str, int]:
    return {flower: month for month, flower in enumerate(order, start=1)}


MONTH_ORDERS: Mapping[str, Mapping[str, int]] = {
    "japan": _months(FLOWERS),
    # When hanafuda replace mekurifuda: rulings.md, before section 0.
    "nagoya": _months((
        "pine", "willow", "cherry", "wisteria", "iris", "paulownia",
        "clover", "susuki", "chrysanthemum", "maple", "peony", "plum",
    )),
    # Hwatu: paulownia is November, the rain (willow) December.
    "korea": _months((*FLOWERS[:10], "paulownia", "willow")),
}  # fmt: skip
"""The month of each flower in each order: ``japan``, ``nagoya``, ``korea``."""

# One line per card, in deck order: id, card type, English, Japanese, romaji, Korean.
_HANAFUDA_TABLE = """
pine-crane            bright | Crane and Sun      | 松に鶴     | matsu ni tsuru          | 송학 광
pine-ribbon           ribbon | Pine Poetry Ribbon | 松に赤短   | matsu ni akatan         | 송학 홍단
pine-chaff-1          chaff  | Pine Chaff         | 松のカス   | matsu no kasu           | 송학 피
pine-chaff-2          chaff  | Pine Chaff         | 松のカス   | matsu no kasu           | 송학 피
plum-warbler          animal | Bush Warbler       | 梅に鶯     | ume ni uguisu           | 매조 열끗
plum-ribbon           ribbon | Plum Poetry Ribbon | 梅に赤短   | ume ni akatan           | 매조 홍단
plum-chaff-1          chaff  | Plum Chaff         | 梅のカス   | ume no kasu             | 매조 피
plum-chaff-2          chaff  | Plum Chaff         | 梅のカス   | ume no kasu             | 매조 피
cherry-curtain        bright | Curtain            | 桜に幕     | sakura ni maku          | 벚꽃 광
cherry-ribbon         ribbon | Cherry Poetry Ribbon | 桜に赤短 | sakura ni akatan        | 벚꽃 홍단
cherry-chaff-1        chaff  | Cherry Chaff       | 桜のカス   | sakura no kasu          | 벚꽃 피
cherry-chaff-2        chaff  | Cherry Chaff       | 桜のカス   | sakura no kasu          | 벚꽃 피
wisteria-cuckoo       animal | Cuckoo             | 藤に不如帰 | fuji ni hototogisu      | 흑싸리 열끗
wisteria-ribbon       ribbon | Wisteria Ribbon    | 藤に短冊   | fuji ni tanzaku         | 흑싸리 초단
wisteria-chaff-1      chaff  | Wisteria Chaff     | 藤のカス   | fuji no kasu            | 흑싸리 피
wisteria-chaff-2      chaff  | Wisteria Chaff     | 藤のカス   | fuji no kasu            | 흑싸리 피
iris-bridge           animal | Bridge             | 菖蒲に八橋 | ayame ni yatsuhashi     | 난초 열끗
iris-ribbon           ribbon | Iris Ribbon        | 菖蒲に短冊 | ayame ni tanzaku        | 난초 초단
iris-chaff-1          chaff  | Iris Chaff         | 菖蒲のカス | ayame no kasu           | 난초 피
iris-chaff-2          chaff  | Iris Chaff         | 菖蒲のカス | ayame no kasu           | 난초 피
peony-butterflies     animal | Butterflies        | 牡丹に蝶   | botan ni chou           | 모란 열끗
peony-ribbon          ribbon | Peony Blue Ribbon  | 牡丹に青短 | botan ni aotan          | 모란 청단
peony-chaff-1         chaff  | Peony Chaff        | 牡丹のカス | botan no kasu           | 모란 피
peony-chaff-2         chaff  | Peony Chaff        | 牡丹のカス | botan no kasu           | 모란 피
clover-boar           animal | Boar               | 萩に猪     | hagi ni inoshishi       | 홍싸리 열끗
clover-ribbon         ribbon | Bush Clover Ribbon | 萩に短冊   | hagi ni tanzaku         | 홍싸리 초단
clover-chaff-1        chaff  | Bush Clover Chaff  | 萩のカス   | hagi no kasu            | 홍싸리 피
clover-chaff-2        chaff  | Bush Clover Chaff  | 萩のカス   | hagi no kasu            | 홍싸리 피
susuki-moon           bright | Full Moon          | 芒に月     | susuki ni tsuki         | 공산 광
susuki-geese          animal | Geese              | 芒に雁     | susuki ni kari          | 공산 열끗
susuki-chaff-1        chaff  | Susuki Chaff       | 芒のカス   | susuki no kasu          | 공산 피
susuki-chaff-2        chaff  | Susuki Chaff       | 芒のカス   | susuki no kasu          | 공산 피
chrysanthemum-sake    animal | Sake Cup           | 菊に盃     | kiku ni sakazuki        | 국화 열끗
chrysanthemum-ribbon  ribbon | Chrysanthemum Blue Ribbon | 菊に青短 | kiku ni aotan      | 국화 청단
chrysanthemum-chaff-1 chaff  | Chrysanthemum Chaff | 菊のカス  | kiku no kasu            | 국화 피
chrysanthemum-chaff-2 chaff  | Chrysanthemum Chaff | 菊のカス  | kiku no kasu            | 국화 피
maple-deer            animal | Deer               | 紅葉に鹿   | momiji ni shika         | 단풍 열끗
maple-ribbon          ribbon | Maple Blue Ribbon  | 紅葉に青短 | momiji ni aotan         | 단풍 청단
maple-chaff-1         chaff  | Maple Chaff        | 紅葉のカス | momiji no kasu          | 단풍 피
maple-chaff-2         chaff  | Maple Chaff        | 紅葉のカス | momiji no kasu          | 단풍 피
willow-rainman        bright | Rain Man           | 柳に小野道風 | yanagi ni Ono no Toufuu | 비광
willow-swallow        animal | Swallow            | 柳に燕     | yanagi ni tsubame       | 비 열끗
willow-ribbon         ribbon | Willow Ribbon      | 柳に短冊   | yanagi ni tanzaku       | 비 띠
willow-lightning      chaff  | Lightning          | 柳に雷     | yanagi ni kaminari      | 비 쌍피
paulownia-phoenix     bright | Phoenix            | 桐に鳳凰   | kiri ni houou           | 오동 광
paulownia-yellow      chaff  | Yellow Paulownia   | 桐のカス（黄） | kiri no kasu (ki)   | 오동 쌍피
paulownia-chaff-1     chaff  | Paulownia Chaff    | 桐のカス   | kiri no kasu            | 오동 피
paulownia-chaff-2     chaff  | Paulownia Chaff    | 桐のカス   | kiri no kasu            | 오동 피
"""

_CARD_TYPES: Mapping[str, Kind] = {
    "bright": "bright",
    "animal": "animal",
    "ribbon": "ribbon",
    "chaff": "chaff",
}


def _hanafuda() -> tuple[Card, ...]:
    cards = []
    for index, line in enumerate(_HANAFUDA_TABLE.strip().splitlines()):
        head, en, ja, romaji, ko = (part.strip() for part in line.split("|"))
        card_id, kind = head.split()
        flower = card_id.split("-")[0]
        month = FLOWERS.index(flower) + 1
        cards.append(Card(card_id, month, flower, _CARD_TYPES[kind], CardNames(en, ja, romaji, ko), index))
    return tuple(cards)


_KANJI = ("", "一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")
_NUMBERS_ROMAJI = (
    "", "ichi", "ni", "san", "shi", "go", "roku", "shichi", "hachi", "ku", "juu", "juuichi", "juuni",
)  # fmt: skip
# The Portuguese suits (paus, espadas, copas, ouros) in the Japanese players' pronunciation.
_SUITS = (
    ("clubs", "Clubs", "ハウ", "hau"),
    ("swords", "Swords", "イス", "isu"),
    ("cups", "Cups", "コップ", "koppu"),
    ("coins", "Coins", "オウル", "ouru"),
)
_COURT = {1: " (Dragon)", 10: " (Maid)", 11: " (Horse)", 12: " (King)"}


def _mekurifuda() -> tuple[Card, ...]:
    cards: list[Card] = []
    for suit, en, ja, romaji in _SUITS:
        for rank in range(1, 13):
            names = CardNames(
                f"{rank} of {en}{_COURT.get(rank, '')}",
                f"{ja}の{_KANJI[rank]}",
                f"{romaji} no {_NUMBERS_ROMAJI[rank]}",
            )
            cards.append(Card(f"{suit}-{rank}", rank, suit, None, names, len(cards)))
    cards.append(
        Card("onifuda", 0, "onifuda", None, CardNames("Onifuda (Ogre)", "鬼札", "onifuda"), len(cards))
    )
    return tuple(cards)


# The two cards that many kabufuda decks overprint in color: rank and copy to (English, Japanese, romaji).
_KABU_PRINTED = {
    (1, "a"): (" (red-printed)", "（赤）", " (aka)"),
    (4, "a"): (" (silver-printed)", "（銀）", " (gin)"),
}


def _kabufuda() -> tuple[Card, ...]:
    cards: list[Card] = []
    for rank in range(1, 11):
        for copy in "abcd":
            en, ja, romaji = _KABU_PRINTED.get((rank, copy), ("", "", ""))
            romaji = f"kabu no {_NUMBERS_ROMAJI[rank]}{romaji}"
            names = CardNames(f"Kabu {rank}{en}", f"株札の{_KANJI[rank]}{ja}", romaji)
            cards.append(Card(f"kabu-{rank}-{copy}", rank, "kabu", None, names, len(cards)))
    return tuple(cards)


# Western cards replace mekurifuda without their tens, so that jack, queen and king are 10, 11 and 12.
_WESTERN_SUITS = (
    ("C", "Clubs", "クラブ", "kurabu"),
    ("S", "Spades", "スペード", "supeedo"),
    ("H", "Hearts", "ハート", "haato"),
    ("D", "Diamonds", "ダイヤ", "daiya"),
)
_WESTERN_COURT = {
    1: ("1", "Ace", "A", "eesu"),
    10: ("J", "Jack", "J", "jakku"),
    11: ("Q", "Queen", "Q", "kuiin"),
    12: ("K", "King", "K", "kingu"),
}


def _western() -> tuple[Card, ...]:
    cards: list[Card] = []
    for letter, en, ja, romaji in _WESTERN_SUITS:
        for rank in range(1, 13):
            sign, word, word_ja, spoken = _WESTERN_COURT.get(
                rank, (str(rank), str(rank), str(rank), _NUMBERS_ROMAJI[rank])
            )
            names = CardNames(f"{word} of {en}", f"{ja}の{word_ja}", f"{romaji} no {spoken}")
            cards.append(Card(f"{letter}{sign}", rank, en.lower(), None, names, len(cards)))
    return tuple(cards)


HANAFUDA: tuple[Card, ...] = _hanafuda()
"""The 48 cards in deck order: months 1 to 12, four cards each."""
MEKURIFUDA: tuple[Card, ...] = _mekurifuda()
"""Clubs, swords, cups and coins 1 to 12, and the onifuda."""
KABUFUDA: tuple[Card, ...] = _kabufuda()
"""1 to 10, four copies (a to d) of each."""
WESTERN: tuple[Card, ...] = _western()
"""Western cards without tens, used instead of mekurifuda: C1 (the ace) to C9, CJ, CQ, CK; then S, H and D."""

DECKS: Mapping[str, tuple[Card, ...]] = {
    "hanafuda": HANAFUDA,
    "mekurifuda": MEKURIFUDA,
    "kabufuda": KABUFUDA,
    "western": WESTERN,
}

_BY_ID: Mapping[str, Card] = {c.id: c for deck in DECKS.values() for c in deck}
_HANAFUDA_BITS: Mapping[str, int] = {c.id: c.bit for c in HANAFUDA}


def card(card_id: str) -> Card:
    """Return the card with that id, from any deck."""
    try:
        return _BY_ID[card_id]
    except (KeyError, TypeError):
        raise UnknownCardError(card_id, _BY_ID) from None


def twin(card_id: str) -> str | None:
    """Return the id of the other identical-looking chaff of the flower, None if the card has no twin."""
    known = card(card_id)
    if known.id.endswith("-chaff-1"):
        return known.id[:-1] + "2"
    if known.id.endswith("-chaff-2"):
        return known.id[:-1] + "1"
    return None


def twin_of(name: str) -> str | None:
    """Return `twin`, or None for a name that is not a card, such as ``back``."""
    try:
        return twin(name)
    except UnknownCardError:
        return None


def first_of(name: str) -> str:
    """Return the first of two identical-looking cards; any other name, such as ``back``, unchanged."""
    return _FIRST.get(name, name)


_FIRST: Mapping[str, str] = {
    each.id: min(each.id, other) for each in HANAFUDA if (other := twin(each.id)) is not None
}


def to_bits(ids: Iterable[str]) -> int:
    """Return hanafuda cards as a 48-bit set; raise `CardTwiceError` for duplicates."""
    bits = 0
    for card_id in ids:
        try:
            bit = _HANAFUDA_BITS[card_id]
        except (KeyError, TypeError):
            raise UnknownCardError(card_id, _HANAFUDA_BITS) from None
        if bits & bit:
            raise CardTwiceError(card_id)
        bits |= bit
    return bits


def single_bits(bits: int) -> Iterator[int]:
    """Yield the cards of a set, each as a set of one, in deck order."""
    while bits:
        lowest = bits & -bits
        yield lowest
        bits ^= lowest


def from_bits(bits: int) -> tuple[Card, ...]:
    """Return the cards of a 48-bit set in deck order."""
    return tuple(HANAFUDA[bit.bit_length() - 1] for bit in single_bits(bits))


@lru_cache(maxsize=4096)  # the captures of one card, and repeated requests for the same piles
def ids_of(bits: int) -> tuple[str, ...]:
    """Return the ids of a set's cards in deck order."""
    return tuple(each.id for each in from_bits(bits))
