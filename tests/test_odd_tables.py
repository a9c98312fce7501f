"""Twelve illegal or odd tables, from pictures to lines: frames, camera worker, referee.

The pictures are the demo's, drawn with our own faces (synthetic).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from companion.hanafuda.rules import resolve
from companion.hanafuda.simulation import record_of
from companion.watch_session import WatchSession
from tests.vision.remembering import remembered_networks
from vision.demo.demo_source import SEED
from vision.demo.greedy_players import evening
from vision.demo.irregular_rounds import IRREGULAR_ROUNDS
from vision.demo.renderer import Renderer
from vision.demo.round_frames import frames
from vision.demo.stage import Manner, Stage
from vision.lab.benchmarks.watch_accuracy import compare
from vision.photograph.scanner import Scanner
from vision.sources import Frame
from vision.tracking.frame_selection import FrameSelector
from vision.tracking.table_observer import TableObserver

#: Tidy and fast players, who pause between the card played and the card drawn.
MANNER = Manner(reach=0.5, rest=1.3, pause=1.1, mm=1.0, degrees=2.0)
#: The demo's own table.
TABLE = 17

#: The problem of each table (None: no problem), and the number of the record's turns that the table shows as
#: played.
EXPECTED = {
    "wrong-flower": ("wrong-flower", 1),
    "capture-refused": ("capture-refused", 1),
    "two-cards": ("two-cards-played", 1),
    "draw-skipped": ("draw-missing", 1),
    "card-moved": ("card-moved", 4),
    "stock-peeked": ("card-peeked", 2),
    "takeback": (None, 3),
    "pile-covered": (None, 11),
    "camera-knocked": (None, 4),
    "light-switched": (None, 4),
    "phone-laid-down": (None, 4),
    "foreign-card": ("unknown-card", 4),
}


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    return record_of(next(evening("koikoi", SEED)))


@pytest.fixture(scope="module", autouse=True)
def _networks() -> Iterator[None]:
    """The tables start with the same frames."""
    with remembered_networks():
        yield


@pytest.fixture(scope="module")
def scanner() -> Scanner:
    return Scanner()


def watched(name: str, record: dict[str, Any], scanner: Scanner) -> list[dict[str, Any]]:
    """Return the lines of ``companion watch --json`` for an odd table."""
    gate, observer = FrameSelector(), TableObserver(scanner, "koikoi")
    table = WatchSession(resolve("koikoi-standard"), ["A", "B"], None)
    stage = Stage(np.random.default_rng(3), MANNER)
    lines: list[dict[str, Any]] = []
    for frame in frames(IRREGULAR_ROUNDS[name](stage, record), Renderer(TABLE, mess=0.0)):
        stable = gate.feed(Frame(frame.name, frame.time, bgr=frame.bgr))
        if stable is not None:
            lines += table.observe(observer.observe(stable))
            gate.card_px = observer.card_px
    return [*lines, *table.finish()]


def test_there_are_twelve():
    assert set(EXPECTED) == set(IRREGULAR_ROUNDS)
    assert len(IRREGULAR_ROUNDS) == 12


@pytest.mark.parametrize("name", sorted(IRREGULAR_ROUNDS))
def test_each_is_named_or_ignored_where_it_is_harmless(name, record, scanner):
    code, turns = EXPECTED[name]
    lines = watched(name, record, scanner)
    reported = [line["code"] for line in lines if line["event"] == "problem"]
    # Playing on at an illegal table is reported as out of step.
    assert reported[:1] == ([] if code is None else [code])
    assert set(reported[1:]) <= {"table-differs"}
    played = {**record, "turns": record["turns"][:turns]}
    # Reporting a turn that nobody played would be worse than reporting none.
    found = compare(name, lines, played)
    assert (found.turns.hits, found.extra, found.questions) == (turns, 0, 0)
