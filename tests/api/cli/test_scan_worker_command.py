"""`companion scan-worker` is ended in the middle of a picture: nothing is lost, and nothing is read twice."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from api.pictures.queued_scans import JobWorker, ScanOrder
from api.pictures.service import Pictures, runner
from companion.store.scan_queue import ScanQueue
from companion.store.store import Store, open_store
from tests.api.api_helpers import ScannerDouble, jpeg
from tests.real_scan_worker import LIMIT_S, RealScanWorker

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals")


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + LIMIT_S
    while not true():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)


@pytest.fixture
def store(postgres_url: str) -> Iterator[Store]:
    with closing(open_store(postgres_url)) as store:
        yield store


@pytest.fixture
def queue(store: Store) -> ScanQueue:
    assert store.scan_queue is not None
    return store.scan_queue


@pytest.fixture
def command(postgres_url: str, tmp_path: Path, queue: ScanQueue) -> Iterator[RealScanWorker]:
    worker = RealScanWorker(tmp_path, postgres_url)
    yield worker
    worker.close()


def add(queue: ScanQueue) -> str:
    return queue.add(jpeg(), ScanOrder("pile.jpg", None, None, "test").to_json())


def test_it_finishes_the_current_picture(queue: ScanQueue, store: Store, command: RealScanWorker) -> None:
    job, later = add(queue), add(queue)
    command.wait_until_reading()
    command.send(signal.SIGTERM)
    assert [command.next_event()["event"] for _ in range(2)] == ["started", "stopping"]
    assert (queue.job(job).place, queue.workers()) == (0, 1)
    command.let_read()
    assert command.ended() == (0, ["read", "stopped"])
    assert [scan.id for scan in store.scans.newest()] == [queue.job(job).scan]
    assert (queue.job(later).place, queue.workers()) == (1, 0)


def test_it_gives_the_picture_back_if_all_its_processes_are_ended(
    queue: ScanQueue, store: Store, command: RealScanWorker
) -> None:
    """As systemd does: the process that reads the picture ends at once."""
    job = add(queue)
    command.wait_until_reading()
    command.send(signal.SIGTERM, group=True)
    code, events = command.ended()
    assert (code, events[-1]) == (0, "stopped")
    assert (queue.job(job).place, store.scans.newest()) == (1, [])
    with JobWorker(queue, Pictures(runner(store.documents, ScannerDouble()))):
        until(lambda: queue.job(job).finished)
    assert [scan.id for scan in store.scans.newest()] == [queue.job(job).scan]


@pytest.mark.parametrize("kill", [signal.SIGTERM, signal.SIGKILL])
def test_another_worker_reads_the_picture_of_one_that_is_killed(
    queue: ScanQueue,
    store: Store,
    command: RealScanWorker,
    kill: signal.Signals,
) -> None:
    job = add(queue)
    command.wait_until_reading()
    command.send(signal.SIGTERM)
    assert [command.next_event()["event"] for _ in range(2)] == ["started", "stopping"]
    command.send(kill)  # the second signal
    assert command.ended() == (-kill, [])
    with JobWorker(queue, Pictures(runner(store.documents, ScannerDouble()))):
        until(lambda: queue.job(job).finished)
    assert [scan.id for scan in store.scans.newest()] == [queue.job(job).scan]
