"""Signals between processes over PostgreSQL."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import psycopg
import pytest

from companion.store.postgres_signals import PostgresSignals

WAIT_S = 30.0


@pytest.fixture
def connect(postgres_url: str) -> Iterator[Callable[[], PostgresSignals]]:
    """Connects another process to the database each time it is called."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(closing(PostgresSignals(postgres_url)))


def received(signals: PostgresSignals, url: str) -> queue.Queue[str]:
    """Return a queue of what a process receives from now on: the texts, and `missed` after it was cut off."""
    texts: queue.Queue[str] = queue.Queue()
    reports: queue.Queue[str] = queue.Queue()
    for topic in ("table", "pairings", "message"):
        signals.subscribe(topic, texts.put)
    signals.subscribe("process", reports.put, lambda: texts.put("missed"))
    with closing(PostgresSignals(url)) as other:
        deadline = time.monotonic() + WAIT_S
        while reports.empty():
            assert time.monotonic() < deadline
            other.send("process", "it listens")
            time.sleep(0.02)
    return texts


def test_every_other_process_receives_what_one_tells(
    connect: Callable[[], PostgresSignals], postgres_url: str
) -> None:
    one, other, third = connect(), connect(), connect()
    queues = [received(each, postgres_url) for each in (one, other, third)]
    texts = ["first", "second " * 5_000, "三番"]
    for text in texts:
        one.send("message", text)
    for each in queues[1:]:
        assert [each.get(timeout=WAIT_S) for _ in texts] == texts
    other.send("table", "abc123")
    assert queues[0].get(timeout=WAIT_S) == "abc123", "a process does not receive its own signals"


def test_a_process_that_was_cut_off_learns_that_it_may_have_missed_signals(
    connect: Callable[[], PostgresSignals], postgres_url: str
) -> None:
    one, other = connect(), connect()
    texts = received(other, postgres_url)
    one.send("message", "before")
    assert texts.get(timeout=WAIT_S) == "before"
    with psycopg.connect(postgres_url, autocommit=True) as administrator:
        administrator.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND datname = current_database()"
        )
    assert texts.get(timeout=WAIT_S) == "missed"
    one.send("message", "after")
    assert texts.get(timeout=WAIT_S) == "after", "what could not be sent is sent again"


def test_signals_that_wait_are_sent_before_a_process_ends(
    connect: Callable[[], PostgresSignals], postgres_url: str
) -> None:
    one, other = connect(), connect()
    texts = received(other, postgres_url)
    for number in range(500):
        one.send("message", str(number))
    one.close()
    assert [texts.get(timeout=WAIT_S) for _ in range(500)] == [str(number) for number in range(500)]
