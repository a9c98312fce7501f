"""Parse JSON from people and other programs strictly: only what every program reads the same way (I-JSON, RFC 7493).

The standard library's parser also accepts lone surrogates, which cannot be written to files or responses, NaN,
integers that lose digits in a browser, and duplicate keys.
"""

from __future__ import annotations

import json
import math
from typing import Any, Final

__all__ = ["MAX_DEPTH", "MAX_INTEGER", "BadJSONError", "check_text", "loads"]

MAX_INTEGER: Final = 2**53
"""Greater integers lose digits where numbers are IEEE 754 doubles, as in browsers (RFC 7493, section 2.2)."""

MAX_DEPTH: Final = 64
"""The maximum nesting; the deepest document, a referee's question with a whole deal in an answer, has 11 levels."""


class BadJSONError(ValueError):
    """Raised for text that is not JSON, or for JSON that programs read in different ways."""


def loads(text: str | bytes) -> Any:
    """Parse a JSON document and return its value; bytes are UTF-8. Raises `BadJSONError`."""
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
    """Raise `BadJSONError` for text that UTF-8 cannot encode or that contains a NUL character."""
    if "\0" in text:
        raise BadJSONError(f"a text has a NUL character in it: {text[:40]!a}")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            surrogate = ascii(text[error.start])
            raise BadJSONError(f"a text has half of a surrogate pair in it ({surrogate})") from None


_TOO_DEEP: Final = f"it is nested more than {MAX_DEPTH} levels deep"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        keys = [key for key, _ in pairs]
        duplicate = next(key for number, key in enumerate(keys) if key in keys[:number])
        raise ValueError(f"an object has the key {duplicate[:40]!a} twice")
    return result


def _constant(text: str) -> float:
    raise ValueError(f"{text} is not a JSON number")


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"the number {text[:40]} is too large")
    return number


def _integer(text: str) -> int:
    # Check the length first: converting thousands of digits is slow or raises a ValueError of its own.
    if len(text) > len(str(-MAX_INTEGER)) or abs(int(text)) > MAX_INTEGER:
        raise ValueError(f"the number {text[:40]} is too large")
    return int(text)


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
