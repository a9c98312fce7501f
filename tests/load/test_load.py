"""``python -m tests.load`` on a small scale: real server, phones and attackers."""

from __future__ import annotations

import json
import struct
import subprocess
import sys

import pytest

from tests.load.__main__ import _latency
from tests.load.attacks import _png


def test_phones_get_every_event_while_others_misbehave() -> None:
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.load",
            "--phones",
            "12",  # more than one pairing
            "--seconds",
            "2",
            "--rate",
            "3",
            "--attack",
            "half-open",
            "--attack",
            "vanish",
            "--json",
        ],
        capture_output=True,
        check=False,
        encoding="utf-8",
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr
    result = json.loads(ran.stdout)
    assert (result["events"], result["events_refused"]) == (6, 0)
    assert (result["arrivals"], result["missing"]) == (6 * 12, 0)
    assert set(result["attacks"]) == {"half-open", "vanish"}
    assert result["attacks"]["half-open"]["connections"] >= 1000
    assert set(result["ms"]) == {"p50", "p95", "p99", "max"}


def test_an_event_that_did_not_arrive_is_missing_and_one_that_came_twice_counts_once() -> None:
    sent = {1: (10.0, 10.1), 2: (20.0, 20.1)}
    reported = _latency(
        sent, [(0, 1, 10.2), (0, 1, 11.0), (1, 1, 10.4), (0, 2, 20.3), (0, 9, 30.0)], phones=2
    )
    assert (reported["events"], reported["arrivals"], reported["missing"]) == (2, 3, 1)
    assert reported["ms"]["p50"] == pytest.approx(300.0)


def test_the_attackers_pictures_have_the_size_that_they_claim() -> None:
    assert struct.unpack(">II", _png(50_000_000, 1)[16:24]) == (50_000_000, 1)
    assert len(_png(7_071, 7_071)) < 100_000
