"""Converts text for displays with ASCII or half-width katakana, and shortens names.

A display's font is ``ascii`` or ``katakana``. The latter is the HD44780's ROM A00, which has JIS X 0201 half-width katakana at A1
to DF.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final, Literal

__all__ = ["Font", "displayable", "encode_cells", "romaji_to_katakana", "short_names"]

Font = Literal["ascii", "katakana"]

_HALF: Final = {
    **{unicodedata.normalize("NFKC", chr(code)): chr(code) for code in range(0xFF61, 0xFF9E)},
    "\u3099": "ﾞ", "\u309a": "ﾟ", "゛": "ﾞ", "゜": "ﾟ", "ヮ": "ﾜ", "ヰ": "ｲ", "ヱ": "ｴ", "ヵ": "ｶ", "ヶ": "ｹ", "　": " ",
}  # fmt: skip
_VOICED: Final = frozenset("ﾞﾟ")

_ROWS: Final = {
    "": "アイウエオ", "k": "カキクケコ", "s": "サ.スセソ", "t": "タ..テト", "n": "ナニヌネノ", "h": "ハヒ.ヘホ", "m": "マミムメモ",
    "y": "ヤ.ユ.ヨ", "r": "ラリルレロ", "w": "ワ...ヲ", "g": "ガギグゲゴ", "z": "ザ.ズゼゾ", "d": "ダ..デド", "b": "バビブベボ", "p": "パピプペポ",
}  # fmt: skip
_HEPBURN: Final = {
    **{
        kana: consonant + vowel
        for consonant, row in _ROWS.items()
        for vowel, kana in zip("aiueo", row, strict=True)
        if kana != "."
    },
    "シ": "shi", "チ": "chi", "ツ": "tsu", "フ": "fu", "ジ": "ji", "ヂ": "ji", "ヅ": "zu", "ヴ": "vu", "ン": "n", "ヲ": "o",
    "ァ": "a", "ィ": "i", "ゥ": "u", "ェ": "e", "ォ": "o", "ャ": "ya", "ュ": "yu", "ョ": "yo",
}  # fmt: skip
_SMALL_Y: Final = {"ャ": "a", "ュ": "u", "ョ": "o"}
_SMALL_VOWELS: Final = frozenset("ァィゥェォ")
# Romaji to kana: the plain syllables (ジ and ズ before ヂ and ヅ), then those with a small y.
_SYLLABLES: Final = {
    **{romaji: kana for kana, romaji in reversed(_HEPBURN.items()) if kana not in "ァィゥェォャュョヂヅ" and romaji != "n"},
    "o": "オ", "wo": "ヲ",
    **{
        stem + vowel: kana + small
        for kana, stem in (
            ("キ", "ky"), ("シ", "sh"), ("チ", "ch"), ("ニ", "ny"), ("ヒ", "hy"), ("ミ", "my"), ("リ", "ry"),
            ("ギ", "gy"), ("ジ", "j"), ("ビ", "by"), ("ピ", "py"),
        )
        for small, vowel in _SMALL_Y.items()
    },
}  # fmt: skip

_PLAIN_CHARACTERS: Final = {
    "ß": "ss", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "Ae", "đ": "d", "Đ": "D", "ł": "l", "Ł": "L", "ı": "i", "œ": "oe",
    "’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": ".", "·": ".", "×": "x", "、": ",", "。": ".",
}  # fmt: skip
#: ROM A00 has ¥ and an arrow where ASCII has these.
_MISSING_IN_ROM: Final = {"\\": "/", "~": "-"}


def displayable(text: str, font: Font) -> str | None:
    """Return a text converted to a font's characters, one per cell; None if a character (such as kanji) has no equivalent."""
    cells = _to_half(text) if font == "katakana" else _to_romaji(text)
    plain = "".join(_to_plain(char) for char in cells)
    return None if "\0" in plain else plain


def romaji_to_katakana(romaji: str) -> str | None:
    """Return romaji, Hepburn without macrons, in katakana; None if it is not romaji."""
    kana, rest = "", romaji.lower()
    while rest:
        if len(rest) > 1 and rest[0] == rest[1] and rest[0] not in "aiueon":
            kana, rest = kana + "ッ", rest[1:]
            continue
        size = next((size for size in (3, 2, 1) if rest[:size] in _SYLLABLES), 0)
        if size:
            kana, rest = kana + _SYLLABLES[rest[:size]], rest[size:]
        elif rest[0] in "n' -":
            kana, rest = kana + ("ン" if rest[0] == "n" else " " if rest[0] == " " else ""), rest[1:]
        else:
            return None
    return kana


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
    apart = (unicodedata.normalize("NFD", char) if "ァ" <= char <= "ヿ" else char for char in _katakana(text))
    return "".join(_HALF.get(char, char) for char in "".join(apart))


def _to_romaji(text: str) -> str:
    """Return a text with its kana in Hepburn romaji without macrons, each kana word capitalized."""
    out, double, was_kana = "", False, False
    for char in _katakana(text):
        if was_kana and (joined := _join(out, char)) is not None:
            out = joined
        elif char == "ッ":
            double = True
            continue
        elif romaji := _HEPBURN.get(char):
            lead = ("t" if romaji.startswith("ch") else romaji[0]) if double else ""
            starts = not was_kana
            out += (lead + romaji).capitalize() if starts else lead + romaji
        else:
            out += char
        double, was_kana = False, char in _HEPBURN or char == "ー"
    return out


def _join(out: str, char: str) -> str | None:
    """Return romaji with a small kana or a long-vowel mark joined to its last syllable; None for any other character."""
    if char in _SMALL_Y and out[-1:] == "i":
        return out[:-1] + ("" if out.lower().endswith(("shi", "chi", "ji")) else "y") + _SMALL_Y[char]
    if char in _SMALL_VOWELS and out:
        return out[:-1] + _HEPBURN[char]
    return out + out[-1:] if char == "ー" else None


def _to_plain(char: str) -> str:
    """Return a character in ASCII or half-width katakana; NUL for one that has neither."""
    if char in _MISSING_IN_ROM:
        return _MISSING_IN_ROM[char]
    if " " <= char <= "~" or "｡" <= char <= "ﾟ":
        return char
    if char in _PLAIN_CHARACTERS:
        return _PLAIN_CHARACTERS[char]
    base = "".join(part for part in unicodedata.normalize("NFKD", char) if not unicodedata.combining(part))
    return base if base and all(" " <= part <= "~" for part in base) else "\0"
