"""Stored answers: reading them, and saying where an answer differs from what is stored."""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["FOLDER", "differences", "read_lines", "without_texts", "write_lines"]

FOLDER = Path(__file__).parent
_TEXTS = frozenset({"message", "says", "text"})
"""Keys whose value is a sentence in the reader's language. The code and the parameters of the message stand beside it."""
_OPEN: Mapping[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open}


def read_lines(path: Path) -> list[Any]:
    """Return the JSON documents of a file, one a line; the file may be compressed (``.gz``, ``.xz``)."""
    with _OPEN.get(path.suffix, open)(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def write_lines(path: Path, documents: Sequence[Any]) -> None:
    """Write JSON documents, one a line; without a time stamp, so that the same documents give the same file."""
    text = "".join(
        json.dumps(each, ensure_ascii=False, separators=(",", ":")) + "\n" for each in documents
    ).encode()
    compress = {".gz": lambda data: gzip.compress(data, mtime=0), ".xz": lzma.compress}.get(path.suffix)
    path.write_bytes(compress(text) if compress else text)


def without_texts(value: Any) -> Any:
    """Return a JSON document without sentences, which may be worded better."""
    if isinstance(value, Mapping):
        return {
            key: without_texts(each)
            for key, each in value.items()
            if not (key in _TEXTS and isinstance(each, str))
        }
    return [without_texts(each) for each in value] if isinstance(value, list) else value


def differences(
    expected: Any, found: Any, near: Callable[[str, float, float], bool] | None = None, where: str = ""
) -> Iterator[str]:
    """Yield where two JSON documents differ, each with the path to the value.

    ``near`` decides whether two numbers at a path count as equal; without it they have to be the same.
    """
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        for key in [*expected, *(key for key in found if key not in expected)]:
            if key not in found:
                yield f"{where}.{key}: {_short(expected[key])} is missing"
            elif key not in expected:
                yield f"{where}.{key}: {_short(found[key])} is new"
            else:
                yield from differences(expected[key], found[key], near, f"{where}.{key}")
    elif isinstance(expected, list) and isinstance(found, list):
        if len(expected) != len(found):
            yield f"{where}: {len(found)} instead of {len(expected)}"
        for number, (one, other) in enumerate(zip(expected, found, strict=False)):
            yield from differences(one, other, near, f"{where}[{number}]")
    elif near is not None and _is_number(expected) and _is_number(found):
        if not near(where, expected, found):
            yield f"{where}: {found} instead of {expected}"
    elif expected != found or type(expected) is not type(found):
        yield f"{where}: {_short(found)} instead of {_short(expected)}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else f"{text[:200]}…"
