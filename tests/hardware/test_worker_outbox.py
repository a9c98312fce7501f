"""Presses and scans on their way: in order, each counted once, whatever the server does meanwhile."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.hanafuda.messages import Message
from companion.net.client import AwayError, RefusedError
from hardware.worker import outbox
from hardware.worker.outbox import ButtonPress, DeliveryOutcome, Outbox, ScanReading
from tests.hardware.wait_until import until


class Server:
    """The server of an outbox's client: `fails` gives the outcome of each call."""

    def __init__(self) -> None:
        self.fails: deque[str] = deque()
        self.always = ""
        self.taken: dict[str, tuple[str, dict[str, Any]]] = {}
        """By key: the path and the document that counted."""
        self.calls = 0

    def call(self, method: str, path: str, document: dict[str, Any]) -> dict[str, Any]:
        self.calls += 1
        fails = self.fails.popleft() if self.fails else self.always
        if fails == "away":
            raise AwayError("it is away")
        if fails in {"401", "409"}:
            raise RefusedError(int(fails), "refused here")
        self.taken.setdefault(document["key"], (path, document))
        if fails == "lost":
            raise AwayError("timed out")
        return {}

    def close(self) -> None:
        pass

    @property
    def order(self) -> list[str]:
        """What counted, in order: buttons and tags."""
        return [
            each
            for path, reported in self.taken.values()
            for each in (
                [reported["button"]]
                if path.endswith("presses")
                else [scan.get("uid") or scan["text"] for scan in reported["scans"]]
            )
        ]


class Sent:
    """An outbox and what it answered."""

    def __init__(self, server: Server, table: str | None = "t1") -> None:
        self.answers: list[tuple[str, DeliveryOutcome]] = []
        self.output: list[str | None] = []
        self.keys = 0
        self.outbox = Outbox(
            server,  # type: ignore[arg-type]  # as much of a client as it needs
            lambda configured: configured or table,
            lambda reported, outcome: self.answers.append((reported.key, outcome)),
            self.output.append,
        )

    def press(self, button: str = "koi-koi", ago: float = 0.0) -> None:
        self.keys += 1
        self.outbox.put(
            ButtonPress("box", None, time.monotonic() - ago, f"k{self.keys}", 1, button, "press", button)
        )

    def scan(self, uid: str, device: str = "tray", ago: float = 0.0) -> None:
        self.keys += 1
        scan = {"uid": uid, "present": True}
        self.outbox.put(
            ScanReading(device, None, time.monotonic() - ago, f"k{self.keys}", None, "field", scan)
        )


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "_FIRST_WAIT_S", 0.001)
    monkeypatch.setattr(outbox, "_MAX_WAIT_S", 0.004)


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def sent(server: Server) -> Iterator[Sent]:
    made = Sent(server)
    yield made
    made.outbox.close()


@settings(max_examples=60, deadline=None)
@given(
    reported=st.lists(st.tuples(st.sampled_from("ps"), st.sampled_from("ab")), max_size=30),
    fails=st.lists(st.sampled_from(["", "away", "lost"]), max_size=30),
)
def test_all_arrive_in_order_and_count_once(reported: list[tuple[str, str]], fails: list[str]) -> None:
    server = Server()
    server.fails.extend(fails)
    sent = Sent(server)
    try:
        for number, (kind, device) in enumerate(reported):
            if kind == "p":
                sent.press(f"button-{number}")
            else:
                sent.scan(f"{number:02X}", device)
        until(lambda: len(sent.answers) == len(reported))
    finally:
        sent.outbox.close()
    assert server.order == [
        f"button-{number}" if kind == "p" else f"{number:02X}" for number, (kind, _) in enumerate(reported)
    ]
    assert sent.answers == [(f"k{number}", DeliveryOutcome("done")) for number in range(1, len(reported) + 1)]


def test_a_rejected_entry_is_reported_and_the_next_is_sent(server: Server, sent: Sent) -> None:
    server.fails.extend(["409", ""])
    sent.press("pass")
    sent.press("stop")
    until(lambda: len(sent.answers) == 2)
    assert [outcome for _, outcome in sent.answers] == [
        DeliveryOutcome("refused", Message("text", {"en": "refused here"})),
        DeliveryOutcome("done"),
    ]
    assert server.order == ["stop"]


def test_a_token_that_holds_no_longer_loses_nothing(server: Server, sent: Sent) -> None:
    server.always = "401"
    sent.scan("01")
    until(lambda: server.calls > 2)
    assert (sent.answers, sent.output[-1]) == ([], Message("text", {"en": "refused here"}))
    server.always = ""
    until(lambda: sent.answers)
    assert (server.order, sent.output[-1]) == (["01"], None)


def test_old_presses_are_dropped_with_a_report_but_old_scans_are_sent(server: Server, sent: Sent) -> None:
    server.always = "away"
    sent.scan("01", ago=60)
    sent.press("koi-koi", ago=9.9)
    sent.scan("02")
    until(lambda: sent.answers)
    assert sent.answers == [("k2", DeliveryOutcome("late"))]
    server.always = ""
    until(lambda: len(sent.answers) == 3)
    assert server.order == ["01", "02"]
    ((_, first), *_) = server.taken.values()
    assert 60_000 <= first["scans"][0]["ago_ms"] < 120_000


def test_scans_of_one_reader_go_together(server: Server, sent: Sent) -> None:
    server.always = "away"
    for number in range(70):
        sent.scan(f"{number:02X}", "tray" if number < 68 else "field")
    server.always = ""
    until(lambda: len(sent.answers) == 70)
    assert len(server.order) == 70
    assert len(server.taken) <= 5


def test_memory_is_bounded_and_dropped_entries_are_reported(
    server: Server, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "_CAPACITY", 5)
    server.always = "away"
    sent.scan("00")
    until(lambda: server.calls)  # it is under way
    for number in range(1, 8):
        sent.scan(f"{number:02X}")
    assert len(sent.outbox) == 5
    assert [key for key, outcome in sent.answers if outcome.result == "late"] == ["k2", "k3"]
    server.always = ""
    until(lambda: len(sent.answers) == 8)
    assert server.order == ["00", "03", "04", "05", "06", "07"]


def test_without_a_table_nothing_waits_for_one(server: Server) -> None:
    sent = Sent(server, None)
    try:
        sent.press()
        sent.scan("01")
        until(lambda: len(sent.answers) == 2)
        assert {outcome.result for _, outcome in sent.answers} == {"refused"}
        assert server.calls == 0
    finally:
        sent.outbox.close()


def test_entries_are_sent_as_soon_as_the_server_is_back(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "_FIRST_WAIT_S", 3600.0)
    sent = Sent(server)
    try:
        server.fails.append("away")
        sent.scan("01")
        until(lambda: sent.output)
        until(lambda: sent.outbox.retry_now() or sent.answers)  # type: ignore[func-returns-value]
    finally:
        sent.outbox.close()


def test_it_ends_while_the_server_is_away(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "_FIRST_WAIT_S", 3600.0)
    server.always = "away"
    before = threading.active_count()
    sent = Sent(server)
    sent.scan("01")
    until(lambda: sent.output)
    sent.outbox.close()
    assert threading.active_count() == before


def test_it_ends_though_the_server_does_not_answer(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "_STOP_S", 0.01)
    asked, answers = threading.Event(), threading.Event()

    def call(*_: object) -> dict[str, Any]:
        asked.set()
        answers.wait()
        return {}

    monkeypatch.setattr(server, "call", call)
    sent = Sent(server)
    sent.scan("01")
    asked.wait()
    sent.outbox.close()
    assert sent.outbox.alive
    answers.set()
    until(lambda: not sent.outbox.alive)
