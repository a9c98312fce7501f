"""Round records in a file: JSON Lines, or one record written over several lines."""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.strict_json import BadJSONError, loads

__all__ = ["Line", "read_lines"]


@dataclass(frozen=True, slots=True)
class Line:
    """What stands on a line: a JSON value, or the error that says why there is none."""

    number: int
    value: Any = None
    error: BadRequestError | None = None


def read_lines(text: bytes) -> Iterator[Line]:
    """Yield what each line holds; blank lines are passed over, but count."""
    if text.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        # What `>` writes in Windows PowerShell.
        text = text.decode("utf-16", "replace").encode()
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    read = [Line(number, *_parsed(line)) for number, line in lines]
    if read and read[0].error:
        # Not a record a line: somebody's editor may have set one record over many.
        whole, error = _parsed(text)
        if error is None:
            read = [Line(read[0].number, whole)]
    return iter(read)


def _parsed(text: bytes) -> tuple[Any, BadRequestError | None]:
    try:
        return loads(text), None
    except BadJSONError as error:
        return None, BadRequestError(f"this is not JSON: {error}")
