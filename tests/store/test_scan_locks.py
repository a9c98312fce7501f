"""Scans in PostgreSQL that are stored, changed and removed at the same moment."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

from companion.store import NoSuchScanError
from companion.store.scan_queue import QueuedPicture
from companion.store.scan_records import Changes, ScanDraft
from companion.store.store import Store

pytest.importorskip("psycopg", reason="psycopg is not installed")
from companion.store import scans
from companion.store.store import open_store

DEADLINE_S = 60.0
PICTURE = b"a picture of three cards"


@pytest.fixture
def store(postgres_url: str) -> Iterator[Store]:
    with closing(open_store(postgres_url)) as store:
        yield store


class Pause:
    """Stops whoever calls `wrapped`, after its result is there, until the test goes on."""

    def __init__(self, paused: Callable[..., Any]) -> None:
        self._paused = paused
        self.reached, self.go_on = threading.Event(), threading.Event()

    def wrapped(self, *arguments: Any) -> Any:
        result = self._paused(*arguments)
        self.reached.set()
        assert self.go_on.wait(DEADLINE_S)
        return result


def background(action: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=action)
    thread.start()
    return thread


def wait_until_blocked(store: Store, thread: threading.Thread) -> None:
    """Wait until the thread waits for a lock of the database, or has ended."""
    end = time.monotonic() + DEADLINE_S
    while thread.is_alive() and time.monotonic() < end:
        with store.database.reading() as db:
            row = db.execute("SELECT count(*) FROM pg_locks WHERE NOT granted").fetchone()
        if row is not None and row[0]:
            return
        time.sleep(0.02)


def added(store: Store, picture: bytes = PICTURE) -> str:
    scan = store.scans.add(
        ScanDraft(
            picture=picture,
            media_type="image/jpeg",
            image="pile.jpg",
            reading={"cards": []},
            settings={},
            actor="test",
        ),
    )
    return scan.id


def reading(store: Store, picture: bytes = PICTURE) -> tuple[str, Callable[[], object]]:
    """Put a picture into the queue; return its job and a function that reads it."""

    def read(queued: QueuedPicture) -> ScanDraft:
        return ScanDraft(queued.data, "image/jpeg", "pile.jpg", {"cards": []}, {}, "test")

    job = store.scan_queue.add(picture, {})
    with store.database.writing() as db:
        claimed = store.scan_queue._claim(db, worker=0)
    assert claimed is not None
    return job, lambda: store.scan_queue._read(*claimed, read)


def test_a_scan_is_corrected_while_another_one_is_stored(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    scan, (job, read) = added(store, b"another picture"), reading(store)
    storing = Pause(store.scan_queue._scans.add_in)
    monkeypatch.setattr(store.scan_queue._scans, "add_in", storing.wrapped)
    thread = background(read)
    try:
        assert storing.reached.wait(DEADLINE_S)
        assert store.scans.change(scan, Changes(note="ours"), "test").note == "ours"
        assert store.scan_queue.job(job).scan is None
    finally:
        storing.go_on.set()
        thread.join()
    assert store.scan_queue.job(job).scan is not None


def test_a_picture_stays_if_it_is_stored_again_while_its_scan_is_deleted(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    scan, (job, read) = added(store), reading(store)
    storing = Pause(store.scan_queue._scans.add_in)
    monkeypatch.setattr(store.scan_queue._scans, "add_in", storing.wrapped)
    threads = [background(read)]
    assert storing.reached.wait(DEADLINE_S)
    threads.append(background(lambda: store.scans.delete(scan)))
    wait_until_blocked(store, threads[1])
    storing.go_on.set()
    for thread in threads:
        thread.join()
    with pytest.raises(NoSuchScanError):
        store.scans.get(scan)
    assert store.scan_queue.job(job).scan is not None
    assert store.pictures.media_type(hashlib.sha256(PICTURE).hexdigest()) == "image/jpeg"


def test_a_draft_that_is_kept_at_the_moment_when_it_expires_stays(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    scan = added(store)
    with store.database.writing() as db:
        db.execute("UPDATE scans SET time = '2020-01-01T00:00:00.000Z'")
    changing = Pause(scans.corrections_for)
    monkeypatch.setattr(scans, "corrections_for", changing.wrapped)
    threads = [background(lambda: store.scans.change(scan, Changes(kept=True), "test"))]
    assert changing.reached.wait(DEADLINE_S)
    threads.append(background(store.scans.prune))
    wait_until_blocked(store, threads[1])
    changing.go_on.set()
    for thread in threads:
        thread.join()
    assert store.scans.get(scan).kept
