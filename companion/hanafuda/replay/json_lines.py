"""Read round records from a file: JSON Lines, or one record over several lines."""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import BadRequestError
from ..strict_json import BadJSONError, loads

__all__ = ["JsonLine", "read_lines"]


@dataclass(frozen=True, slots=True)
class JsonLine:
    """The content of a line: a JSON value, or the error that explains why it cannot be read."""

    number: int
    value: Any = None
    error: BadRequestError | None = None


def read_lines(text: bytes) -> Iterator[JsonLine]:
    """Yield the value of each line; blank lines are skipped but counted in line numbers."""
    if text.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        # Windows PowerShell's `>` writes UTF-16.
        text = text.decode("utf-16", "replace").encode()
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    parsed = [JsonLine(number, *_parsed(line)) for number, line in lines]
    if parsed and parsed[0].error:
        # Not one record per line: an editor may have formatted one record over many lines.
        whole, error = _parsed(text)
        if error is None:
            parsed = [JsonLine(parsed[0].number, whole)]
    return iter(parsed)


def _parsed(text: bytes) -> tuple[Any, BadRequestError | None]:
    try:
        return loads(text), None
    except BadJSONError as error:
        return None, BadRequestError(f"this is not JSON: {error}")
