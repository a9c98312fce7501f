"""A child process that is restarted: soon at first, then slowly, forever."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.net import child_process
from companion.net.child_process import PARENT, Child, hangs


def until(true: Callable[[], object], timeout: float = 20.0) -> None:
    end = time.monotonic() + timeout
    while not true():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)


@pytest.fixture
def child(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Child]]:
    """Starts Python code, with short waits."""
    monkeypatch.setattr(child_process, "_FIRST_WAIT_S", 0.01)
    made: list[Child] = []

    def start(code: str, *arguments: object, **how: Any) -> Child:
        made.append(Child([sys.executable, "-c", code, *map(str, arguments)], **how))
        return made[-1]

    yield start
    for each in made:
        each.stop()


WAITS = "import sys; sys.stdin.read()"
CRASHES = "import sys; open(sys.argv[1], 'a').write('x'); sys.exit(3)"


def test_work_that_is_done_is_not_begun_again(child):
    done = child("pass")
    until(lambda: done.state.state == "ended")
    assert (done.state.restarts, done.state.code) == (0, 0)


def test_a_child_that_crashes_is_started_again(child, tmp_path):
    log = tmp_path / "log"
    crashes = child(CRASHES, log)
    until(lambda: crashes.state.restarts >= 3)
    crashes.stop()
    state = crashes.state
    assert (state.state, state.code) == ("ended", 3)
    assert len(log.read_text()) == state.restarts + 1


def test_it_is_started_again_later_and_later(child, tmp_path, monkeypatch):
    monkeypatch.setattr(child_process, "_FIRST_WAIT_S", 60.0)
    crashes = child(CRASHES, tmp_path / "log")
    until(lambda: crashes.state.state == "waiting")
    assert 30 < crashes.state.again_in <= 60
    crashes.stop()
    assert (crashes.state.state, crashes.state.restarts) == ("ended", 0)


def test_crashes_long_ago_do_not_count(child, tmp_path, monkeypatch):
    monkeypatch.setattr(child_process, "_STABLE_S", 0.0)
    crashes = child(CRASHES, tmp_path / "log")
    until(lambda: crashes.state.restarts >= 12)  # with doubled waits the last one would be 20 s


def test_a_command_that_is_not_there_is_a_crash(tmp_path, monkeypatch):
    monkeypatch.setattr(child_process, "_FIRST_WAIT_S", 60.0)
    missing = Child([str(tmp_path / "nothing")])
    until(lambda: missing.state.state == "waiting")
    assert missing.state.code == 127
    missing.stop()


def test_it_is_ended_by_its_standard_input(child):
    waits = child(WAITS)
    until(lambda: waits.state.state == "running")
    waits.stop()
    assert (waits.state.state, waits.state.code) == ("ended", 0)


def test_added_environment_variables_reach_the_process(tmp_path):
    reported = tmp_path / "reported"
    code = f"import os; open({str(reported)!r}, 'w').write(os.environ['WORD'] + os.environ[{PARENT!r}])"
    done = Child([sys.executable, "-c", code], {"WORD": "aloud"})
    until(lambda: done.state.state == "ended")
    assert Path(reported).read_text() == "aloud1"
    done.stop()


def test_a_child_that_hangs_is_killed_and_started_again(child, tmp_path, monkeypatch):
    """A camera worker hung in the driver: the process lived on, nothing was watched, and nobody restarted it."""
    reports = tmp_path / "reports"
    code = (
        "import sys, time\n"
        "open(sys.argv[1], 'a').write('x')\n"
        "time.sleep(600)"  # reports once, then hangs
    )

    def silent_s() -> float | None:
        return time.time() - reports.stat().st_mtime if reports.exists() else None

    monkeypatch.setattr(child_process, "_PATIENCE_S", 0.5)
    hanging = child(code, reports, silent_s=silent_s)
    until(lambda: hanging.state.hangs >= 1 and len(reports.read_text()) >= 2)
    assert hanging.state.restarts >= 1


def test_a_child_that_reports_is_left_alone(monkeypatch):
    monkeypatch.setattr(child_process, "_PATIENCE_S", 0.2)
    reporting = Child([sys.executable, "-c", WAITS], silent_s=lambda: 0.1)
    time.sleep(2.5)  # two checks
    assert (reporting.state.state, reporting.state.hangs) == ("running", 0)
    reporting.stop()


@pytest.mark.parametrize(
    ("silent", "running", "hanging"),
    [
        (None, 60.0, False),  # it is still loading its networks
        (None, 121.0, True),
        (90.0, 10.0, False),  # the last report came from the previous process
        (90.0, 200.0, True),
        (5.0, 200.0, False),
    ],
)
def test_when_a_child_hangs(silent, running, hanging):
    assert hangs(silent, running) is hanging
