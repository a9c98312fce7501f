"""Fishing records with one thing broken: every break is noticed, where it is, and named."""

from random import Random
from typing import Any

import pytest
from replay_breaks import BREAKS, Broken
from replay_tables import needs_recorded_rounds, recorded, simulated

from companion.replay import Replayed, replay

CALLS = {"call_without_yaku", "stop_without_yaku", "no_decision"}
EACH = 20
"""So many records are broken in each way, for each game."""


def broken_records(records: list[dict[str, Any]], kind: str, count: int = EACH) -> list[Broken]:
    rng = Random(kind)
    found: list[Broken] = []
    for record in rng.sample(records, len(records)):
        if (broken := BREAKS[kind](record, rng)) is not None:
            found.append(broken)
        if len(found) == count:
            break
    return found


def told(replayed: Replayed) -> list[tuple[int | None, str]]:
    return [(noted.turn, noted.problem.code) for noted in replayed.noted]


def not_noticed(broken: list[Broken]) -> list[Any]:
    missed = []
    for each in broken:
        problems = told(replay(each.record))
        if (each.turn, each.code) not in problems:
            missed.append((each.turn, each.code, problems))
    return missed


@pytest.fixture(scope="module")
def koikoi() -> list[dict[str, Any]]:
    return simulated("koikoi", 300)


@pytest.fixture(scope="module")
def kekoro() -> list[dict[str, Any]]:
    return simulated("kekoro", 300)


@pytest.mark.parametrize("kind", BREAKS)
def test_koikoi(koikoi: list[dict[str, Any]], kind: str) -> None:
    broken = broken_records(koikoi, kind)
    assert len(broken) == EACH
    assert not_noticed(broken) == []


@pytest.mark.parametrize("kind", [kind for kind in BREAKS if kind not in CALLS])
def test_kekoro(kekoro: list[dict[str, Any]], kind: str) -> None:
    broken = broken_records(kekoro, kind)
    assert len(broken) == EACH
    assert not_noticed(broken) == []


@needs_recorded_rounds
@pytest.mark.parametrize("kind", BREAKS)
def test_recorded_rounds(kind: str) -> None:
    broken = broken_records(recorded(), kind)
    assert len(broken) == EACH
    assert not_noticed(broken) == []
