"""Names that people type, for players, tables, circles, phones and devices: one spelling for what looks the same.

Every name passes `tidy_name` where it enters: in the API's models, in new and imported events, and in the commands.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Final

from anyascii import anyascii

from companion.hanafuda.errors import MessageError
from companion.hanafuda.messages import Message

THIS_MACHINE: Final = "this machine"
"""The actor of what happens on the server's own machine."""
MAX_NAME: Final = 40
"""Maximum length of a name, characters; more do not fit on a phone's page."""
_OWN_LETTERS: Final = THIS_MACHINE.replace(" ", "")
_MAX_TYPED: Final = 1_000
"""Length up to which a text is normalized, characters: normalizing takes time quadratic in the number of accents on a letter."""
_MAX_MARKS: Final = 4
"""Accents on one letter; Vietnamese and Hebrew need two, Thai and Tibetan three. More would cover the lines above and below."""
_BLANKS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters without a picture that count as letters or symbols: fillers of Hangul, an empty Braille pattern, and others."""


class ReservedNameError(MessageError):
    """Raised for a name that looks like that of the server's own machine or of a phone that is not paired."""

    code = "reserved-name"


def tidy_name(name: str) -> str:
    """Return a name composed (NFC), with single spaces between its words and without control, format and blank characters.

    A name that is much too long stays as it is; whoever stores it checks the length.
    """
    if len(name) > _MAX_TYPED:
        return name
    words = " ".join(name.split())
    composed = unicodedata.normalize("NFC", "".join(filter(_is_visible, words)))
    kept: list[str] = []
    marks = 0
    for char in composed:
        marks = marks + 1 if unicodedata.category(char) == "Mn" else 0
        if marks <= _MAX_MARKS:
            kept.append(char)
    return " ".join("".join(kept).split())


def phone_name(name: str) -> str:
    """Return the name of a phone or machine, the actor of its events.

    Raises `ReservedNameError` for one that looks like the server's own machine or an address, also in letters of another script: the
    history uses these for what no paired phone did.
    """
    letters = "".join(filter(str.isalnum, anyascii(name_key(name)).casefold()))
    if _OWN_LETTERS in letters or letters.startswith("http"):
        raise ReservedNameError(Message("problem-reserved-name", {"name": name}))
    return name


def name_key(name: str) -> str:
    """Return a text that is equal for names that look the same: without the difference of small, capital and wide letters."""
    folded = unicodedata.normalize("NFKC", tidy_name(name)).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def same_names(names: Iterable[str]) -> list[str]:
    """Return the names that look the same as an earlier one; empty names differ."""
    seen: set[str] = set()
    same = []
    for name in filter(None, names):
        key = name_key(name)
        if key in seen:
            same.append(name)
        seen.add(key)
    return same


def distinct_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return names with numbers after those that look the same as an earlier one, such as `Aiko` and `Aiko 2`."""
    distinct: list[str] = []
    for name in names:
        number, each = 1, name
        while same_names([*distinct, each]):
            number += 1
            each = f"{name[: MAX_NAME - 3]} {number}"
        distinct.append(each)
    return tuple(distinct)


def _is_visible(char: str) -> bool:
    return char.isprintable() and char not in _BLANKS
