"""Readiness: load balancers hear that a process ends before it ends, and then no request and no event is lost."""

from __future__ import annotations

import threading
import time

import pytest
from flask.testing import FlaskClient

from api.services import readiness
from api.services.readiness import Readiness
from companion.store import LogWriteError
from tests.api.api_helpers import context_of

BALANCER = {"REMOTE_ADDR": "192.0.2.7"}
TIMEOUT_S = 20.0


class LogDouble:
    """As much of a log as readiness asks for."""

    def __init__(self) -> None:
        self.broken: LogWriteError | None = None

    def fault(self) -> LogWriteError | None:
        return self.broken


def draining(ready: Readiness) -> threading.Thread:
    thread = threading.Thread(target=ready.drain)
    thread.start()
    return thread


def ask(ready: Readiness, *balancers: str) -> None:
    """Wait until the process says that it is ending."""
    deadline = time.monotonic() + TIMEOUT_S
    for each in balancers:
        while ready.check(each) != "draining":
            assert time.monotonic() < deadline
            time.sleep(0.005)


def test_a_process_is_ready_until_it_drains(client: FlaskClient) -> None:
    answer = client.get("/api/ready", environ_base=BALANCER)
    assert (answer.status_code, answer.json) == (200, {"status": "ready"})
    ended = draining(context_of(client.application).readiness)  # type: ignore[arg-type]
    ask(context_of(client.application).readiness, "192.0.2.7")  # type: ignore[arg-type]
    answer = client.get("/api/ready", environ_base=BALANCER)
    assert (answer.status_code, answer.json) == (503, {"status": "draining"})
    assert client.get("/api/tables").status_code == 200  # what still comes is answered
    ended.join(TIMEOUT_S)


def test_a_process_with_a_broken_log_is_not_ready() -> None:
    log = LogDouble()
    ready = Readiness(log)  # type: ignore[arg-type]
    log.broken = LogWriteError("no database")
    assert ready.check("a") == "fault"
    log.broken = None
    assert ready.check("a") == "ready"


def test_draining_waits_until_all_load_balancers_know() -> None:
    ready = Readiness(LogDouble())  # type: ignore[arg-type]
    ready.check("a")
    ready.check("b")
    ended = draining(ready)
    ask(ready, "a")
    assert ended.is_alive()
    ask(ready, "b")
    ended.join(TIMEOUT_S)
    assert not ended.is_alive()


@pytest.mark.parametrize("asked", [0, 1, 1000], ids=["nobody", "one that is silent now", "a flood"])
def test_draining_waits_for_nobody_in_vain(monkeypatch: pytest.MonkeyPatch, asked: int) -> None:
    monkeypatch.setattr(readiness, "_MAX_WAIT_S", 0.05)
    ready = Readiness(LogDouble())  # type: ignore[arg-type]
    for number in range(asked):
        ready.check(str(number))
    ended = draining(ready)
    ended.join(TIMEOUT_S)
    assert not ended.is_alive()
