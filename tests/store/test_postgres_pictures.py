"""Pictures and documents in PostgreSQL, as several machines see them."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from companion.store import LogReadError, LogWriteError, open_documents
from companion.store.pictures import picture_scope
from companion.store.store import Store, open_store

JPEG = "image/jpeg"


@pytest.fixture
def machines(postgres_url: str, tmp_path: Path) -> Iterator[tuple[Store, Store]]:
    """Stores of two machines over one database."""
    with ExitStack() as stack:
        one, other = (stack.enter_context(closing(open_store(postgres_url))) for _ in range(2))
        yield one, other


def test_a_picture_is_on_every_machine(machines: tuple[Store, Store], tmp_path: Path) -> None:
    one, other = machines
    picture = bytes(range(256)) * 1000
    sha256 = one.pictures.put(picture, JPEG)
    assert one.pictures.put(picture, JPEG) == sha256
    assert other.pictures.read(sha256, JPEG) == picture
    assert list(tmp_path.rglob("*")) == []  # no photographs of people's homes on other machines
    with one.database.writing(picture_scope(sha256)) as db:
        one.pictures.remove_in(db, sha256)
    assert other.pictures.read(sha256, JPEG) is None


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
    assert one.pictures.read(new, JPEG) == b"new"
    assert one.pictures.read(old, JPEG) is None


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
