"""The queue of photographs in PostgreSQL: its order and limits, and workers that die, fail, or do the same job twice."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from multiprocessing.connection import Connection
from typing import Any

import pytest

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message
from companion.store import NoSuchScanJobError, ScanQueueFullError, scan_queue
from companion.store.scan_queue import (
    MAX_ATTEMPTS,
    QueuedPicture,
    ReadingStoppedError,
    ReadPicture,
    ScanQueue,
)
from companion.store.scan_records import ScanDraft, Visitor
from tests.message_text import raises_text

pytest.importorskip("psycopg", reason="psycopg is not installed")
from companion.store.postgres_database import PostgresConnection, PostgresDatabase
from tests.postgres import Cluster

VISITOR = Visitor("visitor", "192.168.0.7")
DEADLINE_S = 30.0


def draft_of(queued: QueuedPicture) -> ScanDraft:
    return ScanDraft(queued.data, "image/jpeg", queued.request["image"], {"cards": []}, {}, "test")


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + DEADLINE_S
    while not true():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)


class Scans:
    """A double of the stored scans: one row for each."""

    def __init__(self, database: PostgresDatabase) -> None:
        self.database = database
        with database.writing() as db:
            db.execute(
                "CREATE TABLE IF NOT EXISTS stored"
                " (id BIGINT GENERATED ALWAYS AS IDENTITY, image TEXT CHECK (image <> 'unstorable'))"
            )

    def add_in(self, db: PostgresConnection, draft: ScanDraft, visitor: Visitor | None) -> str:
        row: Any = db.execute("INSERT INTO stored (image) VALUES (?) RETURNING id", (draft.image,)).fetchone()
        return f"scan-{row[0]}"

    @property
    def images(self) -> list[str]:
        with self.database.reading() as db:
            return [image for (image,) in db.execute("SELECT image FROM stored ORDER BY id").fetchall()]


@contextmanager
def opened(url: str) -> Iterator[tuple[ScanQueue, Scans]]:
    with closing(PostgresDatabase(url)) as database:
        scans = Scans(database)
        yield ScanQueue(database, scans), scans


@pytest.fixture
def queue_and_scans(postgres_url: str) -> Iterator[tuple[ScanQueue, Scans]]:
    with opened(postgres_url) as both:
        yield both


@pytest.fixture
def queue(queue_and_scans: tuple[ScanQueue, Scans]) -> ScanQueue:
    return queue_and_scans[0]


@pytest.fixture
def scans(queue_and_scans: tuple[ScanQueue, Scans]) -> Scans:
    return queue_and_scans[1]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers of this process look for jobs often."""
    monkeypatch.setattr(scan_queue, "_REPEAT_S", 0)


@contextmanager
def worker(queue: ScanQueue, read: ReadPicture = draft_of) -> Iterator[None]:
    stopping = threading.Event()
    thread = threading.Thread(target=queue.work, args=(read, stopping))
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join()


def claimed(scans: Scans, queue: ScanQueue) -> tuple[QueuedPicture, int]:
    """Take the next picture for a worker that is not running."""
    with scans.database.writing() as db:
        claim = queue._claim(db, worker=0)
    assert claim is not None
    return claim


def finished(queue: ScanQueue, *jobs: str) -> Callable[[], bool]:
    return lambda: all(queue.job(job).finished for job in jobs)


def test_paired_people_come_first_and_places_say_so(queue: ScanQueue, scans: Scans) -> None:
    first, second = (queue.add(b"", {"image": image}, VISITOR) for image in ("first", "second"))
    paired = queue.add(b"", {"image": "paired"})
    assert [queue.job(job).place for job in (first, second, paired)] == [2, 3, 1]
    assert (queue.waiting(), queue.job(first).owner, queue.job(paired).owner) == (3, VISITOR.id, None)
    with worker(queue):
        until(finished(queue, first, second, paired))
    assert scans.images == ["paired", "first", "second"]
    assert [queue.job(job).scan for job in (first, second, paired)] == ["scan-2", "scan-3", "scan-1"]
    assert (queue.waiting(), queue.job(first).place) == (0, 0)


def test_the_picture_is_stored_until_it_was_read(queue: ScanQueue, scans: Scans) -> None:
    job = queue.add(b"\0\xff%s?", {"image": "札.jpg", "nested": {"deck": None}})
    read: list[QueuedPicture] = []
    with worker(queue, lambda queued: read.append(queued) or draft_of(queued)):
        until(finished(queue, job))
    assert read == [QueuedPicture(job, b"\0\xff%s?", {"image": "札.jpg", "nested": {"deck": None}})]
    with scans.database.reading() as db:
        assert db.execute("SELECT count(*) FROM scan_jobs WHERE picture IS NOT NULL").fetchone() == (0,)


def test_a_full_queue_refuses_pictures(queue: ScanQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan_queue, "MAX_WAITING", 1)
    job = queue.add(b"", {"image": "fits"})
    with raises_text(ScanQueueFullError, match="Many pictures are being read"):
        queue.add(b"", {"image": "does not"})
    with worker(queue):
        until(finished(queue, job))
    queue.add(b"", {"image": "fits again"})


def test_one_phone_does_not_fill_the_queue(queue: ScanQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan_queue, "MAX_OF_SENDER", 2)
    for sender in ("busy", "busy", "other"):
        queue.add(b"", {"image": "fits"}, sender=sender)
    with raises_text(ScanQueueFullError, match="Many pictures are being read"):
        queue.add(b"", {"image": "does not"}, sender="busy")
    last = queue.add(b"", {"image": "fits"}, sender="other")
    with worker(queue):
        until(finished(queue, last))
    queue.add(b"", {"image": "fits again"}, sender="busy")


def test_an_unknown_job(queue: ScanQueue) -> None:
    with pytest.raises(NoSuchScanJobError):
        queue.job("unknown")


@pytest.mark.usefixtures("settled_clock")
def test_outcomes_are_forgotten_after_a_day(queue: ScanQueue, scans: Scans) -> None:
    def age() -> None:
        with scans.database.writing() as db:
            db.execute("UPDATE scan_jobs SET time = '2020-01-01T00:00:00.000Z'")

    old = queue.add(b"", {"image": "old"})
    with worker(queue):
        until(finished(queue, old))
    waiting = queue.add(b"", {"image": "waiting"})
    age()
    new = queue.add(b"", {"image": "new"})
    assert (queue.job(waiting).place, queue.job(new).place) == (1, 2)
    with pytest.raises(NoSuchScanJobError):
        queue.job(old)
    with worker(queue):
        until(finished(queue, waiting, new))
    queue.add(b"", {"image": "newer"})
    assert queue.job(waiting).scan == "scan-2"  # it waited long, but was read a moment ago


def test_a_refused_picture_says_why_and_is_not_read_again(queue: ScanQueue, scans: Scans) -> None:
    def refuse(queued: QueuedPicture) -> ScanDraft:
        attempts.append(queued.job)
        raise BadRequestError(Message("problem-scan-queue-full", {"count": 7}))

    attempts: list[str] = []
    job = queue.add(b"", {"image": "text"})
    with worker(queue, refuse):
        until(finished(queue, job))
    failure = queue.job(job).failure
    assert failure is not None
    assert (failure.code, failure.message.params) == ("bad-request", {"count": 7})
    assert (attempts, scans.images) == ([job], [])


def test_a_fault_is_repeated_a_few_times(queue: ScanQueue, scans: Scans) -> None:
    def fail(queued: QueuedPicture) -> ScanDraft:
        attempts[queued.request["image"]] += 1
        if queued.request["image"] == "bad" or attempts["flaky"] < MAX_ATTEMPTS:
            raise RuntimeError("a network ate itself")
        return draft_of(queued)

    attempts = {"bad": 0, "flaky": 0}
    bad, flaky = (queue.add(b"", {"image": image}) for image in attempts)
    with worker(queue, fail):
        until(finished(queue, bad, flaky))
    failure = queue.job(bad).failure
    assert failure is not None
    assert failure.code == "scanner-failed"
    assert attempts == {"bad": MAX_ATTEMPTS, "flaky": MAX_ATTEMPTS}
    assert scans.images == ["flaky"]


def test_a_result_that_cannot_be_stored_does_not_stop_the_queue(queue: ScanQueue, scans: Scans) -> None:
    job, harmless = queue.add(b"", {"image": "unstorable"}), queue.add(b"", {"image": "harmless"})
    with worker(queue):
        until(finished(queue, job, harmless))
    failure = queue.job(job).failure
    assert failure is not None
    assert failure.code == "log-not-written"
    assert scans.images == ["harmless"]


def _hang(url: str, started: Connection) -> None:
    """Work in a process of its own, and hang in the middle of the first job."""

    def read(queued: QueuedPicture) -> ScanDraft:
        started.send(queued.job)
        time.sleep(600)
        raise AssertionError

    with opened(url) as (queue, _):
        queue.work(read, threading.Event())


def test_a_killed_worker_loses_nothing(queue: ScanQueue, scans: Scans, postgres_url: str) -> None:
    job = queue.add(b"", {"image": "survivor"})
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_hang, args=(postgres_url, theirs))
    process.start()
    assert ours.recv() == job
    assert queue.job(job).place == 0
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    with worker(queue), worker(queue):
        until(finished(queue, job))
    assert scans.images == ["survivor"]


def test_a_picture_that_kills_every_worker_becomes_an_error(queue: ScanQueue, scans: Scans) -> None:
    job, harmless = queue.add(b"", {"image": "poison"}), queue.add(b"", {"image": "harmless"})
    for _ in range(MAX_ATTEMPTS):
        assert claimed(scans, queue)[0].job == job  # the worker dies here
    read: list[str] = []
    with worker(queue, lambda queued: read.append(queued.job) or draft_of(queued)):
        until(finished(queue, job, harmless))
    failure = queue.job(job).failure
    assert failure is not None
    assert failure.code == "scanner-failed"
    assert (read, scans.images) == ([harmless], ["harmless"])


def test_two_workers_with_the_same_job_store_one_scan(queue: ScanQueue, scans: Scans) -> None:
    """A worker that was cut off for a while finishes the job that was given to another one."""
    job = queue.add(b"", {"image": "once"})
    claims = [claimed(scans, queue) for _ in range(2)]
    both = threading.Barrier(2)

    def read(queued: QueuedPicture) -> ScanDraft:
        both.wait(DEADLINE_S)
        return draft_of(queued)

    threads = [threading.Thread(target=queue._read, args=(*claim, read)) for claim in claims]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert scans.images == ["once"]
    assert queue.job(job).scan == "scan-1"
    both.abort()
    queue._read(*claims[0], draft_of)  # a third one learns that it is done
    assert scans.images == ["once"]


def test_stopping_finishes_the_current_picture_only(queue: ScanQueue, scans: Scans) -> None:
    current, later = queue.add(b"", {"image": "current"}), queue.add(b"", {"image": "later"})
    reading, go_on = threading.Event(), threading.Event()

    def read(queued: QueuedPicture) -> ScanDraft:
        reading.set()
        go_on.wait(DEADLINE_S)
        return draft_of(queued)

    stopping = threading.Event()
    thread = threading.Thread(target=queue.work, args=(read, stopping))
    thread.start()
    assert reading.wait(DEADLINE_S)
    stopping.set()
    go_on.set()
    thread.join()
    assert (queue.job(current).scan, queue.job(later).place) == ("scan-1", 1)


def test_the_worker_survives_a_restart_of_the_database(
    queue: ScanQueue, scans: Scans, postgres_cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan_queue, "_RECONNECT_S", 0.1)
    before = queue.add(b"", {"image": "before"})
    with worker(queue):
        until(finished(queue, before))
        postgres_cluster.stop(signal.SIGINT)  # SIGQUIT would lose what the tests' server has not flushed
        postgres_cluster.start()
        after = queue.add(b"", {"image": "after"})
        until(finished(queue, after))
    assert scans.images == ["before", "after"]


def test_restarts_of_workers_are_not_attempts(queue: ScanQueue, scans: Scans) -> None:
    """Servers that are restarted one after the other may all have begun the same picture."""
    job = queue.add(b"", {"image": "patient"})
    restarts = [ReadingStoppedError() for _ in range(MAX_ATTEMPTS + 1)]

    def read(queued: QueuedPicture) -> ScanDraft:
        if restarts:
            raise restarts.pop()
        return draft_of(queued)

    with worker(queue, read):
        until(finished(queue, job))
    assert scans.images == ["patient"]


def test_only_workers_that_run_count(queue: ScanQueue, scans: Scans) -> None:
    assert queue.workers() == 0
    with worker(queue), worker(queue):
        until(lambda: queue.workers() == 2)
    until(lambda: queue.workers() == 0)
