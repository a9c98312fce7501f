"""Pictures and documents in PostgreSQL, as several machines see them."""

from __future__ import annotations

import multiprocessing
import os
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from companion.store import LogReadError, LogWriteError, Store, open_documents, open_store
from companion.store.pictures import picture_scope
from tests.message_text import raises_text

JPEG = "image/jpeg"
MACHINES = ("one", "other")


@pytest.fixture
def machines(postgres_url: str, tmp_path: Path) -> Iterator[tuple[Store, Store]]:
    """Stores of two machines over one database."""
    with ExitStack() as stack:
        one, other = (
            stack.enter_context(closing(open_store(postgres_url, tmp_path / name))) for name in MACHINES
        )
        yield one, other


def test_a_picture_is_copied_to_the_machine_that_needs_it(
    machines: tuple[Store, Store], tmp_path: Path
) -> None:
    one, other = machines
    picture = bytes(range(256)) * 1000
    sha256 = one.pictures.put(picture, JPEG)
    assert one.pictures.put(picture, JPEG) == sha256
    path = other.pictures.path(sha256, JPEG)
    assert path.is_relative_to(tmp_path / "other")
    assert path.read_bytes() == picture
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert not (tmp_path / "one").exists()


def test_a_picture_that_was_deleted_elsewhere_is_not_read_from_its_copy(
    machines: tuple[Store, Store],
) -> None:
    one, other = machines
    sha256 = one.pictures.put(b"somebody's kitchen", JPEG)
    copy = other.pictures.path(sha256, JPEG)
    assert copy.exists()
    with one.database.writing(picture_scope(sha256)) as db:
        one.pictures.remove_in(db, sha256)
    assert not other.pictures.path(sha256, JPEG).exists()
    assert not copy.exists()


@pytest.mark.usefixtures("settled_clock")
def test_pruning_removes_what_nothing_refers_to_after_a_day(
    machines: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = machines
    new, old = one.pictures.put(b"new", JPEG), one.pictures.put(b"old", JPEG)
    database = one.tables._database  # type: ignore[attr-defined]
    with database.writing("scans") as db:
        db.execute("UPDATE pictures SET time = ? WHERE sha256 = ?", ("2026-01-01T00:00:00.000Z", old))
    other.scans.prune()
    assert one.pictures.path(new, JPEG).exists()
    assert not one.pictures.path(old, JPEG).exists()


def test_copies_that_nobody_reads_are_removed_after_an_hour(machines: tuple[Store, Store]) -> None:
    one, _ = machines
    unread, read = (one.pictures.path(one.pictures.put(each, JPEG), JPEG) for each in (b"1", b"2"))
    unfinished = unread.with_name("tmp1.part")
    unfinished.touch()
    for path in (unread, read, unfinished):
        os.utime(path, (time.time() - 3700,) * 2)
    one.pictures.path(read.stem, JPEG)
    one.scans.prune()
    assert [path.exists() for path in (unread, read, unfinished)] == [False, True, False]
    assert one.pictures.path(unread.stem, JPEG).read_bytes() == b"1"


def test_a_full_disk_is_reported(machines: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch) -> None:
    one, _ = machines
    sha256 = one.pictures.put(b"a picture", JPEG)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with raises_text(LogReadError, match="No space left"):
        one.pictures.path(sha256, JPEG)
    monkeypatch.undo()
    assert one.pictures.path(sha256, JPEG).read_bytes() == b"a picture"


def test_another_process_reads_the_decks(postgres_url: str) -> None:
    documents = open_documents(postgres_url)
    documents.write("deck", "青", b"a deck")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(documents.read, ("deck", "青")) == b"a deck"


def test_documents_whose_database_is_away_cannot_be_read_or_written(tmp_path: Path) -> None:
    documents = open_documents(f"postgresql://nobody@/nothing?host={tmp_path}")
    with pytest.raises(LogReadError):
        documents.read("deck", "ours")
    with pytest.raises(LogWriteError):
        documents.write("deck", "ours", b"a deck")


def test_no_documents_are_opened_before_they_are_used() -> None:
    open_documents("postgresql://nobody@nowhere.invalid/nothing")
    code = "import sys, companion.store; sys.exit('psycopg' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
