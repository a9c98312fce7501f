"""Signals between processes over PostgreSQL."""

from __future__ import annotations

import queue
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


def received(signals: PostgresSignals) -> queue.Queue[str]:
    """Return a queue of what a process receives: the texts, and `missed` as soon as it listens and after it was cut off."""
    texts: queue.Queue[str] = queue.Queue()
    for topic in ("table", "pairings", "message"):
        signals.subscribe(topic, texts.put, lambda: None)
    signals.subscribe("table", lambda text: None, lambda: texts.put("missed"))
    assert texts.get(timeout=WAIT_S) == "missed"
    return texts


def test_every_other_process_receives_what_one_tells(connect: Callable[[], PostgresSignals]) -> None:
    one, other, third = connect(), connect(), connect()
    queues = [received(each) for each in (one, other, third)]
    texts = ["first", "second " * 5_000, "三番"]
    for text in texts:
        one.send("message", text)
    for each in queues[1:]:
        assert [each.get(timeout=WAIT_S) for _ in texts] == texts
    other.send("table", "abc123")
    assert queues[0].get(timeout=WAIT_S) == "abc123", "a process does not receive its own signals"


def test_a_process_that_was_cut_off_receives_each_signal_once(
    connect: Callable[[], PostgresSignals], postgres_url: str
) -> None:
    one, other = connect(), connect()
    texts = received(other)
    one.send("message", "before")
    assert texts.get(timeout=WAIT_S) == "before"
    with psycopg.connect(postgres_url, autocommit=True) as administrator:
        administrator.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND datname = current_database()"
        )
        one.send("message", "meanwhile")
    one.send("message", "after")
    found = [texts.get(timeout=WAIT_S) for _ in range(3)]
    assert sorted(found) == ["after", "meanwhile", "missed"]
    assert found.index("meanwhile") < found.index("after")
    one.send("message", "last")
    assert texts.get(timeout=WAIT_S) == "last"


def test_signals_that_wait_are_sent_before_a_process_ends(connect: Callable[[], PostgresSignals]) -> None:
    one, other = connect(), connect()
    texts = received(other)
    for number in range(500):
        one.send("message", str(number))
    one.close()
    assert [texts.get(timeout=WAIT_S) for _ in range(500)] == [str(number) for number in range(500)]
