"""Read JSON from people and other programs: only what every program reads the same way (I-JSON, RFC 7493).

The standard library's parser accepts more: lone surrogates, which no file and no answer can hold, NaN, integers that
lose digits in a browser, and the last of several equal keys.
"""

from __future__ import annotations

import json
import math
from typing import Any, Final

__all__ = ["MAX_DEPTH", "MAX_INTEGER", "BadJSONError", "check_text", "loads"]

MAX_INTEGER: Final = 2**53
"""Greater integers lose digits where numbers are IEEE 754 doubles, as in browsers (RFC 7493, section 2.2)."""

MAX_DEPTH: Final = 64
"""Levels of nesting; a question of the referee with a whole deal in an answer, the deepest document, has 11."""


class BadJSONError(ValueError):
    """Raised for a text that is not JSON, or JSON that programs read in different ways."""


def loads(text: str | bytes) -> Any:
    """Return the value of a JSON document; bytes are UTF-8. Raises `BadJSONError`."""
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8-sig")
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_constant,
            parse_float=_float,
            parse_int=_integer,
        )
    except RecursionError:
        raise BadJSONError(_TOO_DEEP) from None
    except ValueError as error:
        raise BadJSONError(str(error)) from None
    _check(value, 0)
    return value


def check_text(text: str) -> None:
    """Raise `BadJSONError` for a text that UTF-8 cannot encode, or with a NUL character in it."""
    if "\0" in text:
        raise BadJSONError(f"a text has a NUL character in it: {text[:40]!a}")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            found = ascii(text[error.start])
            raise BadJSONError(f"a text has half of a surrogate pair in it ({found})") from None


_TOO_DEEP: Final = f"it is nested more than {MAX_DEPTH} levels deep"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for number, key in enumerate(keys) if key in keys[:number])
        raise ValueError(f"an object has the key {twice[:40]!a} twice")
    return found


def _constant(written: str) -> float:
    raise ValueError(f"{written} is not a JSON number")


def _float(written: str) -> float:
    number = float(written)
    if not math.isfinite(number):
        raise ValueError(f"the number {written[:40]} is too large")
    return number


def _integer(written: str) -> int:
    # The length comes first: a conversion of thousands of digits is slow, or a ValueError of its own.
    if len(written) > len(str(-MAX_INTEGER)) or abs(int(written)) > MAX_INTEGER:
        raise ValueError(f"the number {written[:40]} is too large")
    return int(written)


def _check(value: Any, depth: int) -> None:
    if isinstance(value, str):
        check_text(value)
    elif isinstance(value, dict | list):
        if depth >= MAX_DEPTH:
            raise BadJSONError(_TOO_DEEP)
        if isinstance(value, dict):
            for key in value:
                check_text(key)
        for each in value.values() if isinstance(value, dict) else value:
            _check(each, depth + 1)
