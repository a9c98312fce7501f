"""Cases on which other projects' tests, public programs and recorded rounds agree (not shipped here)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.hanafuda.scoring import score_request

ROUNDS = Path(__file__).parents[4] / "shared" / "rounds"

pytestmark = pytest.mark.skipif(
    not ROUNDS.exists(), reason="the recorded rounds are not here (../shared/rounds)"
)


def _lines(name: str) -> Iterator[dict[str, Any]]:
    with (ROUNDS / name).open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _points(answer: dict[str, Any]) -> list[list[Any]]:
    return sorted([yaku["name"], yaku["points"]] for yaku in answer["yaku"])


def _disagreement(case: dict[str, Any]) -> str | None:
    answer = score_request(case["request"])
    points = _points(answer)
    expected = case["expected"] or []
    if case["mode"] == "exact" and points != sorted(expected):
        return f"{case['id']}: {points}, not {expected}"
    if case["mode"] == "contains" and not all(pair in points for pair in expected):
        return f"{case['id']}: {points} without {expected}"
    if {name for name, _ in points} & set(case["absent"]):
        return f"{case['id']}: {points} with one of {case['absent']}"
    # `total` of these cases is the sum before multipliers.
    if case["total"] is not None and answer["base"] != case["total"]:
        return f"{case['id']}: {answer['base']}, not {case['total']}"
    return None


@pytest.mark.parametrize(("name", "count"), [("scoring-cases.jsonl", 369), ("scoring-piles.jsonl", 4500)])
def test_cases_of_other_programs(name: str, count: int) -> None:
    cases = list(_lines(name))
    assert len(cases) == count
    assert [output for case in cases if (output := _disagreement(case))] == []


def test_recorded_rounds_have_the_recorded_payments() -> None:
    """The winner's yaku and points, with koi-koi calls, as paid on KoiKoi-Japan."""
    rounds = 0
    for record in _lines("koikoi-japan.jsonl"):
        winner = record["result"]["winner"]
        if not record["expect"]["yaku"]:
            continue
        rounds += 1
        called = [turn["player"] == winner for turn in record["turns"] if turn["call"] == "koikoi"]
        answer = score_request(
            {
                "game": "koikoi",
                "rules": record["rules"],
                "captured": record["expect"]["captured"][str(winner)],
                "month": record["month"],
                "calls": {"own": sum(called), "opponent": len(called) - sum(called)},
            }
        )
        assert _points(answer) == sorted(record["expect"]["yaku"])
        assert answer["total"] == record["result"]["points"][str(winner)]
    assert rounds == 758
