"""The golden tables of scores of piles in Koi-Koi: cases written by hand from the rule texts; players can add lines."""

import json
from pathlib import Path
from typing import Any

import pytest

from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.scoring import score_request

GOLDEN = Path(__file__).parent.parent / "golden"
KINDS = {"brights": "bright", "animals": "animal", "ribbons": "ribbon", "chaff": "chaff"}


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _cards(text: str) -> list[str]:
    ids: list[str] = []
    for word in text.split():
        kind, colon, count = word.partition(":")
        if colon:
            of_kind = [card.id for card in HANAFUDA if card.kind == KINDS[kind]]
            assert len(of_kind) >= int(count), f"there are fewer than {word}"
            ids += of_kind[: int(count)]
        else:
            ids.append(word)
    return ids


def _request(rules: str, situation: str, cards: str) -> dict[str, Any]:
    preset, *changes = rules.split()
    reported = dict(word.split("=") for word in situation.split())
    request: dict[str, Any] = {
        "game": "koikoi",
        "rules": {"preset": preset, **{key: _value(text) for key, text in (c.split("=") for c in changes)}},
        "captured": _cards(cards),
        "calls": {"own": int(reported.pop("own", 0)), "opponent": int(reported.pop("opponent", 0))},
    }
    if "month" in reported:
        request["month"] = int(reported.pop("month"))
    if "field" in reported:
        request["field"] = reported.pop("field").split("+")
    assert not reported, f"unknown words in the situation: {reported}"
    return request


def _expected(text: str) -> tuple[dict[str, int], int, int | None]:
    yaku, _, sums = text.partition(" = ")
    base, _, total = sums.partition(" => ")
    pairs = [] if yaku == "-" else [part.rsplit(" ", 1) for part in yaku.split(", ")]
    return {name: int(points) for name, points in pairs}, int(base), int(total) if total else None


def _cases() -> list[Any]:
    cases = []
    for path in (GOLDEN / f"koikoi-{table}.txt" for table in ("options", "payment", "yaku")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if line.strip() and not line.startswith("#"):
                columns = [column.strip() for column in line.split("|")]
                cases.append(pytest.param(*columns, id=f"{path.stem}:{number}"))
    return cases


@pytest.mark.parametrize(("rules", "situation", "cards", "expected", "source"), _cases())
def test_case(rules: str, situation: str, cards: str, expected: str, source: str) -> None:
    assert source, "a case names the text it comes from"
    yaku, base, total = _expected(expected)
    answer = score_request(_request(rules, situation, cards))
    assert {each["name"]: each["points"] for each in answer["yaku"]} == yaku
    assert answer["base"] == base == sum(yaku.values())
    if total is not None:
        assert answer["total"] == total
