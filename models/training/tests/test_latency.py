"""The statistics of ``bench live``, its film, and a short run with the real processes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any
from urllib.request import urlopen

import cv2
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from hanafuda_training.benchmarks import looping_camera
from hanafuda_training.benchmarks.latency import STAGES, ChangeTimes, growth, latency, traced
from hanafuda_training.cli.bench_live import bench_live
from hanafuda_training.rounds.stage import Manner, Moment, PlacedCard, Stage

DISPLAYED = [(10.0, 0), (12.0, None), (20.0, 1), (22.0, None)]


def test_a_change_is_traced_to_its_table() -> None:
    """Two tables; the first observation of the second detected nothing, the one a second later did."""
    result = traced(
        received={"t 2": 10.61, "t 3": 21.62},
        published={"t 2": 10.6, "t 3": 21.6},
        arrived=[10.55, 20.55, 21.55],
        observations=[(10.4, 10.5), (20.4, 20.5), (21.4, 21.5)],
        displayed=DISPLAYED,
    )
    assert [(each.displayed, each.began, each.again) for each in result] == [
        (10.0, 10.4, False),
        (20.0, 21.4, True),
    ]
    assert result[0].ms == pytest.approx(
        {"stability": 400, "observation": 100, "upload": 50, "update": 50, "stream": 10, "total": 610}
    )


@pytest.mark.parametrize(
    ("missing", "with_what"),
    [("published", {}), ("arrived", []), ("observations", []), ("displayed", [(30.0, 1)])],
)
def test_changes_with_missing_timestamps_are_omitted(missing: str, with_what: Any) -> None:
    known: dict[str, Any] = {
        "received": {"t 2": 10.61},
        "published": {"t 2": 10.6},
        "arrived": [10.55],
        "observations": [(10.4, 10.5)],
        "displayed": DISPLAYED,
    }
    assert len(traced(**known)) == 1
    assert traced(**{**known, missing: with_what}) == []


def test_a_page_that_receives_first_has_a_latency_of_zero() -> None:
    (result,) = traced({"t 2": 10.6}, {"t 2": 10.7}, [10.55], [(10.4, 10.5)], DISPLAYED)
    assert result.ms["stream"] == 0


@given(st.lists(st.floats(0, 5), min_size=6, max_size=6))
def test_the_stages_sum_to_the_total(steps: Sequence[float]) -> None:
    ms = ChangeTimes(*np.cumsum(steps).tolist()).ms
    assert sum(ms[stage] for stage in STAGES) == pytest.approx(ms["total"], abs=1e-6)


def test_latency_of_many_changes_and_of_none() -> None:
    result = [ChangeTimes(0, 0.4, 0.5, 0.5, 0.5, 0.5 + ms / 1e3, again=ms == 100) for ms in range(0, 101)]
    found = latency(result)
    assert (found["n"], found["again"]) == (101, 1)
    assert found["ms"]["stream"] == {"p50": 50.0, "p95": 95.0}
    assert found["ms"]["total"] == {"p50": 550.0, "p95": 595.0}
    assert latency([]) == {"n": 0}


def test_growth_is_measured_in_the_second_half() -> None:
    warming_up = [(float(second), 100.0 + second) for second in range(100)]
    flat = [(100.0 + second, 200.0) for second in range(100)]
    leak = [(at, size + (at - 100) / 3600) for at, size in flat]
    assert growth(warming_up + flat) == 0
    assert growth(warming_up + leak) == pytest.approx(1.0)
    assert growth(flat[:4]) is None


# --- the film


@pytest.fixture
def a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Return the moments of a card being laid down: a table, a hand that comes and goes, another table."""

    def moments(turns: int, seed: int) -> Iterator[Moment]:
        stage = Stage(np.random.default_rng(seed), Manner(reach=0.6))
        stage.put(PlacedCard("pine-crane", -60, 0, 0, "field"))
        yield from stage.rest("settled", 1.0)
        yield from stage.reach(1, (40.0, 0.0), "play", ["plum-warbler"])
        stage.put(PlacedCard("plum-warbler", 40, 0, 0, "field"))
        yield from stage.rest("settled", 1.0)

    monkeypatch.setattr(looping_camera, "_moments", moments)


def test_a_film_marks_stable_tables(a_turn: None) -> None:
    shots = looping_camera.film(1, 10.0)
    assert [table for table, _ in groupby(shot.table for shot in shots)] == [0, None, 1]
    first, last = ([shot.jpeg for shot in shots if shot.table == table] for table in (0, 1))
    # Ten frames each, and the last frame of the hand, which is no longer visible.
    assert len(first) >= 10
    assert len(last) >= 10
    still = [
        np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_GRAYSCALE), float)
        for jpeg in first[:2]
    ]
    assert 0 < np.abs(still[0] - still[1]).mean() < 3  # sensor noise


def test_a_looping_camera_repeats_the_film_and_records_stable_tables() -> None:
    shots = [
        looping_camera.Shot(b"\xff\xd8\xff" + bytes([number]), table)
        for number, table in enumerate((0, 0, None))
    ]
    camera = looping_camera.LoopingCamera(shots, 200.0)
    try:
        with urlopen(camera.url, timeout=5) as answer:
            text = b""
            while text.count(b"--frame") < 8:
                text += answer.read1(4096)
    finally:
        camera.close()
    numbers = [part[-3] for part in text.split(b"--frame\r\n")[1:8] if part.endswith(b"\r\n")]
    assert numbers[:7] == [0, 1, 2, 0, 1, 2, 0]
    assert [table for _, table in camera.displayed[:4]] == [0, None, 0, None]


def test_a_short_run_with_the_real_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Server and worker are separate processes; the film shows a dealt table."""
    monkeypatch.setattr(looping_camera, "film", lambda turns, fps: looping_camera.still(looping_camera.SIZE))
    monkeypatch.setattr("hanafuda_training.cli.bench_live._CALM_S", 0.0)
    monkeypatch.setattr("hanafuda_training.cli.bench_live._SIZES", (looping_camera.SIZE,))
    done = CliRunner().invoke(bench_live, ["--turns", "1", "--still", "1", "--json"], catch_exceptions=False)
    lines = {result["what"]: result for result in map(json.loads, done.stdout.splitlines())}
    assert lines["latency"]["n"] == 1
    assert set(lines["latency"]["ms"]) == {*STAGES, "total"}
    assert set(lines["unchanged"]["core_percent"]) == {"server", "worker"}
    assert lines["memory"]["together"] >= sum(each["start"] for each in lines["memory"]["mb"].values()) > 50
