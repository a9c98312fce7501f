"""The demo's film: it plays in real time, starts again, and is refereed as the rounds that were filmed."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from companion.hanafuda.cards import first_of
from companion.hanafuda.rules import resolve
from companion.table.events import NewEvent
from companion.watch_session import WatchSession
from tests.message_text import raises_text
from vision.cli.source_argument import DEMO, open_source
from vision.demo.film_source import FILM, FilmSource
from vision.photograph.scanner import Scanner
from vision.sources.frames import SourceError
from vision.tracking.camera_loop import CameraLoop
from vision.tracking.table_observer import TableObserver
from vision.tracking.table_view import TableView

RECORDS = [
    json.loads(line) for line in Path(__file__).with_name("evening.jsonl").read_text("utf-8").splitlines()
]
"""The rounds filmed: ``python -m hanafuda_training.rounds.film --records`` writes them with the film."""


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_the_film_is_small_and_only_a_few_minutes_long() -> None:
    assert FILM.stat().st_size <= 1_000_000
    with FilmSource() as film:
        assert 120 < film._frames * film._step < 360


def test_the_demo_is_opened_by_its_name() -> None:
    with open_source(DEMO) as film:
        assert isinstance(film, FilmSource)
        frame = film.next(2.0)
        assert frame is not None
        assert (frame.bgr.shape, film.live) == ((720, 1280, 3), True)
    with raises_text(SourceError, match="demo:abc"):
        open_source("demo:abc")


def test_frames_come_in_real_time(clock: Clock) -> None:
    with FilmSource(clock=clock, sleep=clock.sleep) as film:
        first, second = film.next(), film.next()
        assert first is not None
        assert second is not None
        assert second.time - first.time == pytest.approx(clock.now - 100)
        assert film.next(wait=0.05) is None
        assert film.state == "live"
    assert film.state == "ended"
    assert film.next() is None


def test_a_slow_machine_shows_every_frame_only_later(clock: Clock) -> None:
    with FilmSource(clock=clock, sleep=clock.sleep) as film:
        frames = []
        for _ in range(40):
            frames.append(film.next())
            clock.now += 3 * film._step
    steps = [after.time - before.time for before, after in itertools.pairwise(frames)]
    assert steps == pytest.approx([steps[0]] * 39)


def test_the_film_starts_again_after_its_end_with_the_same_calls(clock: Clock) -> None:
    calls: list[tuple[int, str]] = []
    with FilmSource(clock=clock, sleep=clock.sleep) as film:
        before = film.next()
        film._changed = lambda number: film._picture  # decoding takes most of the time
        for _ in range(2 * film._frames):
            after = film.next()
            assert before is not None
            assert after is not None
            assert after.time > before.time
            before = after
            calls += film.take_calls()
    called = [
        (turn["player"], turn["call"]) for record in RECORDS for turn in record["turns"] if turn["call"]
    ]
    assert {"koikoi", "stop"} <= {call for _, call in called}
    assert calls == 2 * called


def test_the_film_needs_no_training_package() -> None:
    asked = (
        "import sys, vision.demo.film_source;"
        "print(sorted({'torch', 'resvg_py', 'onnx', 'onnxruntime', 'hanafuda_training'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def plain(turn: dict[str, Any]) -> tuple[Any, ...]:
    """Return a turn with look-alikes under one name."""

    def cards(ids: list[str]) -> list[str]:
        return sorted(map(first_of, ids))

    return (
        turn["player"], first_of(turn["play"]), cards(turn["captured"]),
        first_of(turn["draw"]), cards(turn["draw_captured"]), turn["call"],
    )  # fmt: skip


def test_the_film_is_refereed_as_the_rounds_that_were_filmed(clock: Clock) -> None:
    """The whole film through frame selection, recognition and the referee, without a question or a problem."""
    rules = resolve(RECORDS[0]["rules"], RECORDS[0]["game"])
    session = WatchSession(rules, ["Aoi", "Ren"], None)
    film = FilmSource(clock=clock, sleep=clock.sleep)
    scanner = Scanner(fast=True)
    loop = CameraLoop(film, TableObserver(scanner, rules.game), TableView(scanner))
    lines: list[dict[str, Any]] = []
    for _ in range(film._frames):
        if result := loop.next():
            lines += session.observe(result[1])
        for seat, call in film.take_calls():
            event = NewEvent("moved", {"player": seat, "words": ["call", call]})
            session.submit("watch", [event], actor="demo", source="phone")
    lines += session.finish()
    rounds = [line for line in lines if line["event"] == "round"]
    assert [list(map(plain, each["turns"])) for each in rounds] == [
        list(map(plain, each["turns"])) for each in RECORDS
    ]
    assert [each["result"] for each in rounds] == [each["result"] for each in RECORDS]
    assert [line for line in lines if line["event"] in {"question", "problem"}] == []
