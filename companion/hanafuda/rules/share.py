"""Share codes: rules records encoded in a few characters, to be read aloud or put in a QR code.

A code consists of digits and capital letters without I, L, O and U (Crockford's base 32), five bits each:

- the letter of the game (`Game.share`) and the version of the format;
- the number of the base that the record is compared with, from 1, in Elias gamma code;
- for each option that differs from the base, in the order of the table: the distance to its line in the table, in
  Elias gamma code, and its value as encoded by that line;
- zeros that fill the last character;
- three check characters: a multiple of the code before them, read as a number, modulo a prime. One wrong character or
  two swapped neighbors are always detected, other errors except one in 32,749.

Readers accept small letters, O for 0, I or L for 1, and spaces or hyphens anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..errors import BadRequestError, quote
from ..messages import Message
from ..registry import GAMES
from .presets import PRESETS, named
from .record import BadRuleValueError, Rules
from .share_table import Bits, ShareTable, UndefinedBitsError

__all__ = [
    "BadShareCodeError",
    "NewerShareCodeError",
    "decode",
    "encode",
    "grouped",
    "is_like_a_code",
    "link",
]

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_VERSION = 1
_CHECKS = 3
_PRIME = 32749  # the largest prime below 2 ** 15, which three characters can hold
_MULTIPLIER = 12345  # makes the check characters of a short code differ from the code itself
_MIN_LENGTH = 3 + _CHECKS
_MAX_LENGTH = 300  # limit for input; codes of this version are at most half as long

_NORMALIZE = str.maketrans({"O": "0", "I": "1", "L": "1", "-": "", " ": ""})
_IN_LINK = re.compile(r".*/r/([^/?#]*).*", re.IGNORECASE | re.DOTALL)


class BadShareCodeError(BadRequestError):
    """Raised for a mistyped share code."""

    code = "bad-share-code"


class NewerShareCodeError(BadRequestError):
    """Raised for a share code with content that this version of the program does not know."""

    code = "newer-share-code"

    def __init__(self, text: str) -> None:
        super().__init__(Message("problem-newer-share-code", {"code": quote(text)}))


def encode(rules: Rules) -> str:
    """Return the share code of a record."""
    table = GAMES[rules.game].share
    body = min((_body(rules, table, number) for number in range(len(table.bases))), key=len)
    code = f"{table.letter}{_ALPHABET[_VERSION]}{_characters(body)}"
    return code + _check(code)


def decode(text: str) -> Rules:
    """Return the record of a share code, or of a link with one, as a change of the nearest preset.

    Raises `BadShareCodeError` for a mistyped code, and `NewerShareCodeError` for one made by a newer version.
    """
    code = _normalized(text)
    letter, version, body = code[0], _ALPHABET.index(code[1]), code[2:-_CHECKS]
    games = {game.share.letter: game for game in GAMES.values()}
    if version != _VERSION or letter not in games:
        raise NewerShareCodeError(text)
    game = games[letter]
    try:
        values = _values(Bits("".join(f"{_ALPHABET.index(each):05b}" for each in body)), game.share)
        return _nearest_to_a_preset(game.rules(**values))
    except (UndefinedBitsError, BadRuleValueError) as error:
        raise NewerShareCodeError(text) from error


def is_like_a_code(text: str) -> bool:
    """Return whether a text looks like a share code: a game's letter, then a digit, or a link with a code."""
    letters = "".join(game.share.letter for game in GAMES.values())
    return bool(_IN_LINK.fullmatch(text) or re.match(rf"[{letters}][- ]?[0-9]", text.strip(), re.IGNORECASE))


def grouped(code: str) -> str:
    """Return a code in groups of four characters, for display."""
    return "-".join(code[start : start + 4] for start in range(0, len(code), 4))


def link(base: str, code: str) -> str:
    """Return the URL of the page that shows a code, on the server `base`.

    Scheme, host and path are in capitals where possible: a QR code stores capitals, digits and a few
    signs in fewer bits.
    """
    scheme, _, rest = base.rstrip("/").partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme.upper()}://{host.upper()}{slash}{path}/R/{code}"


def _body(rules: Rules, table: ShareTable, base: int) -> str:
    """Return the bits of a record relative to a base."""
    known = _base_values(table, base)
    bits = [_gamma(base + 1)]
    last = -1
    for key in sorted(rules.options(), key=lambda key: _line_of(table, key, getattr(rules, key))[0]):
        value = getattr(rules, key)
        if value != known[key]:
            number, value_bits = _line_of(table, key, value)
            bits += [_gamma(number - last), value_bits]
            last = number
    return "".join(bits)


def _line_of(table: ShareTable, key: str, value: Any) -> tuple[int, str]:
    """Return the number of the line that can encode a value of an option, and the bits."""
    for number, line in enumerate(table.lines):
        if line.key == key and (bits := line.write(value)) is not None:
            return number, bits
    raise LookupError(
        f"no share code can hold {key} = {value!r}: add a line for it at the end of its game's table in"
        " its package's share.py, for a new option with its default as the absent value"
    )


def _values(bits: Bits, table: ShareTable) -> dict[str, Any]:
    """Return the options' values encoded in the bits of a code."""
    base = bits.take_gamma() - 1
    if base >= len(table.bases):
        raise UndefinedBitsError(f"it starts from record {base}")
    values = _base_values(table, base)
    number = -1
    while not bits.at_end():
        number += bits.take_gamma()
        if number >= len(table.lines):
            raise UndefinedBitsError(f"it sets option {number}")
        values[table.lines[number].key] = table.lines[number].read(bits)
    return values


def _base_values(table: ShareTable, base: int) -> dict[str, Any]:
    absent: Mapping[str, Any] = {line.key: line.absent for line in table.lines}
    return {**absent, **table.bases[base]}


def _gamma(number: int) -> str:
    """Return a number of 1 or more in Elias gamma code."""
    return "0" * (number.bit_length() - 1) + f"{number:b}"


def _characters(bits: str) -> str:
    filled = bits + "0" * (-len(bits) % 5)
    return "".join(_ALPHABET[int(filled[start : start + 5], 2)] for start in range(0, len(filled), 5))


def _check(code: str) -> str:
    number = 0
    for character in code:
        number = (32 * number + _ALPHABET.index(character)) % _PRIME
    number = _MULTIPLIER * number % _PRIME
    return "".join(_ALPHABET[number >> shift & 31] for shift in (10, 5, 0))


def _normalized(text: str) -> str:
    """Return a code normalized as `encode` writes it; raise `BadShareCodeError` if it is mistyped."""
    link_match = _IN_LINK.fullmatch(text)
    code = (link_match[1] if link_match else text).strip().upper().translate(_NORMALIZE)
    if invalid := next((each for each in code if each not in _ALPHABET), None):
        raise BadShareCodeError(
            Message("share-code-character", {"code": quote(text), "character": repr(invalid)})
        )
    if not _MIN_LENGTH <= len(code) <= _MAX_LENGTH:
        raise BadShareCodeError(Message("share-code-length", {"code": quote(text), "count": len(code)}))
    if code[-_CHECKS:] != _check(code[:-_CHECKS]):
        raise BadShareCodeError(Message("problem-bad-share-code", {"code": quote(text)}))
    return code


def _nearest_to_a_preset(record: Rules) -> Rules:
    """Return a record as a change of the preset that it differs least from."""
    presets = [PRESETS[name] for name in record.presets]
    nearest = min(presets, key=lambda preset: len(record.changes(preset)))
    return named(replace(record, preset=nearest.name))
