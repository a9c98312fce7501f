"""Rounds that people played on KoiKoi-Japan (not shipped here): every move legal, every result the same."""

import json
from pathlib import Path
from typing import Any

import pytest

from companion.hanafuda.games.koikoi.round import KoiKoiRound
from companion.hanafuda.round import Problem

RECORDS = Path(__file__).parents[5] / "shared" / "rounds" / "koikoi-japan.jsonl"

pytestmark = pytest.mark.skipif(
    not RECORDS.exists(), reason="the recorded rounds are not here (../shared/rounds)"
)


def _replayed(record: dict[str, Any]) -> tuple[KoiKoiRound, list[Problem]]:
    played = KoiKoiRound.from_record(record)
    problems = played.status()
    for turn in record["turns"]:
        for move in played.read_turn(turn):
            problems += played.check(move)
            played.push(move, unchecked=True)
        if pending := played.pending_decision():
            problems.append(pending)
    return played, problems


def _disagreements(record: dict[str, Any]) -> list[object]:
    played, problems = _replayed(record)
    outcome, expect, result = played.outcome(), record["expect"], record["result"]
    winner = result["winner"]
    if problems or outcome is None:
        return [*problems, outcome]
    yaku = [[each.yaku.slug, each.points] for each in played.score(winner).paid] if winner else []
    pairs = [
        (list(outcome.winners), [winner] if winner else []),
        (outcome.points, (result["points"]["1"], result["points"]["2"])),
        ({str(player): sorted(played.captured(player)) for player in (1, 2)}, expect["captured"]),
        (sorted(yaku), sorted(expect["yaku"])),
        (played.turns(), record["turns"]),
    ]
    return [pair for pair in pairs if pair[0] != pair[1]]


def test_every_recorded_round_is_legal_and_ends_as_it_ended() -> None:
    records = [json.loads(line) for line in RECORDS.read_text(encoding="utf-8").splitlines()]
    assert len(records) == 785
    assert [
        (number, output)
        for number, record in enumerate(records, start=1)
        if (output := _disagreements(record))
    ] == []
