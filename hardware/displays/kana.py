"""Converts text for displays with ASCII or half-width katakana, and shortens names.

A display's font is ``ascii`` or ``katakana``. The latter is the HD44780's ROM A00, which has JIS X 0201 half-width katakana at A1
to DF.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final, Literal

import jaconv
from anyascii import anyascii

Font = Literal["ascii", "katakana"]

#: Kana that have no half-width form of their own.
_SIMILAR_KANA: Final = str.maketrans("ヮヵヶヰヱ\u3099\u309a゛゜", "ワカケイエﾞﾟﾞﾟ")
_VOICED: Final = frozenset("ﾞﾟ")
_SMALL: Final = frozenset("ァィゥェォャュョ")
_KANA_WORD: Final = re.compile("[ァ-ヴー]+")
_ROMAJI: Final = re.compile(
    r"(?:(?:([kstpgdbzjc])(?=\1)|t(?=ch))?(?:[kgnhbpmr]y?|sh?|ch|ts?|[zdywfjv])?[aiueo]|n(?![aiueoy])|[ '-])*"
)
#: Hepburn spelling of small kana, applied in this order to romaji in which ``x`` marks them.
_HEPBURN: Final = (
    ("wo", "o"),  # を
    (r"(sh|ch|j)ixy([auo])", r"\1\2"),
    (r"ixy([auo])", r"y\1"),
    (r"(?<![a-z])ux([ieo])", r"w\1"),
    (r"[aiueo]x([aiueo])", r"\1"),
    (r"(?:xtsu)+ch", "tch"),
    (r"(?:xtsu)+([a-z])", r"\1\1"),
    (r"xtsu|x", ""),
)

#: ROM A00 has ¥ and an arrow where ASCII has these.
_MISSING_IN_ROM: Final = {"\\": "/", "~": "-"}


def displayable(text: str, font: Font) -> str | None:
    """Return a text converted to a font's characters, one per cell; None if a character (such as kanji) has no equivalent."""
    cells = _to_half(text) if font == "katakana" else _to_romaji(text)
    plain = "".join(_to_plain(char) for char in cells)
    return None if "\0" in plain else plain


def romaji_to_katakana(romaji: str) -> str | None:
    """Return romaji, Hepburn without macrons, in katakana; None if it is not romaji."""
    plain = romaji.lower()
    if not _ROMAJI.fullmatch(plain):
        return None
    plain = re.sub("n'?(?![aiueoy'])|n'", "ン", plain).replace("-", "")
    return jaconv.hira2kata(jaconv.alphabet2kana(plain))


def short_names(names: Sequence[str], font: Font, width: int) -> list[str]:
    """Return the players' names, at most ``width`` (2 or more) cells each, all different.

    A long name is shortened to its first word or its beginning, and keeps a number at its end. A name that the font cannot show
    is replaced by its seat: P1, P2 and so on.
    """
    short = [_shortened(displayable(name, font), seat, width) for seat, name in enumerate(names, start=1)]
    labels = [
        f"{_cut(name, width - len(str(seat)))}{seat}" if short.count(name) > 1 else name
        for seat, name in enumerate(short, start=1)
    ]
    return labels if len(set(labels)) == len(labels) else [f"P{seat}" for seat in range(1, len(labels) + 1)]


def encode_cells(text: str) -> bytes:
    """Encode a text for the display; characters outside its font become question marks."""
    return bytes(
        ord(char) if " " <= char <= "~" else ord(char) - 0xFF61 + 0xA1 if "｡" <= char <= "ﾟ" else ord("?")
        for char in text
    )


def _shortened(name: str | None, seat: int, width: int) -> str:
    name = " ".join((name or "").split())
    if not name:
        return f"P{seat}"
    if len(name) <= width:
        return name
    number = re.search(r"\d+$", name)
    if number and len(number[0]) < width:
        return _cut(name, width - len(number[0])) + number[0]
    first = name.split()[0]
    return first if 1 < len(first) <= width else _cut(name, width)


def _cut(name: str, width: int) -> str:
    """Shorten a name, but not between a kana and its voicing mark."""
    if name[width : width + 1] and name[width] in _VOICED:
        width -= 1
    return name[:width].rstrip(" -.'")


def _katakana(text: str) -> str:
    """Return a text with its hiragana and half-width katakana as katakana, composed."""
    composed = unicodedata.normalize("NFKC", text)
    return "".join(chr(ord(char) + 0x60) if "ぁ" <= char <= "ゖ" else char for char in composed)


def _to_half(text: str) -> str:
    return jaconv.z2h(_katakana(text).translate(_SIMILAR_KANA), kana=True)


def _to_romaji(text: str) -> str:
    """Return a text with its kana in Hepburn romaji without macrons, each kana word capitalized."""
    return _KANA_WORD.sub(lambda word: _hepburn(word[0]).capitalize(), _katakana(text))


def _hepburn(kana: str) -> str:
    romaji = "".join("x" * (char in _SMALL) + jaconv.kana2alphabet(jaconv.kata2hira(char)) for char in kana)
    for pattern, spelling in _HEPBURN:
        romaji = re.sub(pattern, spelling, romaji)
    return re.sub("(.)(-+)", lambda vowel: vowel[1] * (1 + len(vowel[2])), romaji).replace("-", "")


def _to_plain(char: str) -> str:
    """Return a character in ASCII or half-width katakana; NUL for one that has neither."""
    if char in _MISSING_IN_ROM:
        return _MISSING_IN_ROM[char]
    if " " <= char <= "~" or "｡" <= char <= "ﾟ":
        return char
    is_latin = unicodedata.name(char, "").startswith("LATIN")
    is_punctuation = unicodedata.category(char) in {"Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "Sm"}
    return (anyascii(char) if is_latin or is_punctuation else "") or "\0"
