"""Parser of Kekoro's golden tables: cases in columns, with their notation of cards and rules."""

import json
from pathlib import Path
from typing import Any

import pytest

from companion.hanafuda.cards import HANAFUDA, to_bits
from companion.hanafuda.games.kekoro.rules import KekoroRules
from companion.hanafuda.rules import resolve

ORDER = [card.id for card in HANAFUDA]
GOLDEN = Path(__file__).parents[3] / "golden"
_KINDS = {"brights": "bright", "animals": "animal", "ribbons": "ribbon", "chaff": "chaff"}


def cases(name: str) -> list[Any]:
    """Return a table's lines as parameters, one string per column."""
    lines = (GOLDEN / name).read_text(encoding="utf-8").splitlines()
    return [
        pytest.param(*(column.strip() for column in line.split("|")), id=f"{name}:{number}")
        for number, line in enumerate(lines, start=1)
        if line.strip() and not line.startswith(("#", "scene "))
    ]


def rules(text: str) -> KekoroRules:
    """Parse a preset with changes: ``kekoro values=kusaba``."""
    preset, *changes = text.split()
    record: dict[str, Any] = {"preset": preset}
    for key, value in (change.split("=") for change in changes):
        record[key] = json.loads(value) if value.isdigit() else value
    found = resolve(record, "kekoro")
    assert isinstance(found, KekoroRules)
    return found


def cards(text: str) -> int:
    """Parse a set of cards: ids, ``chaff:10``, ``months:1-6``."""
    ids: list[str] = []
    for word in text.split():
        kind, colon, reported = word.partition(":")
        if kind == "months":
            first, last = map(int, reported.split("-"))
            ids += [card.id for card in HANAFUDA if first <= card.month <= last]
        elif colon:
            of_kind = [card.id for card in HANAFUDA if card.kind == _KINDS[kind]]
            assert len(of_kind) >= int(reported), f"there are fewer than {word}"
            ids += of_kind[: int(reported)]
        else:
            ids.append(word)
    return to_bits(ids)


def worked(text: str) -> int:
    """Parse a sum as people write it, ``2x5 + 10 = 20``, and check that it is right."""
    terms, _, result = text.partition(" = ")
    total = 0
    for term in terms.split(" + "):
        count, times, each = term.partition("x")
        total += int(count) * int(each) if times else int(count)
    assert total == int(result), f"{text} is not right"
    return total
