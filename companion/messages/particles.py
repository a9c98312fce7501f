"""Forms that depend on a value: English plurals, and Korean particles (josa), which depend on a word's last sound.

``api/static/js/particles.js`` does the same for the pages; one table tests both.
"""

from __future__ import annotations

import re
from typing import Any

_READABLE = "0-9A-Za-z\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_LAST = re.compile(rf"[{_READABLE}]+(?=[^{_READABLE}]*$)")

_FINALS = tuple("l" if number == 8 else "k" if number else "" for number in range(28))
"""The final consonant of a Hangul syllable by its number: none, ㄹ, or another one."""

_DIGITS = {"0": "ng", "1": "l", "2": "", "3": "m", "4": "", "5": "", "6": "k", "7": "l", "8": "l", "9": ""}
"""The final consonant of each digit as Korean reads it (영, 일, 이, 삼 …)."""

_LETTERS = {"l": "l", "r": "l", "m": "m", "n": "n"}
"""The final consonant of the letters whose Korean names have one (엘, 알, 엠, 엔)."""


def particle(word: Any, forms: Any) -> str:
    """Return the particle for a word, out of two forms such as ``은/는``: after a consonant, and after a vowel.

    A form with 으 (``으로/로``) is not used after ㄹ either. Where the reading of the word is not known (Chinese
    characters), both forms are returned as Korean writes them: ``은(는)``, ``(으)로``.
    """
    after_consonant, after_vowel = str(forms).split("/")
    final = _final(str(word))
    if final is None:
        if after_consonant.startswith("으"):
            return f"(으){after_vowel}"
        return f"{after_consonant}({after_vowel})"
    if final == "" or (final == "l" and after_consonant.startswith("으")):
        return after_vowel
    return after_consonant


def plural(count: Any, forms: Any) -> str:
    """Return the English form for a count, out of two such as ``card/cards``: for one, and for any other number."""
    one, other = str(forms).split("/")
    return one if count == 1 else other


def _final(word: str) -> str | None:
    """Return the final consonant of a word, empty after a vowel, None where the reading is unknown."""
    found = _LAST.search(word)
    if found is None:
        return None
    last = found[0][-1]
    if "가" <= last <= "힣":
        return _FINALS[(ord(last) - ord("가")) % 28]
    if last.isascii():
        return _DIGITS[last] if last.isdigit() else _final_of_letters(re.split(r"[^A-Za-z]", found[0])[-1])
    if "\u3040" <= last <= "\u30ff":
        return "n" if last in "んン" else ""
    return None


def _final_of_letters(letters: str) -> str:
    """Return the final consonant of letters: of the last one's name in an abbreviation, else as the word sounds."""
    if letters.isupper():
        return _LETTERS.get(letters[-1].lower(), "")
    word = letters.lower()
    if word[-1] in "lmn":
        return word[-1]
    if word.endswith("ng") or re.search(r"[aeiouy](?:[bkpt]|c|ck)$", word):
        return "k"
    return ""
