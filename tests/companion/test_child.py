"""A child process that is started again: soon at first, then slowly, never given up in silence."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from companion.child import PARENT, Child


def until(true: Callable[[], object], patience: float = 20.0) -> None:
    end = time.monotonic() + patience
    while not true():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)


@pytest.fixture
def child() -> Iterator[Callable[..., Child]]:
    made: list[Child] = []

    def start(code: str, *arguments: object, **how: float) -> Child:
        made.append(Child([sys.executable, "-c", code, *map(str, arguments)], **how))  # type: ignore[arg-type]
        return made[-1]

    yield start
    for each in made:
        each.stop()


WAITS = "import sys; sys.stdin.read()"


def test_work_that_is_done_is_not_begun_again(child):
    done = child("pass", pause=0.01)
    until(lambda: done.state.state == "ended")
    assert (done.state.restarts, done.state.code) == (0, 0)


def test_a_child_that_crashes_is_started_again_and_then_slowly(child, tmp_path):
    log = tmp_path / "log"
    code = "import sys; open(sys.argv[1], 'a').write('x'); sys.exit(3)"
    crashes = child(code, log, budget=3, pause=0.01, slow=60)
    until(lambda: crashes.state.state == "waiting" and (crashes.state.again_in or 0) > 30)
    state = crashes.state
    assert (state.restarts, state.code) == (3, 3)
    assert log.read_text() == "xxxx"
    crashes.stop()
    assert crashes.state.state == "ended"


def test_crashes_long_ago_do_not_count(child, tmp_path):
    log = tmp_path / "log"
    code = "import sys; open(sys.argv[1], 'a').write('x'); sys.exit(3)"
    child(code, log, budget=1, window=0.0, pause=0.01, slow=60)
    until(lambda: log.exists() and len(log.read_text()) >= 4)


def test_a_command_that_is_not_there_is_a_crash(tmp_path):
    missing = Child([str(tmp_path / "nothing")], budget=0, slow=60)
    until(lambda: missing.state.state == "waiting")
    assert missing.state.code == 127
    missing.stop()


def test_it_is_ended_by_its_standard_input(child):
    waits = child(WAITS)
    until(lambda: waits.state.state == "running")
    waits.stop()
    assert (waits.state.state, waits.state.code) == ("ended", 0)


def test_what_is_added_to_the_environment_reaches_it(tmp_path):
    told = tmp_path / "told"
    code = f"import os; open({str(told)!r}, 'w').write(os.environ['WORD'] + os.environ[{PARENT!r}])"
    done = Child([sys.executable, "-c", code], {"WORD": "aloud"})
    until(lambda: done.state.state == "ended")
    assert Path(told).read_text() == "aloud1"
    done.stop()
