"""A store in a temporary folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from companion.store.store import Store
from companion.store.store import open_store as open_store_at
from companion.store.timestamps import SettledClock


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def log(folder: Path) -> Iterator[Store]:
    log = open_store_at(folder)
    yield log
    log.close()


@pytest.fixture
def settled_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock has been right for long enough that old things are deleted."""
    monkeypatch.setattr(SettledClock, "__call__", lambda clock: datetime.now(UTC))


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, folder: Path) -> Path | str:
    """A data folder, or the URL of a database. Another implementation of `Store` is another parameter."""
    if request.param == "sqlite":
        return folder
    return str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def open_store(place: Path | str, tmp_path: Path) -> Iterator[Callable[[], Store]]:
    """Opens the same data each time it is called."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(closing(open_store_at(place)))
